// JSON-RPC with an editor over two descriptors, a message a line: requests of both sides at any
// time. Knows nothing of what they mean.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "mcp/json_rpc.h"

namespace wright::app {

class AcpPeer {
 public:
  AcpPeer(int input, int output) : input_(input), output_(output) {}

  using OnRequest = std::function<void(mcp::Request request)>;
  using OnNotification = std::function<void(const mcp::Notification& notification)>;
  // Until the input has ended, or nobody reads the output any more. Both are called in this thread,
  // and must not wait for the editor.
  void serve(const OnRequest& on_request, const OnNotification& on_notification);

  // In any thread, whole lines.
  void notify(std::string_view method, const JsonObject& params);
  void answer(const mcp::RequestId& id, JsonObject result);
  void refuse(const mcp::RequestId& id, const mcp::Problem& problem);

  // Waits for the answer; not in the thread that serves. ErrorCode::cancelled when it is stopped or
  // the editor is gone. `late` gets an answer that comes after that, in the thread that serves.
  using Late = std::function<void(const JsonObject& answer)>;
  Result<JsonObject> ask(std::string_view method, const JsonObject& params,
                         const std::stop_token& stop, Late late = {});
  // A request whose answer does not matter.
  void tell(std::string_view method, const JsonObject& params);

  bool has_ended() const;  // nobody is there any more

 private:
  void take(mcp::Frame frame, const OnRequest& on_request, const OnNotification& on_notification);
  void take_answer(mcp::Answer answer);
  void write(std::string line);
  void end();

  const int input_;
  const int output_;
  std::mutex writing_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, std::optional<mcp::Answer>> asked_;
  std::map<std::int64_t, Late> late_;  // of questions that nobody waits for any more
  bool has_ended_ = false;
};

}  // namespace wright::app
