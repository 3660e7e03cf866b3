#include "mcp_server/agent_tasks.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>

#include "core/enum_names.h"
#include "core/try.h"
#include "mcp/content.h"
#include "mcp_server/task_turn.h"
#include "mcp_server/tool_calls.h"
#include "runtime/stored_trace.h"

namespace wright::mcp_server {
namespace {

using mcp::TaskStatus;

constexpr std::int64_t kPollMs = 1'000;
constexpr std::size_t kMostTasks = 64;  // that are under way in one process
constexpr std::string_view kTaskWait = "wait_";

mcp::Problem task_problem(const Error& error) {
  const bool is_unknown = error.code == ErrorCode::not_found;
  return {is_unknown ? mcp::code::kInvalidParams : mcp::code::kInternalError, error.message};
}

std::string key_of_wait(WaitId wait) {
  return fmt::format("{}{}", kTaskWait, wait);
}

JsonObject created(const mcp::Task& task, mcp::Era era) {
  JsonObject json = to_json(task, era);
  if (era == mcp::Era::legacy) return {{"task", std::move(json)}};
  json["resultType"] = "task";
  return json;
}

// That a message belongs to a task (2025-11-25).
void relate(JsonObject& params, const std::string& task) {
  Json& meta = params["_meta"];
  if (!meta.is_object()) meta.emplace_object();
  meta.get_object()[mcp::kRelatedTask] = JsonObject{{"taskId", task}};
}

bool is_error(const JsonObject& result) {
  const Json* value = result.if_contains("isError");
  return value != nullptr && value->is_bool() && value->get_bool();
}

}  // namespace

AgentTasks::AgentTasks(Store& store, const std::vector<OfferedAgent>& agents,
                       const Observer& observer, const SessionTracing& tracing,
                       const std::function<std::string()>& dashboard)
    : store_(store),
      agents_(agents),
      observer_(observer),
      tracing_(tracing),
      dashboard_(dashboard) {}

AgentTasks::~AgentTasks() = default;

const OfferedAgent* AgentTasks::offered(std::string_view tool) const {
  const auto found = std::ranges::find(agents_, tool, &OfferedAgent::tool);
  return found == agents_.end() ? nullptr : &*found;
}

Result<Runtime*> AgentTasks::runtime() {
  const std::lock_guard lock(mutex_);
  if (!runtime_) {
    constexpr std::chrono::milliseconds kGrace{2'000};
    runtime_ = TRY(Runtime::open({.store = &store_,
                                  .workers = 1,
                                  .grace = kGrace,
                                  .most_running = kMostTasks,
                                  .find_trace = tracing_.find}));
  }
  return runtime_.get();
}

RunOptions AgentTasks::options(Json config, std::string_view principal,
                               const TraceContext& asked_by) {
  RunOptions options{.delivery = Delivery::whole,
                     .config = config_of_caller(std::move(config), principal)};
  options.observer = [this](const Event& event, const EventOrigin& origin) {
    if (observer_) observer_(event, origin);
    if (origin.depth != 0) return;
    if (std::holds_alternative<RunEnded>(event)) settle_all_of(origin.session_id);
    const std::string words = words_on(event);
    if (words.empty()) return;
    constexpr std::size_t kMostWords = 1'000;
    const std::lock_guard lock(mutex_);
    if (words_.size() >= kMostWords) words_.erase(words_.begin());
    words_[origin.session_id] = {words, origin.time_ms};
  };
  stand_below(asked_by, tracing_, options);
  return options;
}

AgentTasks::Words AgentTasks::last_words(SessionId session) {
  const std::lock_guard lock(mutex_);
  const auto found = words_.find(session);
  return found == words_.end() ? Words() : found->second;
}

mcp::WorkOutcome AgentTasks::begin(const OfferedAgent& offered, const AgentSessions& sessions,
                                   const mcp::Work& work) {
  const auto begun = [&]() -> Result<StoredTask> {
    auto turn = TRY(turn_of(offered, sessions, work));
    auto* const driver = TRY(runtime());
    auto run_options = options(std::move(turn.made.config), work.principal, work.trace);
    StoredTask task{.id = new_task_id(),
                    .tool = offered.tool,
                    .principal = work.principal,
                    .created_at = system_clock_ms()};
    if (turn.session) {
      const auto last =
          TRY(store_.get_messages(*turn.session, {.limit = 1, .keep = Page::Keep::last}));
      if (!last.empty()) task.after = last.back().id;
      task.session = *turn.session;
      TRY(driver->send(turn.made.agent, task.session, turn.prompt, std::move(run_options)));
    } else {
      task.session = TRY(driver->start(turn.made.agent, turn.prompt, std::move(run_options)));
      if (work.principal.empty()) sessions.begun.add(work.principal, task.session);
    }
    if (const auto kept = note_turn(store_, task); !kept) {
      (void)driver->cancel(task.session, "Its task could not be stored");
      return std::unexpected(kept.error());
    }
    // It may have ended before there was a task that could.
    settle_all_of(task.session);
    return task;
  }();
  if (!begun) return mcp::Finished{mcp::error_result(begun.error().message)};
  const mcp::Task told{.id = begun->id,
                       .message = fmt::format("session {} has begun", begun->session),
                       .created_at = mcp::task_time(begun->created_at),
                       .updated_at = mcp::task_time(begun->created_at),
                       .poll_ms = kPollMs};
  return mcp::Finished{created(told, work.client->era)};
}

mcp::WorkOutcome AgentTasks::perform(const mcp::Work& work, const WorkControls& controls) {
  auto task = find_task(store_, mcp::text_in(work.params, "taskId"), work.principal);
  if (!task) return task_problem(task.error());
  if (work.method == "tasks/get") return get(std::move(*task), work);
  if (work.method == "tasks/update") return update(std::move(*task), work);
  if (work.method == "tasks/cancel") return cancel(std::move(*task), work);
  return result(std::move(*task), work, controls);
}

void AgentTasks::settle_all_of(SessionId session) {
  const auto tasks = open_tasks_of(store_, session);
  const auto stored = store_.get_session(session);
  if (!tasks || !stored) return;  // who asks after it finds out
  for (StoredTask task : *tasks) (void)settle(task, *stored);
}

Result<void> AgentTasks::settle(StoredTask& task, const Session& session) {
  if (task.ended) return {};
  auto end = TRY(end_of_turn(store_, task, session));
  if (!end) return {};
  task.ended = end->status;
  task.result = std::move(end->result);
  task.ended_at = end->at;
  // Where somebody else was quicker, it ended as they say.
  if (!keep_task(store_, task)) task = TRY(find_task(store_, task.id, task.principal));
  return {};
}

// Another one may be quicker, or others may still be asked: then it is theirs.
void AgentTasks::go_on(AgentToRun made, StoredTask& task) {
  const auto driver = runtime();
  if (!driver) return;
  // In the trace that it was begun in.
  const auto session = store_.get_session(task.session);
  const TraceContext trace = session ? runtime::trace_in(session->config) : TraceContext();
  const auto resumed = (*driver)->resume(made.agent, task.session,
                                         options(std::move(made.config), task.principal, trace));
  if (resumed && !note_turn(store_, task)) {
    if (auto again = find_task(store_, task.id, task.principal)) task = std::move(*again);
  }
}

Result<void> AgentTasks::drive_on(StoredTask& task) {
  constexpr std::int64_t kPauseMs = 2'000;
  const auto needs_driver = [&] {
    const auto found = store_.list_sessions(
        {.needs_driver = true, .after = task.session - 1, .before = task.session + 1, .limit = 1});
    return found && !found->empty();
  };
  if (!needs_driver()) {
    // The process that drives it may be gone, and its time not over yet.
    const std::int64_t now = system_clock_ms();
    {
      const std::lock_guard lock(mutex_);
      if (now - looked_for_dead_ < kPauseMs) return {};
      looked_for_dead_ = now;
    }
    TRY(end_dead_runners(store_));
    if (!needs_driver()) return {};
  }
  const OfferedAgent* agent = offered(task.tool);
  if (agent == nullptr) {
    return fail(ErrorCode::not_found, fmt::format("{} is not offered any more", task.tool));
  }
  auto made = TRY(agent->make());
  go_on(std::move(made), task);
  return {};
}

Result<AgentTasks::View> AgentTasks::look(StoredTask& task, const mcp::ClientView& client) {
  View view{.task = {.id = task.id,
                     .created_at = mcp::task_time(task.created_at),
                     .updated_at = mcp::task_time(task.created_at),
                     .poll_ms = kPollMs}};
  if (!task.ended) {
    const Session session = TRY(store_.get_session(task.session));
    TRY(settle(task, session));
    if (!task.ended && session.status == SessionStatus::waiting) {
      TRY(look_at_waits(task, client, view));
    } else if (!task.ended) {
      TRY(drive_on(task));
      const Words words = last_words(task.session);
      view.task.message =
          words.text.empty() ? fmt::format("session {} is under way", session.id) : words.text;
      if (words.at != 0) view.task.updated_at = mcp::task_time(words.at);
    }
  }
  if (!task.ended) return view;
  view.task.status = *task.ended;
  // The older revision counts an error of the tool as one of the task.
  if (client.era == mcp::Era::legacy && task.ended == TaskStatus::completed &&
      is_error(task.result)) {
    view.task.status = TaskStatus::failed;
  }
  view.task.updated_at = mcp::task_time(task.ended_at);
  view.result = task.result;
  return view;
}

Result<void> AgentTasks::look_at_waits(StoredTask& task, const mcp::ClientView& client,
                                       View& view) {
  const auto open = TRY(store_.get_waits({.session_id = task.session, .status = WaitStatus::open}));
  if (open.empty()) {
    view.task.message = "goes on";
    return drive_on(task);
  }
  const std::string dashboard = dashboard_ ? dashboard_() : std::string();
  std::string obstacle;
  for (const StoredWait& wait : open) {
    view.task.updated_at = mcp::task_time(wait.created_at);
    if (std::ranges::find(task.elsewhere, wait.id) != task.elsewhere.end()) continue;
    const auto calls = TRY(
        store_.get_tool_calls(wait.session_id, {.page = {.after = wait.call_id - 1, .limit = 1}}));
    const PersonWait asked{.call = {{}, calls.empty() ? "" : calls.front().tool_name, {}},
                           .kind = wait.kind,
                           .shown = wait.shown,
                           .wait_id = wait.id,
                           .session_id = wait.session_id};
    auto request = request_to_client(client, dashboard, asked, task.session);
    if (request) {
      view.requests.push_back(std::move(*request));
    } else {
      obstacle = fmt::format(": {}", request.error().message);
    }
  }
  if (!view.requests.empty()) view.task.status = TaskStatus::input_required;
  view.task.message =
      view.requests.empty()
          ? fmt::format(
                "session {} waits for a person, who is not asked here{}. `wright waits` lists what "
                "for, `wright answer {}` shows all of it and takes the answer",
                task.session, obstacle, task.session)
          : fmt::format("session {} waits for an answer", task.session);
  return {};
}

mcp::WorkOutcome AgentTasks::get(StoredTask task, const mcp::Work& work) {
  auto view = look(task, *work.client);
  if (!view) return task_problem(view.error());
  JsonObject json = to_json(view->task, work.client->era);
  if (work.client->era == mcp::Era::legacy) return mcp::Finished{std::move(json)};
  if (view->task.status == TaskStatus::completed) {
    view->result["resultType"] = "complete";
    json["result"] = std::move(view->result);
  }
  if (view->task.status == TaskStatus::input_required) {
    JsonObject requests;
    for (const mcp::NeedsInput::Request& each : view->requests) {
      requests[each.key] = JsonObject{{"method", each.method}, {"params", each.params}};
    }
    json["inputRequests"] = std::move(requests);
  }
  return mcp::Finished{std::move(json)};
}

// What fits no question that is open is passed over: it was answered before, or never asked.
Result<void> AgentTasks::take_answers(StoredTask& task, const mcp::InputAnswers& answers,
                                      const mcp::ClientView& client) {
  const Session session = TRY(store_.get_session(task.session));
  // What waits there by now may be asked in somebody else's turn.
  TRY(settle(task, session));
  if (task.ended) return {};
  const auto open = TRY(store_.get_waits({.session_id = task.session, .status = WaitStatus::open}));
  bool is_any_answered = false;
  for (const StoredWait& wait : open) {
    const auto found = answers.find(key_of_wait(wait.id));
    if (found == answers.end()) continue;
    const bool is_address = !fits_form(wait);
    const auto given = answer_from(found->second, is_address ? WaitKind::question : wait.kind);
    if (!given) {
      // As the call without a task: it ends, and its session waits in the store.
      task.ended = TaskStatus::completed;
      task.ended_at = system_clock_ms();
      task.result = mcp::error_result(
          fmt::format("{} (session {} waits)", given.error().message, task.session));
      return keep_task(store_, task);
    }
    if (is_address) {
      if (std::ranges::find(task.elsewhere, wait.id) != task.elsewhere.end()) continue;
      task.elsewhere.push_back(wait.id);
      TRY(keep_task(store_, task));
      continue;
    }
    TRY(answer_wait(store_, wait.id, *given, answered_by(client)));
    is_any_answered = true;
  }
  if (!is_any_answered) return {};
  const OfferedAgent* agent = offered(task.tool);
  if (agent == nullptr) return {};
  auto made = TRY(agent->make());
  go_on(std::move(made), task);
  return {};
}

mcp::WorkOutcome AgentTasks::update(StoredTask task, const mcp::Work& work) {
  mcp::InputAnswers answers;
  if (const JsonObject* given = mcp::object_in(work.params, "inputResponses")) {
    for (const auto& [key, value] : *given) {
      if (value.is_object()) answers[std::string(key)] = value.get_object();
    }
  }
  const auto taken = take_answers(task, answers, *work.client);
  if (!taken && taken.error().code == ErrorCode::invalid_argument) {
    return mcp::Problem{mcp::code::kInvalidParams, taken.error().message};
  }
  if (!taken) return task_problem(taken.error());
  return mcp::Finished{};
}

mcp::WorkOutcome AgentTasks::cancel(StoredTask task, const mcp::Work& work) {
  const bool is_older = work.client->era == mcp::Era::legacy;
  // It may have ended, and nobody has looked.
  auto view = look(task, *work.client);
  if (!view) return task_problem(view.error());
  if (task.ended && is_older) {
    return mcp::Problem{mcp::code::kInvalidParams,
                        fmt::format("the task is {} already", enum_name(view->task.status))};
  }
  if (!task.ended) {
    task.ended = TaskStatus::cancelled;
    task.ended_at = system_clock_ms();
    task.result = mcp::error_result(fmt::format("It was cancelled (session {})", task.session));
    StoredTask turn = task;
    turn.ended.reset();
    if (const auto kept = keep_task(store_, task); !kept) return task_problem(kept.error());
    const auto driver = runtime();
    if (!driver) return task_problem(driver.error());
    // Somebody may have begun another turn at this moment, which is not the task's to cancel.
    const auto session = store_.get_session(task.session);
    const auto end = session ? end_of_turn(store_, turn, *session)
                             : Result<std::optional<TurnEnd>>(std::unexpected(session.error()));
    if (end && !*end) (void)(*driver)->cancel(task.session, "Its client has cancelled it");
  }
  if (!is_older) return mcp::Finished{};
  view = look(task, *work.client);
  if (!view) return task_problem(view.error());
  return mcp::Finished{to_json(view->task, mcp::Era::legacy)};
}

Result<void> AgentTasks::tell_what_is_over(const StoredTask& task, std::vector<WaitId>& elsewhere,
                                           const WorkControls& controls) {
  if (elsewhere.empty()) return {};
  const auto open = TRY(store_.get_waits({.session_id = task.session, .status = WaitStatus::open}));
  std::erase_if(elsewhere, [&](WaitId wait) {
    if (std::ranges::find(open, wait, &StoredWait::id) != open.end()) return false;
    JsonObject params = what_is_over(task.session, wait);
    relate(params, task.id);
    if (controls.notify) controls.notify(kIsOver, params);
    return true;
  });
  return {};
}

// Until it has ended (2025-11-25). What it asks meanwhile is asked on the way.
mcp::WorkOutcome AgentTasks::result(StoredTask task, const mcp::Work& work,
                                    const WorkControls& controls) {
  constexpr std::chrono::milliseconds kPause{100};
  if (!work.answers.empty()) {
    if (const auto taken = take_answers(task, work.answers, *work.client); !taken) {
      return task_problem(taken.error());
    }
  }
  // Who comes without an answer has been told of what was over by then, or was not sent away.
  std::vector<WaitId> elsewhere = task.elsewhere;
  if (work.answers.empty()) {
    if (const auto looked = tell_what_is_over(task, elsewhere, {}); !looked) {
      return task_problem(looked.error());
    }
  }
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!controls.stop.stop_requested()) {
    auto view = look(task, *work.client);
    if (!view) return task_problem(view.error());
    if (const auto told = tell_what_is_over(task, elsewhere, controls); !told) {
      return task_problem(told.error());
    }
    if (task.ended) {
      relate(view->result, task.id);
      return mcp::Finished{std::move(view->result)};
    }
    if (!view->requests.empty()) {
      for (mcp::NeedsInput::Request& each : view->requests) relate(each.params, task.id);
      return mcp::NeedsInput{.requests = std::move(view->requests)};
    }
    stopped.wait_for(lock, controls.stop, kPause, [] { return false; });
    // Somebody may have cancelled it, or taken an answer for it.
    auto again = find_task(store_, task.id, task.principal);
    if (!again) return task_problem(again.error());
    task = std::move(*again);
  }
  return mcp::Problem{mcp::code::kInternalError, "nobody waits for it any more"};
}

}  // namespace wright::mcp_server
