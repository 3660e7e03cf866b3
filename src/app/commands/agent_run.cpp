#include "app/commands/agent_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "app/settings/paths.h"
#include "app/terminal/log_output.h"
#include "app/terminal/markdown_stream.h"
#include "app/terminal/person/person_answers.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/terminal/transcript.h"
#include "app/wiring/debug_wiring.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/session_store.h"

namespace wright::app {

AgentRun::AgentRun(AgentRunOptions options, const Settings& settings, Surroundings around)
    : options_(options), settings_(settings), around_(around) {
  show_progress();
  interruption_.watch([this] { say("  ending the run; Ctrl-C again quits at once"); });
}

void AgentRun::show_progress() {
  stream_.reset();
  progress_.reset();
  if (options_.verbosity == Verbosity::normal) {
    progress_ = std::make_unique<Progress>(
        around_.console.error(), [&](std::string_view text) { around_.console.note(text); });
  }
  if (is_streamed()) {
    stream_.emplace(around_.console, progress_.get(),
                    is_rendered() ? AnswerText::rendered : AnswerText::as_it_is);
  }
}

ExitCode AgentRun::begin(ReadyAgent agent, const std::string& prompt) {
  return run(std::move(agent), [&](const Agent& made, const RunOptions& options) {
    return wright::run(made, prompt, options);
  });
}

ExitCode AgentRun::resume(ReadyAgent agent, SessionId id, const Settlements& settlements) {
  return run(std::move(agent), [&](const Agent& made, const RunOptions& options) {
    return wright::resume(made, id, options, settlements);
  });
}

ExitCode AgentRun::run(ReadyAgent ready, const First& first) {
  *ready.on_index = [this](const IndexProgress& index) {
    if (progress_) progress_->show_index(index);
  };
  DebugOptions debug = debug_of(ready.chosen.agent, settings_, options_.debug);
  const bool is_verbose = debug.enabled && debug.verbose_logging;
  const auto logger = make_logger(
      settings_, [this](std::string_view line) { log(line); },
      is_verbose ? LogLevel::debug : LogLevel::off);
  if (!logger) {
    if (progress_) progress_->stop();
    around_.console.complain(logger.error().message);
    return ExitCode::usage;
  }
  debug.logger = *logger;
  const ResponseFormat& format = ready.chosen.agent.sampling.response_format;
  if (format.kind == ResponseFormat::Kind::json_schema) {
    answer_schema_ = format.schema;
    stream_.reset();  // an answer that is refused was never one
  }
  Json config = session_config(ready, settings_);
  const std::vector<std::string> notes = std::move(ready.notes);
  Agent agent = finished(std::move(ready), settings_, *logger);
  agent.debug = std::move(debug);
  trace_ = TraceLog(*logger, agent);
  say(fmt::format("{}  {}", painted(agent.name, Colour::bold, around_.console.error()),
                  painted(place_of(agent, settings_, around_.environment), Colour::dim,
                          around_.console.error())));
  if (options_.verbosity == Verbosity::normal) {
    for (const std::string& note : notes) around_.console.remark(note);
  }
  auto store = open_store(settings_);
  if (!store) return failed(store.error());
  // Sessions of processes that were killed are free to be taken.
  if (auto ended = end_dead_runners(**store); !ended) return failed(ended.error());
  const RunOptions options = run_options(**store, std::move(config));
  Result<Answer> answer = first(agent, options);
  while (answer && answer->status == Answer::Status::waiting && has_person()) {
    if (progress_) progress_->stop();
    const auto given = answer_at_terminal(answer->waits, **store, around_, interruption_.token());
    if (!given) return failed(given.error());
    if (*given == PersonAnswered::no) break;
    show_progress();
    answer = wright::resume(agent, record_.session_id(), options);
  }
  if (progress_) progress_->stop();
  if (!answer) return failed(answer.error());
  return answer->status == Answer::Status::waiting ? waiting(*answer) : answered(*answer);
}

RunOptions AgentRun::run_options(Store& store, Json config) {
  return {.store = &store,
          .observer = [this](const Event& event) { observe(event); },
          .stop = interruption_.token(),
          .delivery = stream_ ? Delivery::streamed : Delivery::whole,
          .config = std::move(config),
          .people = options_.input == Input::none ? People::nobody : People::may_answer_later};
}

bool AgentRun::is_streamed() const {
  if (answer_schema_) return false;
  if (options_.output != OutputFormat::text) return false;
  if (options_.streaming != Streaming::automatic) return options_.streaming == Streaming::on;
  return around_.console.output().is_terminal;
}

bool AgentRun::is_rendered() const {
  return around_.console.output().has_colour;
}

void AgentRun::print_text(const std::string& text) {
  Console& console = around_.console;
  if (is_rendered()) {
    console.print(rendered_markdown(text, console.output().columns));
  } else {
    console.print_foreign(text);
  }
  if (!text.ends_with('\n')) console.print("\n");
}

// Somebody who can be asked right now.
bool AgentRun::has_person() const {
  return options_.input == Input::terminal && options_.output == OutputFormat::text &&
         !interruption_.has_happened() && has_person_at_terminal(around_.console);
}

void AgentRun::observe(const Event& event) {
  record_.observe(event);
  trace_.observe(event);
  if (stream_) stream_->observe(event);
  if (progress_) progress_->observe(event);
}

void AgentRun::say(std::string_view line) {
  if (progress_) progress_->say(line);
}

// A finished line for standard error; a moving line makes room for it.
void AgentRun::log(std::string_view line) {
  if (!progress_) return around_.console.note(line);
  if (line.ends_with('\n')) line.remove_suffix(1);
  progress_->say(line);
}

ExitCode AgentRun::answered(const Answer& answer) {
  Console& console = around_.console;
  std::optional<Json> value;
  if (answer_schema_) {
    auto json = answer_json(answer.text, *answer_schema_);
    if (!json) return failed(json.error());
    value = std::move(*json);
  }
  if (options_.output == OutputFormat::json) {
    Json json = record_.json("completed", &answer.text, nullptr);
    if (value) json.as_object()["value"] = *value;
    console.print_json(to_text(json) + "\n");
  } else if (options_.output == OutputFormat::text && value) {
    console.print_json(to_text(*value) + "\n");
  } else if (options_.output == OutputFormat::text && !(stream_ && stream_->has_printed_answer())) {
    // On a terminal both streams meet: space keeps the answer apart from the progress.
    const bool is_shared = progress_ && console.output().is_terminal && console.error().is_terminal;
    if (is_shared) console.note("\n");
    print_text(answer.text);
    if (is_shared) console.note("\n");
  }
  show_feedback();
  conclude("✓", Colour::green);
  return ExitCode::ok;
}

ExitCode AgentRun::waiting(const Answer& answer) {
  Console& console = around_.console;
  if (options_.output == OutputFormat::json) {
    Json json = record_.json("waiting", nullptr, nullptr);
    JsonArray waits;
    for (const PersonWait& wait : answer.waits) {
      waits.push_back({{"wait_id", wait.wait_id},
                       {"session_id", wait.session_id},
                       {"call_id", wait.call.id},
                       {"name", wait.call.name},
                       {"kind", to_string(wait.kind)},
                       {"shown", wait.shown}});
    }
    json.as_object()["waits"] = std::move(waits);
    console.print_json(to_text(json) + "\n");
  }
  tell_waits(record_.session_id(), answer.waits, console);
  show_feedback();
  conclude("…", Colour::yellow);
  return ExitCode::waiting;
}

ExitCode AgentRun::failed(const Error& error) {
  if (progress_) progress_->stop();
  const bool is_cancelled = error.code == ErrorCode::cancelled;
  // What a model had said before a limit was reached is better than nothing.
  const std::string best = answer_of(error);
  if (options_.output == OutputFormat::json) {
    const std::string_view status = is_cancelled ? "cancelled" : "failed";
    around_.console.print_json(
        to_text(record_.json(status, best.empty() ? nullptr : &best, &error)) + "\n");
  } else if (options_.output == OutputFormat::text && !best.empty() &&
             !(stream_ && stream_->has_printed_answer())) {
    print_text(best);
  }
  if (is_cancelled) {
    around_.console.complain("interrupted; the session is stored as cancelled");
  } else {
    around_.console.complain(error.message);
  }
  show_feedback();
  conclude("✗", is_cancelled ? Colour::yellow : Colour::red);
  return is_cancelled ? ExitCode::interrupted : ExitCode::failed;
}

// Beside the answer, never in it: who pipes the answer on gets the answer.
void AgentRun::show_feedback() {
  if (!record_.feedback() || options_.output != OutputFormat::text) return;
  around_.console.note("\n" + sanitised(to_text(*record_.feedback())) + "\n");
}

void AgentRun::conclude(std::string_view marker, Colour colour) {
  if (!progress_) return;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began_;
  const Terminal& terminal = around_.console.error();
  const std::string line =
      fmt::format("  {} {}\n", painted(marker, colour, terminal),
                  painted(record_.summary(took.count()), Colour::dim, terminal));
  around_.console.note(terminal.is_terminal ? fitted_lines(line, terminal.columns) : line);
}

std::string place_of(const Agent& agent, const Settings& settings, const Environment& environment) {
  std::error_code error;
  const auto base = std::filesystem::weakly_canonical(settings.base_path(), error);
  return fmt::format("{} · {}", model_label(agent.model.provider(), agent.model.name()),
                     on_one_line(shorten_home(error ? settings.base_path() : base, environment)));
}

}  // namespace wright::app
