#include "mcp_client/remote_call.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

#include "core/try.h"
#include "core/unknown_outcome.h"
#include "mcp/content.h"
#include "mcp/elicitation.h"
#include "mcp_client/paused_call.h"

namespace wright::mcp_client {
namespace {

constexpr std::size_t kMostOpen = 1000;
constexpr std::size_t kMostAddresses = 16;
// What is asked for; the server decides. A person may take their time.
constexpr std::int64_t kTaskLifeMs = std::int64_t{24} * 3600 * 1000;
// What a server may have us keep for it while a person thinks.
constexpr std::size_t kLargestState = std::size_t{256} << 10;

std::string key_of(const Context& context) {
  return fmt::format("{}/{}", context.session_id, context.call_id);
}

// So that what the server does can be seen as part of the call.
void pass_on(const TraceContext& trace, JsonObject& params) {
  if (!trace.is_set()) return;
  Json& meta = params["_meta"];
  if (!meta.is_object()) meta.emplace_object();
  meta.get_object()["traceparent"] = trace.parent;
  if (!trace.state.empty()) meta.get_object()["tracestate"] = trace.state;
}

// Progress in words: of the server, or else how far it says that it is.
std::string words_of(const mcp::Progress& progress) {
  if (progress.total && *progress.total > 0) {
    return fmt::format("{:.0f} %{}{}", 100 * progress.progress / *progress.total,
                       progress.message.empty() ? "" : " ", progress.message);
  }
  return progress.message.empty() ? fmt::format("step {:g}", progress.progress) : progress.message;
}

}  // namespace

void RemoteCalls::keep_open(const Context& context, OpenQuestion open) {
  const std::lock_guard lock(mutex_);
  // Those that nobody came back for.
  if (open_questions_.size() >= kMostOpen) open_questions_.erase(open_questions_.begin());
  open_questions_.insert_or_assign(key_of(context), std::move(open));
}

std::optional<RemoteCalls::OpenQuestion> RemoteCalls::take_open(const Context& context) {
  const std::lock_guard lock(mutex_);
  auto found = open_questions_.extract(key_of(context));
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped());
}

std::optional<RemoteCalls::OpenQuestion> RemoteCalls::take_open_for(
    const std::optional<GivenAnswer>& given, const Context& context) {
  auto open = take_open(context);
  if (!open || (given && open->questions.is_same_as(given->questions))) return open;
  connection_->cancel(open->handle, "its question was not answered");
  return std::nullopt;
}

void RemoteCalls::give_up(const Context& context) {
  if (const auto open = take_open(context)) {
    connection_->cancel(open->handle, "nobody answers its question");
  }
}

Result<RemoteReply> RemoteCalls::ask(const RemoteRequest& request, const Context& context,
                                     const MayBegin& may_begin) {
  if (const auto& given = context.answers.answer) {
    return go_on(request, *given, context, may_begin);
  }
  if (std::string task = task_in_note(context.answers.kept); !task.empty()) {
    return go_on_with_task(request, std::move(task), std::nullopt, context);
  }
  return begin_anew(request, std::nullopt, context, may_begin);
}

Result<RemoteReply> RemoteCalls::begin_anew(const RemoteRequest& request,
                                            std::optional<GivenAnswer> spare,
                                            const Context& context, const MayBegin& may_begin) {
  const auto server = TRY(connection_->open(context.stop));  // which may take long
  if (may_begin) TRY(may_begin());
  JsonObject params = request.params;
  // A call that can be asked after is better than one that is lost with its connection.
  const bool may_be_task = server.era == mcp::Era::legacy &&
                           server.version == mcp::kNewestLegacyVersion &&
                           mcp::takes_calls_as_tasks(server.capabilities);
  if (may_be_task && request.task_support != mcp::TaskSupport::forbidden) {
    params["task"] = JsonObject{{"ttl", kTaskLifeMs}};
  }
  const auto handle = TRY(send(request, std::move(params), context));
  return finish(request, handle, std::move(spare), context, Progress::none);
}

std::unexpected<Error> RemoteCalls::left_begun(const RemoteRequest& request, Error why) const {
  if (request.effect == Effect::write) return outcome_unknown(connection_->name(), why.message);
  return std::unexpected(std::move(why));
}

Result<CallHandle> RemoteCalls::send(const RemoteRequest& request, JsonObject params,
                                     const Context& context) {
  pass_on(context.trace, params);
  (void)TRY(connection_->open(context.stop));
  if (context.still_ours) TRY(context.still_ours());
  return connection_->begin(request.method, std::move(params), context.stop, request.repeated);
}

Result<RemoteReply> RemoteCalls::go_on(const RemoteRequest& request, const Json& given,
                                       const Context& context, const MayBegin& may_begin) {
  const auto paused = paused_from(context.answers.state);
  const bool is_task = paused && paused->how == Paused::How::as_task;
  // It was asked, and told the answer, before its server made a task of it.
  if (std::string task = task_in_note(context.answers.kept); !is_task && !task.empty()) {
    return go_on_with_task(request, std::move(task), std::nullopt, context);
  }
  std::optional<GivenAnswer> answered;
  if (paused && !paused->questions.is_null()) {
    auto questions = ServerQuestions::from_json(paused->questions, models_.get());
    if (questions) {
      answered = GivenAnswer{given, std::move(*questions)};
    } else if (paused->how != Paused::How::in_place) {
      const std::string why =
          fmt::format("what it asked cannot be read any more: {}", questions.error().message);
      return left_begun(
          request, {ErrorCode::tool_failed,
                    fmt::format("The MCP server {} gets no answer: {}", connection_->name(), why)});
    }
  }
  if (is_task) return go_on_with_task(request, paused->task, std::move(answered), context);
  if (answered && paused->how == Paused::How::with_state) {
    JsonObject again = request.params;
    auto responses = answered->questions.answers(given, models_.get(), context);
    if (!responses) {
      return left_begun(request, {responses.error().code,
                                  fmt::format("The MCP server {} gets no answer: {}",
                                              connection_->name(), responses.error().message)});
    }
    again["inputResponses"] = std::move(*responses);
    if (paused->request_state) again["requestState"] = *paused->request_state;
    const auto handle = send(request, std::move(again), context);
    if (!handle) return left_begun(request, handle.error());
    return finish(request, *handle, std::nullopt, context, Progress::begun);
  }
  if (answered && paused->how == Paused::How::anew) {
    const auto responses = TRY(answered->questions.answers(given, models_.get(), context));
    const bool is_done = std::ranges::all_of(responses, [](const auto& each) {
      return mcp::text_in(each.value().as_object(), "action") == "accept";
    });
    if (is_done) return begin_anew(request, std::nullopt, context, may_begin);
    return fail(ErrorCode::tool_failed,
                fmt::format("The MCP server {} did nothing: it wanted an address to be opened "
                            "first, and the person did not agree",
                            connection_->name()));
  }
  if (auto open = take_open_for(answered, context)) {
    // It is still under way, if the server still lives.
    const auto answer = open->questions.answer(given, models_.get(), context);
    if (connection_->answer(open->handle, open->question, answer)) {
      return finish(request, open->handle, std::nullopt, context, Progress::begun);
    }
  }
  // Another process, or another life of the server, had begun it and was asked in the middle.
  if (request.effect == Effect::write) {
    return outcome_unknown(connection_->name(), "the process that called it has ended");
  }
  return begin_anew(request, std::move(answered), context, may_begin);
}

Result<Reached> RemoteCalls::wait(const RemoteRequest& request, const CallHandle& handle,
                                  std::chrono::steady_clock::time_point deadline,
                                  const Context& context) {
  WaitOptions options{.stop = context.stop, .timeout = request.timeout, .deadline = deadline};
  if (context.progress) {
    options.on_progress = [&](const mcp::Progress& each) { context.progress(words_of(each)); };
  }
  return connection_->wait(handle, options);
}

// It is refused until somebody has opened what the server names (2025-11-25).
Result<RemoteReply> RemoteCalls::refused(const mcp::Problem& problem) {
  const auto refuse = [&]() {
    return fail(ErrorCode::tool_failed,
                fmt::format("The MCP server {} refuses: {}", connection_->name(),
                            to_valid_utf8(problem.message)));
  };
  const JsonObject* data = problem.data.if_object();
  const Json* listed = data != nullptr ? data->if_contains("elicitations") : nullptr;
  if (problem.code != mcp::code::kUrlElicitationRequired || listed == nullptr ||
      !listed->is_array() || listed->get_array().empty() ||
      listed->get_array().size() > kMostAddresses) {
    return refuse();
  }
  ServerQuestions questions(connection_->redactor());
  for (const Json& each : listed->get_array()) {
    const JsonObject* params = each.if_object();
    if (params == nullptr || mcp::text_in(*params, "mode") != "url") return refuse();
    const std::string key = fmt::format("address{}", &each - listed->get_array().data() + 1);
    if (questions.add(key, "elicitation/create", *params, nullptr)) return refuse();
  }
  const auto worded = TRY(questions.worded(connection_->name()));
  return waiting_for(worded, {.how = Paused::How::anew, .questions = questions.to_json()});
}

RemoteCalls::Turn RemoteCalls::asked_within(CallHandle handle, Asked asked,
                                            std::optional<GivenAnswer>& spare,
                                            const Context& context, const AskedFor& asked_for) {
  OpenQuestion open{.handle = handle,
                    .question = asked.id,
                    .questions = ServerQuestions(connection_->redactor()),
                    .fetches_result = asked_for.fetches_result};
  const std::string& task = asked_for.task;
  const auto answer = [&](const std::variant<JsonObject, mcp::Problem>& outcome) {
    connection_->answer(handle, asked.id, outcome);
    return Turn{.next = handle};
  };
  const auto problem = open.questions.add("question", std::move(asked.method),
                                          std::move(asked.params), models_.get());
  if (problem) return answer(*problem);
  const auto worded = open.questions.worded(connection_->name());
  if (!worded) return answer(JsonObject{{"action", "cancel"}});
  if (spare && open.questions.is_same_as(spare->questions)) {
    const Json given = std::exchange(spare, std::nullopt)->answer;
    return answer(open.questions.answer(given, models_.get(), context));
  }
  Paused paused{.how = task.empty() ? Paused::How::in_place : Paused::How::as_task,
                .task = task,
                .questions = open.questions.to_json()};
  if (to_text(paused.questions).size() > kLargestState) {
    return answer(mcp::Problem{
        mcp::code::kInvalidParams,
        fmt::format("that is too much to ask: {} KB are kept at most", kLargestState >> 10)});
  }
  keep_open(context, std::move(open));
  return Turn{.reply = waiting_for(*worded, paused)};
}

Result<RemoteCalls::Turn> RemoteCalls::needs_input(const RemoteRequest& request,
                                                   mcp::InputRequired needs,
                                                   std::optional<GivenAnswer>& spare,
                                                   const Context& context) {
  ServerQuestions questions(connection_->redactor());
  for (auto& [key, asked] : needs.requests) {
    const auto problem = questions.add(key, asked.method, std::move(asked.params), models_.get());
    if (problem) {
      return left_begun(request,
                        {ErrorCode::unsupported,
                         fmt::format("The MCP server {} needs {}, which cannot be had here: {}",
                                     connection_->name(), asked.method, problem->message)});
    }
  }
  const auto again = [&](std::optional<JsonObject> responses) -> Result<Turn> {
    JsonObject params = request.params;
    if (responses) params["inputResponses"] = std::move(*responses);
    if (needs.state) params["requestState"] = *needs.state;
    auto next = send(request, std::move(params), context);
    if (!next) return left_begun(request, std::move(next).error());
    return Turn{.next = *next};
  };
  if (questions.empty()) return again(std::nullopt);  // it only wants to be asked again
  const auto worded = questions.worded(connection_->name());
  if (!worded) return left_begun(request, worded.error());
  if (spare && questions.is_same_as(spare->questions)) {
    const Json given = std::exchange(spare, std::nullopt)->answer;
    auto responses = questions.answers(given, models_.get(), context);
    if (!responses) return left_begun(request, std::move(responses).error());
    return again(std::move(*responses));
  }
  auto waiting = waiting_for(*worded, {.how = Paused::How::with_state,
                                       .request_state = std::move(needs.state),
                                       .questions = questions.to_json()});
  if (to_text(waiting.state).size() <= kLargestState) return Turn{.reply = std::move(waiting)};
  return left_begun(
      request,
      {ErrorCode::limit_reached,
       fmt::format("The MCP server {} cannot be answered: what it wants to be kept until somebody "
                   "has answered has more than {} KB",
                   connection_->name(), kLargestState >> 10)});
}

Result<RemoteReply> RemoteCalls::finish(const RemoteRequest& request, CallHandle handle,
                                        std::optional<GivenAnswer> spare, const Context& context,
                                        Progress progress) {
  constexpr int kMostRounds = 20;
  const auto deadline = std::chrono::steady_clock::now() + request.timeout;
  for (int round = 0; round < kMostRounds; ++round) {
    auto answered = wait(request, handle, deadline, context);
    if (!answered) return left_begun(request, std::move(answered).error());
    Reached& reached = *answered;
    if (auto* result = std::get_if<JsonObject>(&reached)) return std::move(*result);
    // Before it asked in turn, it had begun.
    const bool has_begun = progress == Progress::begun || round > 0;
    if (const auto* problem = std::get_if<mcp::Problem>(&reached)) {
      // A server that was started anew does not know its own question.
      const bool is_forgotten = has_begun && problem->code == mcp::code::kInvalidParams;
      auto answer = refused(*problem);
      if (is_forgotten && !answer) return left_begun(request, std::move(answer).error());
      return answer;
    }
    if (const auto* created = std::get_if<mcp::TaskCreated>(&reached)) {
      return begin_task(request, created->task, std::move(spare), context);
    }
    if (const auto* lost = std::get_if<Lost>(&reached)) {
      if (request.effect == Effect::write && lost->arrived == Arrived::maybe) {
        return outcome_unknown(connection_->name(), lost->why);
      }
      Error no_answer{lost->code, fmt::format("The MCP server {} gave no answer: {}",
                                              connection_->name(), to_valid_utf8(lost->why))};
      if (has_begun) return left_begun(request, std::move(no_answer));
      return std::unexpected(std::move(no_answer));
    }
    Turn turn;
    if (auto* asked = std::get_if<Asked>(&reached)) {
      turn = asked_within(handle, std::move(*asked), spare, context, {});
    } else {
      turn = TRY(
          needs_input(request, std::get<mcp::InputRequired>(std::move(reached)), spare, context));
    }
    if (turn.reply) return std::move(*turn.reply);
    handle = *turn.next;
  }
  connection_->cancel(handle, "it asked too often");
  return left_begun(request,
                    {ErrorCode::limit_reached,
                     fmt::format("The MCP server {} asks without end", connection_->name())});
}

Result<ToolReply> RemoteCalls::run(const RemoteToolCall& call, const Json& arguments,
                                   const Context& context, const MayBegin& may_begin) {
  auto reply = TRY(ask({.method = "tools/call",
                        .params = {{"name", call.tool}, {"arguments", arguments}},
                        .effect = call.effect,
                        .timeout = call.timeout,
                        .repeated = call.repeated,
                        .task_support = call.task_support},
                       context, may_begin));
  if (auto* waiting = std::get_if<Waiting>(&reply)) return std::move(*waiting);
  auto output = mcp::output_of(std::get<JsonObject>(reply), call.output_schema);
  // The server did what it was asked, and only its answer is of no use.
  if (!output && output.error().code == ErrorCode::protocol && call.effect == Effect::write) {
    return std::unexpected(unknown_outcome(
        ErrorCode::protocol,
        fmt::format("The MCP server {} ran this and says that it is done, but its answer cannot be "
                    "used: {}. Do not do it again before you know what it did",
                    connection_->name(), output.error().message)));
  }
  if (!output) return std::unexpected(std::move(output).error());
  return std::move(*output);
}

}  // namespace wright::mcp_client
