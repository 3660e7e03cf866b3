// Calls of a server's tools. Where the server asks a person in the middle, the call becomes a wait
// of its session: it is stored, survives this process, and is answered from anywhere. Executed
// again with the answer, it goes on where it was, or, when the process or the server is a new one,
// from its beginning where that does no harm.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "mcp_client/connection.h"
#include "wright/tool.h"

namespace wright::mcp_client {

struct RemoteToolCall {
  std::string tool = {};
  Effect effect = Effect::write;
  std::chrono::milliseconds timeout{300'000};
  std::optional<JsonSchema> output_schema = {};
  std::vector<mcp::HeaderParameter> repeated = {};  // over HTTP, in headers
};

class RemoteCalls {
 public:
  explicit RemoteCalls(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)) {}

  Result<ToolReply> run(const RemoteToolCall& call, const Json& arguments, const Context& context);

 private:
  // What the server asks, by its keys; one without a key in the older revisions.
  struct Questions {
    std::map<std::string, JsonObject, std::less<>> forms = {};
    AskUserRequest asked = {};
  };
  // A call that waits for a person.
  struct Parked {
    CallHandle handle = {};        // legacy: it is still under way
    mcp::RequestId question = {};  // likewise
    JsonObject params = {};        // modern: to be sent again
    Questions questions = {};
  };

  Result<Reached> go_on(const RemoteToolCall& call, const CallHandle& handle,
                        std::chrono::steady_clock::time_point deadline, const Context& context);
  Result<ToolReply> finish(const RemoteToolCall& call, CallHandle handle, JsonObject params,
                           std::optional<Json> spare, const Context& context);
  Result<Questions> questions_of(const std::map<std::string, JsonObject, std::less<>>& forms) const;
  Waiting park(const Context& context, Parked parked);
  std::optional<Parked> take_parked(const Context& context);

  std::shared_ptr<Connection> connection_;
  std::mutex mutex_;
  std::map<std::string, Parked, std::less<>> parked_;  // by session and call
};

}  // namespace wright::mcp_client
