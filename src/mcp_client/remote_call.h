// Requests to a server in which it may ask a person: tools/call, prompts/get, resources/read. Where
// it does, the request becomes a wait, which is stored, survives this process, and is answered from
// anywhere. Made again with the answer, it goes on:
//
//   revision 2026-07-28   with the state that the server gave along (requestState), in any process;
//   older ones            where it was, in the process that began it. Any other one begins anew
//                         what only reads; what writes has an outcome that is not known.
//
// What a server refused until somebody has opened an address (-32042) begins anew in any case.
//
// A server may go on with a call as a task. It is asked after until the task has ended; what it
// asks is a wait as above. The task's id is stored with the call (Context::keep), so that whoever
// comes after a crash asks after the same task, and nothing is done twice.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "mcp_client/connection.h"
#include "mcp_client/sampling.h"
#include "mcp_client/server_questions.h"
#include "wright/tool.h"

namespace wright::mcp_client {

struct RemoteRequest {
  std::string method = {};
  JsonObject params = {};
  Effect effect = Effect::read;
  std::chrono::milliseconds timeout{300'000};                   // of all rounds together
  std::vector<mcp::HeaderParameter> repeated = {};              // over HTTP, in headers
  mcp::TaskSupport task_support = mcp::TaskSupport::forbidden;  // 2025-11-25
};

struct RemoteToolCall {
  std::string tool = {};
  Effect effect = Effect::write;
  std::chrono::milliseconds timeout{300'000};
  std::optional<JsonSchema> output_schema = {};
  std::vector<mcp::HeaderParameter> repeated = {};
  mcp::TaskSupport task_support = mcp::TaskSupport::forbidden;
};

// Asked as the last thing before a call begins, and not for one that goes on; its error is the
// call's. May be empty.
using MayBegin = std::function<Result<void>()>;

// The server's result, or what somebody is asked first.
using RemoteReply = std::variant<JsonObject, Waiting>;

class RemoteCalls {
 public:
  // `models` are those that the server may ask; null: none.
  explicit RemoteCalls(std::shared_ptr<Connection> connection,
                       std::shared_ptr<SamplingModels> models = {})
      : connection_(std::move(connection)), models_(std::move(models)) {}

  const std::shared_ptr<Connection>& connection() const { return connection_; }

  // What was replied with a Waiting will not be answered: its server is told so.
  void give_up(const Context& context);
  // Context::answers has the answer to the Waiting that was replied before, and its state.
  Result<RemoteReply> ask(const RemoteRequest& request, const Context& context,
                          const MayBegin& may_begin = {});

  Result<ToolReply> run(const RemoteToolCall& call, const Json& arguments, const Context& context,
                        const MayBegin& may_begin = {});

 private:
  // A request of the older revisions that is under way while a person thinks.
  struct OpenQuestion {
    CallHandle handle = {};
    mcp::RequestId question = {};
    ServerQuestions questions = {};
    bool fetches_result = false;  // of a task: the request is tasks/result
  };
  // The task that a question is about, and whether its result is being fetched. None: empty.
  struct AskedFor {
    std::string task = {};
    bool fetches_result = false;
  };

  // `spare` is an answer that was given in an earlier life of the request. It is told where the
  // server asks the same once more; whatever else it asks is put to a person.
  Result<RemoteReply> begin_anew(const RemoteRequest& request, std::optional<GivenAnswer> spare,
                                 const Context& context, const MayBegin& may_begin);
  Result<RemoteReply> go_on(const RemoteRequest& request, const Json& given, const Context& context,
                            const MayBegin& may_begin);
  Result<CallHandle> send(const RemoteRequest& request, JsonObject params, const Context& context);
  // Whether the server has begun with it, as far as is known before it answers.
  enum class Progress : std::uint8_t { none, begun };
  Result<RemoteReply> finish(const RemoteRequest& request, CallHandle handle,
                             std::optional<GivenAnswer> spare, const Context& context,
                             Progress progress);
  // The request goes on at once in what is returned; otherwise `reply` is its end.
  struct Turn {
    std::optional<CallHandle> next = {};
    std::optional<RemoteReply> reply = {};
  };
  Turn asked_within(CallHandle handle, Asked asked, std::optional<GivenAnswer>& spare,
                    const Context& context, const AskedFor& asked_for);
  Result<Turn> needs_input(const RemoteRequest& request, mcp::InputRequired needs,
                           std::optional<GivenAnswer>& spare, const Context& context);
  Result<RemoteReply> refused(const mcp::Problem& problem);

  using Time = std::chrono::steady_clock::time_point;
  // A task that is asked after.
  struct Following {
    std::string id = {};
    std::optional<GivenAnswer> spare = {};         // that is not told yet
    std::set<std::string, std::less<>> told = {};  // keys that were answered in this process
    std::string said = {};                         // what it said last that it does
    Time look_at = {};
    bool is_kept = false;  // with the call, so that whoever executes it again asks after the task
  };
  struct TaskNews {
    mcp::Task task = {};
    JsonObject all = {};
    std::optional<RemoteReply> reply = {};  // somebody is asked: there is nothing else
  };
  Result<RemoteReply> begin_task(const RemoteRequest& request, const mcp::Task& task,
                                 std::optional<GivenAnswer> spare, const Context& context);
  // `given` is for it, and may not be told yet.
  Result<RemoteReply> go_on_with_task(const RemoteRequest& request, std::string id,
                                      std::optional<GivenAnswer> given, const Context& context);
  Result<RemoteReply> follow(Following task, const RemoteRequest& request, const Context& context);
  Result<std::optional<TaskNews>> look_at(Following& task, const RemoteRequest& request,
                                          mcp::Era era, Time deadline, const Context& context);
  // Nothing: it goes on.
  Result<std::optional<RemoteReply>> take_news(Following& task, const RemoteRequest& request,
                                               TaskNews news, const Context& context);
  Result<std::optional<RemoteReply>> take_older_news(Following& task, const RemoteRequest& request,
                                                     TaskNews news, Time deadline,
                                                     const Context& context);
  Result<std::optional<RemoteReply>> answer_task(Following& task, const RemoteRequest& request,
                                                 const JsonObject& news, const Context& context);
  Result<std::optional<RemoteReply>> tell_task(Following& task, const RemoteRequest& request,
                                               JsonObject responses, const Context& context);
  Result<std::optional<RemoteReply>> fetch(Following& task, const RemoteRequest& request,
                                           const CallHandle& call, Time deadline,
                                           const Context& context);
  // The request has begun, and nothing more will be heard of it: of what writes, nobody knows what
  // it did.
  std::unexpected<Error> left_begun(const RemoteRequest& request, Error why) const;
  std::unexpected<Error> lost_task(const RemoteRequest& request, ErrorCode code,
                                   std::string_view why) const;
  std::unexpected<Error> cancelled_there(const RemoteRequest& request,
                                         const mcp::Task& task) const;
  void cancel_task(const std::string& id);

  Result<Reached> wait(const RemoteRequest& request, const CallHandle& handle,
                       std::chrono::steady_clock::time_point deadline, const Context& context);
  void keep_open(const Context& context, OpenQuestion open);
  std::optional<OpenQuestion> take_open(const Context& context);
  // The one that `given` is for. One that asks something else was left behind: another process has
  // gone on with the call since, and was answered.
  std::optional<OpenQuestion> take_open_for(const std::optional<GivenAnswer>& given,
                                            const Context& context);

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<SamplingModels> models_;
  std::mutex mutex_;
  std::map<std::string, OpenQuestion, std::less<>> open_questions_;  // by session and call
};

}  // namespace wright::mcp_client
