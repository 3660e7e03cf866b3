// One server that stays known: connected when it is first needed, found out about (which revision),
// started again when it ended, asked from any number of threads.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "mcp/client.h"
#include "mcp_client/answer_cache.h"
#include "mcp_client/channel.h"
#include "wright/log.h"

namespace wright::mcp_client {

using MakeChannel =
    std::function<Result<std::unique_ptr<Channel>>(std::shared_ptr<ChannelListener> listener)>;

struct ConnectionOptions {
  std::string name = {};  // of the server, for people
  mcp::ClientOptions client = {};
  MakeChannel make = {};
  std::chrono::milliseconds time_to_start{30'000};
  std::chrono::milliseconds time_to_probe{5'000};  // for server/discover, which old ones ignore
  Logger logger = {};
  Redactor redactor = {};  // of what people are asked for the server
};

// A call that is under way, wherever it has got to. It belongs to one life of the server: after a
// restart it is nobody's.
struct CallHandle {
  std::uint64_t life = 0;
  mcp::CallNumber number = 0;
};

// The server asks in the middle of the call, which goes on when answer() was called.
struct Asked {
  mcp::RequestId id = {};
  std::string method = {};
  JsonObject params = {};
};
// The answer will not come: the connection was lost, the time is over, or what came was none.
struct Lost {
  std::string why = {};
  ErrorCode code = ErrorCode::unavailable;
  Arrived arrived = Arrived::maybe;  // maybe: nobody knows what the call did
};
using Reached =
    std::variant<JsonObject, mcp::InputRequired, mcp::TaskCreated, Asked, Lost, mcp::Problem>;

struct WaitOptions {
  std::stop_token stop = {};
  std::chrono::milliseconds timeout{300'000};
  // Instead of `timeout` from now: for what takes several requests and has one time for all.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  // In the waiting thread. May be empty.
  std::function<void(const mcp::Progress&)> on_progress = {};
};

class Connection {
 public:
  explicit Connection(ConnectionOptions options);
  ~Connection();  // ends the server
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const std::string& name() const;
  const Redactor& redactor() const;

  // Connects if that is needed. What is known of the server.
  Result<mcp::ServerView> open(const std::stop_token& stop = {});

  // Begins a call; connects first if that is needed.
  Result<CallHandle> begin(std::string_view method, JsonObject params,
                           const std::stop_token& stop = {},
                           const std::vector<mcp::HeaderParameter>& repeated = {});
  // Until the call has ended or the server asks. With the time over, or stopped, it is cancelled:
  // the former is a Lost, the latter an error.
  Result<Reached> wait(const CallHandle& call, const WaitOptions& options);
  // False when the server does not wait for it any more.
  bool answer(const CallHandle& call, const mcp::RequestId& id,
              const std::variant<JsonObject, mcp::Problem>& outcome);
  void cancel(const CallHandle& call, std::string_view reason);

  // begin() and wait(), for requests in which nobody is asked.
  Result<JsonObject> ask(std::string_view method, JsonObject params, const WaitOptions& options);
  // All pages of a list, its items joined. All of them have the time of one request. Refuses what
  // is longer than any list should be, and pages that go in circles.
  Result<JsonArray> list(std::string_view method, std::string_view key, const WaitOptions& options);

  // What was answered before to the same request, for as long as the server said that it holds
  // (2026-07-28) and nothing says that it has changed; else what `ask` answers now.
  struct Answered {
    JsonObject result = {};
    bool may_be_kept = true;  // it is the same for whoever asks
  };
  Result<JsonObject> ask_kept(std::string_view method, const JsonObject& params,
                              const std::function<Result<Answered>()>& ask);
  // How long the server said that its last answer to list() holds. Nothing: it did not say.
  std::optional<std::chrono::steady_clock::time_point> holds_until(std::string_view method);

  // Wants to hear when the resource changes, also of a server that was started again.
  Result<void> watch(std::string_view uri, const WaitOptions& options);
  // Wants to hear when lists change. Older servers tell without being asked, and some never do.
  Result<void> watch_lists(const WaitOptions& options);
  // How often the server has said that they have changed, or was started again.
  std::uint64_t changes(mcp::Change change) const;
  // Called in any thread after that number has grown, must be quick and ask nothing of the
  // connection. One at a time; empty: nobody.
  void on_change(std::function<void(mcp::Change)> tell);
  // The resources that have changed since the last time this was called.
  std::vector<std::string> take_updates();

 private:
  class State;
  Result<void> listen(const mcp::ServerView& server, const std::stop_token& stop);

  std::shared_ptr<State> state_;

  std::mutex watching_;
  std::set<std::string, std::less<>> watched_;
  bool watches_lists_ = false;
  AnswerCache kept_;
};

}  // namespace wright::mcp_client
