#include "app/commands/agent_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "app/commands/interrupted_sessions.h"
#include "app/settings/paths.h"
#include "app/terminal/log_output.h"
#include "app/terminal/person/person_answers.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/transcript.h"
#include "app/wiring/answers_without_keys.h"
#include "app/wiring/debug_wiring.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/project_files.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/session_store.h"
#include "app/wiring/telemetry_wiring.h"
#include "runtime/event_json.h"
#include "server/caller_tools.h"

namespace wright::app {

AgentRun::AgentRun(AgentRunOptions options, const Settings& settings, CommandContext context)
    : options_(std::move(options)),
      settings_(settings),
      context_(context),
      display_({options_.output, options_.verbosity, options_.streaming}, context.console) {
  display_.begin();
  interruption_.watch([this] { display_.say("  ending the run; Ctrl-C again quits at once"); });
}

ExitCode AgentRun::begin(ReadyAgent agent, const Message& prompt) {
  const auto first = [&](Store& store, const Agent& made, const RunOptions& options) {
    auto said = hooks_->submitted(prompt, 0, options.stop);
    return said ? wright::run(store, made, std::move(*said), options)
                : Result<RunResult>(std::unexpected(said.error()));
  };
  return run(std::move(agent), nullptr, first);
}

ExitCode AgentRun::resume(ReadyAgent agent, const Session& session,
                          const Settlements& settlements) {
  goes_on_ = session.id;
  const auto first = [&](Store& store, const Agent& made, RunOptions options) {
    options.settlements = settlements;
    options.reopens = !options_.only_interrupted;
    auto answer = wright::resume(store, made, session.id, options);
    was_taken_ = !answer && session_id() == 0 && was_taken(store, session.id);
    return answer;
  };
  return run(std::move(agent), session.config, first);
}

ExitCode AgentRun::run(ReadyAgent ready, const Json& stored, const First& first) {
  hooks_ = ready.hooks;
  *ready.on_index = [this](const IndexProgress& index) { display_.show_index(index); };
  DebugOptions debug = debug_of(ready.chosen.agent, settings_, options_.debug);
  const bool is_verbose = debug.enabled && debug.verbose_logging;
  auto logger = make_logger(
      settings_, [this](std::string_view line) { display_.log(line); },
      is_verbose ? LogLevel::debug : LogLevel::off);
  if (!logger) {
    display_.hide();
    context_.console.complain(logger.error().message);
    return ExitCode::usage;
  }
  *logger = traced(context_.telemetry, *logger);
  debug.logger = *logger;
  const ResponseFormat& format = ready.chosen.agent.sampling.response_format;
  if (format.kind == ResponseFormat::Kind::json_schema) {
    answer_schema_ = format.schema;
    display_.show_no_text();
  }
  Json config = config_with_trace(session_config(ready, settings_), context_.environment);
  const std::vector<std::string> notes = std::move(ready.notes);
  auto wished = server::with_wishes_of_caller(
      finished(std::move(ready), settings_, *logger, tell_content(context_.telemetry)), stored);
  if (!wished) return failed(wished.error());
  Agent agent = std::move(*wished);
  agent.debug = std::move(debug);
  display_.trace_with(TraceLog(*logger, agent));
  const Terminal& screen = context_.console.error();
  display_.say(
      fmt::format("{}  {}", painted(agent.name, Colour::bold, screen),
                  painted(place_of(agent, settings_, context_.environment), Colour::dim, screen)));
  if (options_.verbosity == Verbosity::normal) {
    for (const std::string& note : notes) context_.console.remark(note);
  }
  auto store = open_store(settings_, *logger);
  if (!store) return failed(store.error());
  *store = answers_without_keys(std::move(*store), known_keys(settings_, context_.environment));
  // Sessions of processes that were killed are free to be taken.
  if (auto ended = end_dead_runners(**store); !ended) return failed(ended.error());
  const RunOptions options = run_options(std::move(config), stored);
  const auto began = std::chrono::steady_clock::now();
  bool was_asked = false;
  Result<RunResult> answer = first(**store, agent, options);
  while (answer && answer->status == RunResult::Status::waiting && has_person()) {
    display_.hide();
    context_.console.notify(words_about_waits(answer->waits));
    was_asked = true;
    const auto given = answer_at_terminal(answer->waits, **store, context_, interruption_.token());
    if (!given) return failed(given.error());
    if (*given == PersonAnswered::no) break;
    display_.show();
    answer = wright::resume(**store, agent, display_.record().session_id(), options);
  }
  display_.hide();
  const bool was_long =
      std::chrono::steady_clock::now() - began > settings_.duration(keys::kTerminalNotifyAfter);
  if (answer && answer->status == RunResult::Status::waiting) {
    // Who was asked knows.
    if (!was_asked) context_.console.notify(words_about_waits(answer->waits));
  } else if (was_long && !interruption_.has_happened()) {
    context_.console.notify(fmt::format("{} is done", agent.name));
  }
  if (!answer) return broken_off(std::move(answer).error(), **store);
  return answer->status == RunResult::Status::waiting ? waiting(*answer) : answered(*answer);
}

RunOptions AgentRun::run_options(Json config, const Json& stored) {
  const bool tells_events = options_.output == OutputFormat::events;
  const auto observe = [this, tells_events, hooks = hooks_->hooks](const Event& event,
                                                                   const EventOrigin& origin) {
    if (tells_events) print_event(event, origin);
    show_and_tell_hooks(event, origin, display_, *hooks);
  };
  RunOptions options{
      .observer = observe,
      .stop = interruption_.token(),
      .delivery = display_.is_streamed() || tells_events ? Delivery::streamed : Delivery::whole,
      .config = std::move(config),
      .tenant = options_.tenant,
      .people = options_.input == Input::none ? People::nobody : People::may_answer_later};
  // A caller answers, who is a program and no person.
  if (!server::caller_tools_of(stored).empty()) options.people = People::may_answer_later;
  trace_with(context_.telemetry, options);
  return options;
}

void AgentRun::print_event(const Event& event, const EventOrigin& origin) {
  const Json line{{"type", runtime::type_of(event)},
                  {"session_id", origin.session_id},
                  {"parent_session_id", origin.parent_session_id.value_or(0)},
                  {"depth", origin.depth},
                  {"agent", origin.agent},
                  {"time_ms", origin.time_ms},
                  {"sequence", origin.sequence},
                  {"data", runtime::data_of(event)}};
  context_.console.print_json(to_text(line) + "\n");
}

// The last thing on standard output, of those who asked for JSON.
void AgentRun::print_result(Json json) {
  if (options_.output == OutputFormat::events) {
    json = JsonObject{{"type", "result"}, {"data", std::move(json)}};
  } else if (options_.output != OutputFormat::json) {
    return;
  }
  context_.console.print_json(to_text(json) + "\n");
}

// Somebody who can be asked right now.
bool AgentRun::has_person() const {
  return options_.input == Input::terminal && options_.output == OutputFormat::text &&
         !interruption_.has_happened() && has_person_at_terminal(context_.console);
}

ExitCode AgentRun::answered(const RunResult& answer) {
  Console& console = context_.console;
  std::optional<Json> value;
  if (answer_schema_) {
    auto json = answer_json(answer.text, *answer_schema_);
    if (!json) return failed(json.error());
    value = std::move(*json);
  }
  Json json = display_.record().json("completed", &answer.text, nullptr);
  if (value) json.as_object()["value"] = *value;
  print_result(std::move(json));
  if (options_.output == OutputFormat::text && value) {
    console.print_json(to_text(*value) + "\n");
  }
  if (!value) display_.print_answer(answer.text);
  display_.conclude("✓", Colour::green);
  return ExitCode::ok;
}

ExitCode AgentRun::waiting(const RunResult& answer) {
  Json json = display_.record().json("waiting", nullptr, nullptr);
  json.as_object()["waits"] = runtime::waits_json(answer.waits);
  print_result(std::move(json));
  tell_waits(display_.record().session_id(), answer.waits, context_.console);
  display_.conclude("…", Colour::yellow);
  return ExitCode::waiting;
}

// A session that has not ended is as far as it was stored. Whoever drives it instead needs no word.
ExitCode AgentRun::broken_off(Error error, Store& store) {
  was_broken_off_ = error.code == ErrorCode::storage || error.code == ErrorCode::unavailable;
  const SessionId id = session_id();
  if (id == 0 || error.find("runner") != nullptr) return failed(error);
  const auto session = store.get_session(id);
  if (session && session->status != SessionStatus::running) return failed(error);
  was_broken_off_ = true;
  const std::string_view full_stop = error.message.ends_with('.') ? "" : ".";
  error.message += fmt::format(
      "{} Session {} has not ended and stays as far as it was stored: `wright resume {}` goes on "
      "with it",
      full_stop, id, id);
  return failed(error);
}

ExitCode AgentRun::failed(const Error& error) {
  display_.hide();
  if (was_taken_ && options_.only_interrupted) {
    if (options_.verbosity == Verbosity::normal) context_.console.remark(error.message + ".");
    return ExitCode::ok;
  }
  const bool is_cancelled = error.code == ErrorCode::cancelled;
  // What a model had said before a limit was reached is better than nothing.
  const std::string best = answer_of(error);
  const std::string_view status = is_cancelled ? "cancelled" : "failed";
  Json json = display_.record().json(status, best.empty() ? nullptr : &best, &error);
  // Where it could not go on, it has not told of itself.
  if (session_id() == 0 && goes_on_ != 0) json.as_object()["session_id"] = goes_on_;
  print_result(std::move(json));
  if (options_.output == OutputFormat::text && !best.empty()) {
    display_.print_answer(best);
  }
  if (is_cancelled && was_stopped()) {
    context_.console.complain("interrupted; the session is stored as cancelled");
  } else {
    context_.console.complain(error.message);
  }
  display_.conclude("✗", is_cancelled ? Colour::yellow : Colour::red);
  return is_cancelled ? ExitCode::interrupted : ExitCode::failed;
}

std::string place_of(const Agent& agent, const Settings& settings, const Environment& environment) {
  std::error_code error;
  const auto base = std::filesystem::weakly_canonical(settings.base_path(), error);
  return fmt::format("{} · {}", model_label(agent.model.provider(), agent.model.name()),
                     on_one_line(shorten_home(error ? settings.base_path() : base, environment)));
}

}  // namespace wright::app
