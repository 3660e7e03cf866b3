// Calls of a server's tools. Where the server asks a person in the middle, the call becomes a wait
// of its session: it is stored, survives this process, and is answered from anywhere. Executed
// again with the answer, it goes on where it was, or, when the process or the server is a new one,
// from its beginning where that does no harm.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "mcp_client/connection.h"
#include "mcp_client/sampling.h"
#include "wright/tool.h"

namespace wright::mcp_client {

struct RemoteToolCall {
  std::string tool = {};
  Effect effect = Effect::write;
  std::chrono::milliseconds timeout{300'000};
  std::optional<JsonSchema> output_schema = {};
  std::vector<mcp::HeaderParameter> repeated = {};  // over HTTP, in headers
};

// Asked as the last thing before a call begins, and not for one that goes on; its error is the
// call's. May be empty.
using MayBegin = std::function<Result<void>()>;

class RemoteCalls {
 public:
  // `models` are those that the server may ask; null: none.
  explicit RemoteCalls(std::shared_ptr<Connection> connection,
                       std::shared_ptr<SamplingModels> models = {})
      : connection_(std::move(connection)), models_(std::move(models)) {}

  Result<ToolReply> run(const RemoteToolCall& call, const Json& arguments, const Context& context,
                        const MayBegin& may_begin = {});

 private:
  // What the server asks, by its keys; one without a key in the older revisions.
  struct Questions {
    std::map<std::string, JsonObject, std::less<>> forms = {};
    // Those that are about a question to the model: its params.
    std::map<std::string, JsonObject, std::less<>> samplings = {};
    AskUserRequest asked = {};
  };
  using Answer = std::variant<JsonObject, mcp::Problem>;
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
  // Asks a person what the server asks them, or asks of the model. A Problem: neither can be.
  std::optional<mcp::Problem> add_question(const std::string& key, const std::string& method,
                                           JsonObject params, Questions& questions) const;
  Result<void> word(Questions& questions) const;
  // What the server gets for one of its questions.
  Answer answer_to(std::string_view key, const Questions& questions, const Json& given,
                   const Context& context) const;
  Result<JsonObject> responses_to(const Questions& questions, const Json& given,
                                  const Context& context) const;
  Waiting park(const Context& context, Parked parked);
  std::optional<Parked> take_parked(const Context& context);

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<SamplingModels> models_;
  std::mutex mutex_;
  std::map<std::string, Parked, std::less<>> parked_;  // by session and call
};

}  // namespace wright::mcp_client
