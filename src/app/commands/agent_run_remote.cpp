// The same for sessions that a server drives: it is asked, and what happens is told as it comes.
#include <fmt/format.h>

#include <boost/json/object.hpp>

#include <algorithm>

#include "app/commands/agent_run.h"
#include "app/commands/remote_events.h"
#include "app/terminal/person/person_answers.h"
#include "app/wiring/answers_without_keys.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/project_files.h"
#include "app/wiring/remote_api.h"
#include "app/wiring/remote_rows.h"
#include "app/wiring/remote_store.h"
#include "core/hex.h"
#include "core/try.h"
#include "net/broken_connection.h"
#include "store/readable_waits.h"
#include "telemetry/trace_context.h"

namespace wright::app {
namespace {

// So that a request whose answer was lost can be sent again.
std::string new_key() {
  telemetry::IdSource ids;
  return hex_of(ids.trace());
}

// The beginning of a session may be asked for again when nobody knows whether it arrived. Where
// that is still so at the end, the error says what may have come of it.
Result<Json> post_surely(RemoteApi& api, const std::string& path, const Json& body,
                         std::string_view what_may_be, const std::stop_token& stop) {
  constexpr int kAttempts = 3;
  const std::string key = new_key();
  bool has_arrived_perhaps = false;
  for (int attempt = 1;; ++attempt) {
    auto answer = api.post(path, body, stop, key);
    if (answer) return answer;
    has_arrived_perhaps = has_arrived_perhaps || net::may_have_arrived(answer.error());
    if (answer.error().code == ErrorCode::network && attempt < kAttempts) continue;
    if (has_arrived_perhaps) answer.error().message += fmt::format(". {}", what_may_be);
    return answer;
  }
}

Error error_of(const Session& session) {
  return {
      session.error_code.value_or(session.status == SessionStatus::cancelled ? ErrorCode::cancelled
                                                                             : ErrorCode::internal),
      session.error.value_or("The session was cancelled"),
      {}};
}

EventSequence last_event_in(const Json& json) {
  const Json* last = json.as_object().if_contains("last_event");
  return last != nullptr && last->is_int64() ? last->get_int64() : 0;
}

// As a run that waits tells of them. One that cannot be read is told of beside others.
Result<std::vector<PersonWait>> waits_of(Store& store, SessionId id, Console& console) {
  std::vector<PersonWait> told;
  const auto found =
      TRY(store::readable_waits(store, {.session_id = id, .status = WaitStatus::open}));
  if (found.waits.empty() && !found.damaged.empty()) {
    return std::unexpected(found.damaged.front().error);
  }
  for (const store::DamagedWait& each : found.damaged) console.remark(each.error.message);
  for (const StoredWait& wait : found.waits) {
    PersonWait one{.kind = wait.kind,
                   .shown = wait.shown,
                   .covers = wait.covers,
                   .wait_id = wait.id,
                   .session_id = wait.session_id};
    const auto calls = TRY(
        store.get_tool_calls(wait.session_id, {.page = {.after = wait.call_id - 1, .limit = 1}}));
    if (!calls.empty()) {
      one.call = {calls.front().tool_call_id, calls.front().tool_name, calls.front().request};
    }
    told.push_back(std::move(one));
  }
  return told;
}

// Older servers know texts only.
void add_message(JsonObject& body, std::string_view key, const Message& message) {
  if (message == Message::user(message.text())) {
    body[key] = message.text();
  } else {
    body["parts"] = to_json(message).at("parts");
  }
}

}  // namespace

ExitCode AgentRun::begin_at(RemoteApi& api, const std::string& agent, const Message& prompt,
                            AtServer wanted) {
  const Terminal& screen = context_.console.error();
  if (!wanted.queue) {
    display_.say(fmt::format("{}  {}", painted(agent, Colour::bold, screen),
                             painted(api.url(), Colour::dim, screen)));
  }
  JsonObject body{{"agent", agent}};
  add_message(body, "prompt", without_keys(prompt, known_keys(settings_, context_.environment)));
  if (options_.input == Input::none) body["people"] = "nobody";
  if (options_.debug) body["debug"] = *options_.debug;
  if (!options_.tenant.empty()) body["tenant"] = options_.tenant;
  if (wanted.schema) body["schema"] = *wanted.schema;
  if (wanted.queue) body["queue"] = *wanted.queue;
  const auto answer = post_surely(api, "/api/v1/sessions", body,
                                  "The session may have begun there: `wright sessions` lists it",
                                  interruption_.token());
  if (!answer) {
    const ExitCode code = failed(answer.error());
    return answer.error().code == ErrorCode::rate_limited ? ExitCode::busy : code;
  }
  const auto session = session_from(*answer);
  if (!session) return failed(session.error());
  if (wanted.queue) {
    const std::string status(to_string(session->status));
    if (options_.output == OutputFormat::json) {
      context_.console.print_json(to_text(Json{{"session_id", session->id}, {"status", status}}) +
                                  "\n");
    } else {
      context_.console.print(fmt::format("{}\n", session->id));
    }
    return ExitCode::ok;
  }
  answer_schema_ = std::move(wanted.schema);
  return follow(api, session->id, 0);
}

ExitCode AgentRun::say_at(RemoteApi& api, SessionId id, const Message& message) {
  goes_on_ = id;
  JsonObject body;
  add_message(body, "text", without_keys(message, known_keys(settings_, context_.environment)));
  if (options_.input == Input::none) body["people"] = "nobody";
  const auto answer = post_surely(
      api, fmt::format("/api/v1/sessions/{}/messages", id), body,
      fmt::format("The message may have arrived: `wright sessions show {}` shows it", id),
      interruption_.token());
  if (!answer) return failed(answer.error());
  return follow(api, id, last_event_in(*answer));
}

ExitCode AgentRun::resume_at(RemoteApi& api, SessionId id, const Settlements& settlements) {
  goes_on_ = id;
  JsonObject settled;
  for (const auto& [call, settlement] : settlements) settled[call] = to_string(settlement);
  const auto answer = api.post(fmt::format("/api/v1/sessions/{}/resume", id),
                               {{"settlements", std::move(settled)}}, interruption_.token());
  if (!answer) return failed(answer.error());
  return follow(api, id, last_event_in(*answer));
}

// As the server tells it: what it does not know of a session below is left out.
void AgentRun::print_event(const StoredEvent& event) {
  if (options_.output != OutputFormat::events) return;
  const Json line{{"type", event.type},
                  {"session_id", event.session_id},
                  {"time_ms", event.at},
                  {"sequence", event.sequence},
                  {"data", event.data}};
  context_.console.print_json(to_text(line) + "\n");
}

// The session may go on: nobody may believe that it was stopped.
Error AgentRun::not_told(const Error& error, SessionId id) {
  return {ErrorCode::network,
          fmt::format("interrupted here, but the server could not be told: session {0} may go on "
                      "there; stop it with: wright sessions cancel {0} ({1})",
                      id, error.message),
          {}};
}

// Until it ends, or waits for somebody who is not here.
ExitCode AgentRun::follow(RemoteApi& api, SessionId id, EventSequence after) {
  const auto store =
      answers_without_keys(remote_store(std::shared_ptr<RemoteApi>(&api, [](RemoteApi*) {})),
                           known_keys(settings_, context_.environment));
  RemoteEvents events;
  display_.observe(SessionStarted{id});
  while (true) {
    auto held = while_it_works_ ? while_it_works_(id) : nullptr;
    const auto listened = api.listen(
        id, after,
        [&](const StoredEvent& event) {
          after = event.sequence;
          print_event(event);
          if (event.session_id != id) return RemoteApi::Listening::go_on;
          if (event.type == "run_ended" || event.type == "run_waiting") {
            return RemoteApi::Listening::enough;
          }
          if (event.type == "session_started") return RemoteApi::Listening::go_on;
          events.tell(event, [this](const Event& told) { display_.observe(told); });
          return RemoteApi::Listening::go_on;
        },
        interruption_.token());
    held.reset();
    if (!listened && listened.error().code == ErrorCode::cancelled) {
      // Ctrl-C here is Ctrl-C there, if the server hears of it.
      const auto told = api.post(fmt::format("/api/v1/sessions/{}/cancel", id),
                                 {{"reason", "The run was cancelled"}});
      const auto session = told ? Result<Session>() : store->get_session(id);
      const bool has_ended = told || (session && session->ended_at);
      return failed(has_ended ? listened.error() : not_told(told.error(), id));
    }
    if (!listened) return failed(listened.error());
    const auto session = store->get_session(id);
    if (!session) return failed(session.error());
    if (session->status == SessionStatus::running || session->status == SessionStatus::queued) {
      continue;  // it has gone on already
    }
    if (session->status != SessionStatus::waiting) return concluded(*session);
    auto waits = waits_of(*store, id, context_.console);
    if (!waits) return failed(waits.error());
    if (waits->empty()) continue;
    display_.hide();
    const RunResult waiting_result{
        .status = RunResult::Status::waiting, .waits = *waits, .session_id = id};
    if (!has_person()) return waiting(waiting_result);
    const auto given = answer_at_terminal(*waits, *store, context_, interruption_.token());
    if (!given) return failed(given.error());
    if (*given == PersonAnswered::no) return waiting(waiting_result);
    display_.show();
  }
}

ExitCode AgentRun::concluded(const Session& session) {
  display_.hide();
  if (session.status != SessionStatus::completed) return failed(error_of(session));
  return answered({.text = session.result.value_or(""),
                   .session_id = session.id,
                   .iterations = session.iterations,
                   .usage = session.usage});
}

}  // namespace wright::app
