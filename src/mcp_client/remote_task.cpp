// A call that its server goes on with as a task: asked after until it has ended, in this process or
// in the one that comes after it. What it asks meanwhile becomes a wait, as in any other call.
#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <condition_variable>
#include <utility>

#include "core/try.h"
#include "core/unknown_outcome.h"
#include "mcp_client/paused_call.h"
#include "mcp_client/remote_call.h"

namespace wright::mcp_client {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPauseOfTask{1'000};
constexpr milliseconds kShortestPauseOfTask{20};
constexpr milliseconds kLongestPauseOfTask{60'000};
constexpr milliseconds kTimeToLook{30'000};  // for one answer of the server
constexpr milliseconds kTimeToCancel{5'000};
constexpr std::size_t kMostQuestions = 16;

milliseconds pause_of(const mcp::Task& task) {
  const milliseconds wanted = task.poll_ms ? milliseconds(*task.poll_ms) : kPauseOfTask;
  return std::clamp(wanted, kShortestPauseOfTask, kLongestPauseOfTask);
}

// False: it is to stop.
bool sleep_until(Clock::time_point when, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_until(lock, stop, when, [] { return false; });
  return !stop.stop_requested();
}

std::map<std::string, mcp::InputRequired::Request, std::less<>> requests_in(
    const JsonObject& news) {
  std::map<std::string, mcp::InputRequired::Request, std::less<>> found;
  const JsonObject* listed = mcp::object_in(news, "inputRequests");
  if (listed == nullptr) return found;
  for (const auto& [key, value] : *listed) {
    const JsonObject* request = value.if_object();
    if (request == nullptr) continue;
    const JsonObject* params = mcp::object_in(*request, "params");
    found[std::string(key)] = {mcp::text_in(*request, "method"),
                               params != nullptr ? *params : JsonObject()};
  }
  return found;
}

mcp::Problem problem_in(const JsonObject& news) {
  const JsonObject* error = mcp::object_in(news, "error");
  if (error == nullptr) return {mcp::code::kInternalError, "it failed and does not say why"};
  mcp::Problem problem{.message = mcp::text_in(*error, "message")};
  const Json* code = error->if_contains("code");
  if (code != nullptr && code->is_int64()) problem.code = code->get_int64();
  if (const Json* data = error->if_contains("data")) problem.data = *data;
  return problem;
}

}  // namespace

// Nobody knows what a task has done that cannot be asked after any more.
std::unexpected<Error> RemoteCalls::lost_task(const RemoteRequest& request, ErrorCode code,
                                              std::string_view why) const {
  if (request.effect == Effect::write) return outcome_unknown(connection_->name(), why);
  return fail(code, fmt::format("The MCP server {} gave no answer: {}", connection_->name(),
                                to_valid_utf8(std::string(why))));
}

// Whatever it answers: the task is not asked after any more.
void RemoteCalls::cancel_task(const std::string& id) {
  const auto call = connection_->begin("tasks/cancel", {{"taskId", id}});
  if (call) (void)connection_->wait(*call, {.timeout = kTimeToCancel});
}

Result<RemoteReply> RemoteCalls::begin_task(const RemoteRequest& request, const mcp::Task& task,
                                            std::optional<GivenAnswer> spare,
                                            const Context& context) {
  // Where it cannot be kept, what comes of the task is not known after a crash, as of any other
  // call: no reason to leave it now.
  const bool is_kept = context.keep && context.keep(task_note(task.id));
  return follow({.id = task.id,
                 .spare = std::move(spare),
                 .look_at = Clock::now() + pause_of(task),
                 .is_kept = is_kept},
                request, context);
}

Result<RemoteReply> RemoteCalls::follow(Following task, const RemoteRequest& request,
                                        const Context& context) {
  const auto deadline = Clock::now() + request.timeout;
  while (true) {
    const bool goes_on = sleep_until(std::min(task.look_at, deadline), context.stop);
    if (!goes_on) {
      // Who resumes the session asks after the same task.
      const bool is_left = task.is_kept && context.is_suspended && context.is_suspended();
      Error cancelled{ErrorCode::cancelled, "The call was cancelled"};
      if (is_left) return std::unexpected(std::move(cancelled));
      cancel_task(task.id);
      return left_begun(request, std::move(cancelled));
    }
    if (Clock::now() >= deadline) {
      cancel_task(task.id);
      return lost_task(request, ErrorCode::timeout,
                       fmt::format("it did not end within {:g} s",
                                   std::chrono::duration<double>(request.timeout).count()));
    }
    const auto server = connection_->open(context.stop);
    if (!server) {
      task.look_at = Clock::now() + kPauseOfTask;
      continue;
    }
    const auto news = TRY(look_at(task, request, server->era, deadline, context));
    if (!news) continue;
    auto reply = server->era == mcp::Era::modern
                     ? take_news(task, request, *news, context)
                     : take_older_news(task, request, *news, deadline, context);
    if (!reply) return std::unexpected(std::move(reply).error());
    if (auto& end = *reply) return std::move(*end);
  }
}

// Nothing: there was no answer this time. An error: there will not be any.
Result<std::optional<RemoteCalls::TaskNews>> RemoteCalls::look_at(Following& task,
                                                                  const RemoteRequest& request,
                                                                  mcp::Era era,
                                                                  Clock::time_point deadline,
                                                                  const Context& context) {
  task.look_at = Clock::now() + kPauseOfTask;
  const auto call = connection_->begin("tasks/get", {{"taskId", task.id}}, context.stop);
  if (!call) return std::nullopt;
  while (true) {
    auto reached = connection_->wait(
        *call, {.stop = context.stop, .deadline = std::min(deadline, Clock::now() + kTimeToLook)});
    if (!reached) return std::nullopt;  // it is to stop
    if (auto* asked = std::get_if<Asked>(&*reached)) {
      // Older servers ask on any stream.
      auto turn = asked_within(*call, std::move(*asked), task.spare, context, {task.id});
      if (turn.reply) return TaskNews{.reply = std::move(turn.reply)};
      continue;
    }
    if (const auto* problem = std::get_if<mcp::Problem>(&*reached)) {
      const bool is_gone =
          problem->code == mcp::code::kInvalidParams || problem->code == mcp::code::kMethodNotFound;
      if (is_gone) {
        return lost_task(request, ErrorCode::unavailable,
                         fmt::format("it does not know its task any more: {}", problem->message));
      }
      return std::nullopt;
    }
    auto* all = std::get_if<JsonObject>(&*reached);
    if (all == nullptr) return std::nullopt;
    auto read = mcp::task_from(*all, era);
    if (!read || read->id != task.id) return std::nullopt;
    if (!read->message.empty() && read->message != task.said && context.progress) {
      context.progress(read->message);
    }
    task.said = read->message;
    task.look_at = Clock::now() + pause_of(*read);
    return TaskNews{.task = std::move(*read), .all = std::move(*all)};
  }
}

// In 2026-07-28 all there is to know is there.
Result<std::optional<RemoteReply>> RemoteCalls::take_news(Following& task,
                                                          const RemoteRequest& request,
                                                          TaskNews news, const Context& context) {
  using mcp::TaskStatus;
  if (news.reply) return std::move(news.reply);
  switch (news.task.status) {
    case TaskStatus::working: return std::nullopt;
    case TaskStatus::completed:
      if (JsonObject* result = news.all["result"].if_object()) {
        result->erase("resultType");
        return std::move(*result);
      }
      return lost_task(request, ErrorCode::protocol, "its task has ended without a result");
    case TaskStatus::failed: {
      auto reply = TRY(refused(problem_in(news.all)));
      return reply;
    }
    case TaskStatus::cancelled: return cancelled_there(request, news.task);
    case TaskStatus::input_required: break;
  }
  return answer_task(task, request, news.all, context);
}

std::unexpected<Error> RemoteCalls::cancelled_there(const RemoteRequest& request,
                                                    const mcp::Task& task) const {
  // It had begun.
  if (request.effect == Effect::write) {
    return outcome_unknown(connection_->name(), "it has cancelled the call: " + task.message);
  }
  return fail(ErrorCode::tool_failed,
              fmt::format("The MCP server {} has cancelled this call{}{}", connection_->name(),
                          task.message.empty() ? "" : ": ", task.message));
}

// The server says the same until it has the answers: each question is put to a person once.
Result<std::optional<RemoteReply>> RemoteCalls::answer_task(Following& task,
                                                            const RemoteRequest& request,
                                                            const JsonObject& news,
                                                            const Context& context) {
  const auto give_up = [&](ErrorCode code, std::string_view why) {
    cancel_task(task.id);
    return left_begun(request, {code, fmt::format("The MCP server {} gets no answer: {}",
                                                  connection_->name(), why)});
  };
  auto asked = requests_in(news);
  std::erase_if(asked, [&](const auto& each) { return task.told.contains(each.first); });
  if (asked.empty()) return std::nullopt;
  if (asked.size() > kMostQuestions) {
    return give_up(ErrorCode::limit_reached, "it asks too much at once");
  }
  ServerQuestions questions(connection_->redactor());
  for (auto& [key, each] : asked) {
    const auto problem = questions.add(key, each.method, std::move(each.params), models_.get());
    if (problem) return give_up(ErrorCode::unsupported, problem->message);
  }
  if (const auto given = std::exchange(task.spare, std::nullopt)) {
    JsonObject responses;
    for (const auto& [key, each] : asked) {
      // A key alone says nothing: what was shown under it may have been something else.
      if (!questions.is_same_at(key, given->questions)) continue;
      auto answer = given->questions.answer_to(key, given->answer, models_.get(), context);
      if (const auto* problem = std::get_if<mcp::Problem>(&answer)) {
        return give_up(ErrorCode::tool_failed, problem->message);
      }
      responses[key] = std::get<JsonObject>(std::move(answer));
      task.told.insert(key);
    }
    if (!responses.empty()) return tell_task(task, request, std::move(responses), context);
  }
  const auto worded = questions.worded(connection_->name());
  if (!worded) return give_up(worded.error().code, worded.error().message);
  return waiting_for(
      *worded, {.how = Paused::How::as_task, .task = task.id, .questions = questions.to_json()});
}

// What is answered twice counts once: where it is not known whether it came, it is told again.
Result<std::optional<RemoteReply>> RemoteCalls::tell_task(Following& task,
                                                          const RemoteRequest& request,
                                                          JsonObject responses,
                                                          const Context& context) {
  constexpr int kAttempts = 5;
  std::string why;
  for (int i = 0; i < kAttempts; ++i) {
    const auto call = connection_->begin(
        "tasks/update", {{"taskId", task.id}, {"inputResponses", responses}}, context.stop);
    auto reached = call ? connection_->wait(*call, {.stop = context.stop, .timeout = kTimeToLook})
                        : Result<Reached>(std::unexpected(call.error()));
    if (reached && std::holds_alternative<JsonObject>(*reached)) {
      task.look_at = Clock::now() + kShortestPauseOfTask;
      return std::nullopt;
    }
    if (!reached) {
      why = reached.error().message;
    } else if (const auto* problem = std::get_if<mcp::Problem>(&*reached)) {
      return lost_task(request, ErrorCode::unavailable,
                       fmt::format("it does not take the answer: {}", problem->message));
    } else if (const auto* lost = std::get_if<Lost>(&*reached)) {
      why = lost->why;
    }
    if (!sleep_until(Clock::now() + kPauseOfTask, context.stop)) return std::nullopt;
  }
  return lost_task(request, ErrorCode::unavailable, why);
}

// In 2025-11-25 the result is fetched, and so is what the server asks.
Result<std::optional<RemoteReply>> RemoteCalls::take_older_news(Following& task,
                                                                const RemoteRequest& request,
                                                                TaskNews news,
                                                                Clock::time_point deadline,
                                                                const Context& context) {
  if (news.reply) return std::move(news.reply);
  if (news.task.status == mcp::TaskStatus::working) return std::nullopt;
  if (news.task.status == mcp::TaskStatus::cancelled) return cancelled_there(request, news.task);
  const auto call = connection_->begin("tasks/result", {{"taskId", task.id}}, context.stop);
  if (!call) return std::nullopt;
  return fetch(task, request, *call, deadline, context);
}

Result<std::optional<RemoteReply>> RemoteCalls::fetch(Following& task, const RemoteRequest& request,
                                                      const CallHandle& call,
                                                      Clock::time_point deadline,
                                                      const Context& context) {
  while (true) {
    auto reached = wait(request, call, deadline, context);
    if (!reached) return std::nullopt;  // it is to stop
    if (auto* result = std::get_if<JsonObject>(&*reached)) return std::move(*result);
    if (const auto* problem = std::get_if<mcp::Problem>(&*reached)) {
      auto reply = TRY(refused(*problem));
      return reply;
    }
    auto* asked = std::get_if<Asked>(&*reached);
    if (asked == nullptr) return std::nullopt;  // the task may go on all the same
    auto turn = asked_within(call, std::move(*asked), task.spare, context, {task.id, true});
    if (turn.reply) return std::move(turn.reply);
  }
}

// Somebody has answered, or another process began it.
Result<RemoteReply> RemoteCalls::go_on_with_task(const RemoteRequest& request, std::string id,
                                                 std::optional<GivenAnswer> given,
                                                 const Context& context) {
  Following task{.id = std::move(id),
                 .look_at = Clock::now(),
                 .is_kept = !context.answers.kept.is_null()};
  if (auto open = take_open_for(given, context)) {
    const auto answer = open->questions.answer(given->answer, models_.get(), context);
    if (connection_->answer(open->handle, open->question, answer)) {
      if (open->fetches_result) {
        auto reply =
            TRY(fetch(task, request, open->handle, Clock::now() + request.timeout, context));
        if (reply) return std::move(*reply);
      } else {
        connection_->cancel(open->handle, "it is asked for again");
      }
      return follow(std::move(task), request, context);
    }
  }
  task.spare = std::move(given);
  return follow(std::move(task), request, context);
}

}  // namespace wright::mcp_client
