// `wright run`: one agent, one prompt, one answer.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <memory>

#include "app/answer_stream.h"
#include "app/commands.h"
#include "app/figures.h"
#include "app/interruption.h"
#include "app/log_output.h"
#include "app/model_wiring.h"
#include "app/paths.h"
#include "app/progress.h"
#include "app/screen_text.h"
#include "app/session_config.h"
#include "app/standard_input.h"
#include "app/tool_execution.h"
#include "app/transcript.h"
#include "app/wiring.h"
#include "wright/driver.h"
#include "wright/store.h"

namespace wright::app {
namespace {

// What happened, gathered from the events: a run that fails returns only its error.
class Record {
 public:
  void observe(const Event& event) {
    if (const auto* started = std::get_if<SessionStarted>(&event)) {
      session_id_ = started->session_id;
    } else if (const auto* ended = std::get_if<ModelEnded>(&event)) {
      ++iterations_;
      usage_ += ended->response.usage;
    } else if (const auto* tool = std::get_if<ToolEnded>(&event)) {
      add(tool->call, tool->outcome);
    }
  }

  std::int64_t session_id() const { return session_id_; }

  Json json(std::string_view status, const std::string* answer, const Error* error) const {
    JsonObject json{{"session_id", session_id_ == 0 ? Json(nullptr) : Json(session_id_)},
                    {"status", status},
                    {"answer", answer != nullptr ? Json(*answer) : Json(nullptr)},
                    {"usage", to_json(usage_)},
                    {"iterations", iterations_},
                    {"tool_calls", tool_calls_},
                    {"error", nullptr}};
    if (error != nullptr) {
      json["error"] = {{"code", to_string(error->code)}, {"message", error->message}};
    }
    return json;
  }

  // "session 12 · 3 turns · 2 tool calls · 150 tokens in, 40 out · 0.4 s"
  std::string summary(double duration_ms) const {
    std::string text;
    if (session_id_ != 0) text += fmt::format("session {} · ", session_id_);
    text += fmt::format("{} · {} · ", show_counted(iterations_, "turn"),
                        show_counted(std::ssize(tool_calls_), "tool call"));
    if (usage_.input_tokens + usage_.output_tokens > 0) {
      text += fmt::format("{} tokens in, {} out · ", show_count(usage_.input_tokens),
                          show_count(usage_.output_tokens));
    }
    if (usage_.cost_usd > 0) text += fmt::format("{} · ", show_cost(usage_.cost_usd));
    return text + show_duration(duration_ms);
  }

 private:
  void add(const ToolCall& call, const ToolOutcome& outcome) {
    auto arguments = parse_json(call.arguments);
    std::string_view status = outcome.result.is_error ? "failed" : "completed";
    if (outcome.waiting) status = "waiting";
    JsonObject json{{"id", call.id},
                    {"name", call.name},
                    {"arguments", arguments ? std::move(*arguments) : Json(call.arguments)},
                    {"status", status},
                    {"duration_ms", outcome.duration_ms}};
    if (!outcome.error.empty()) json["error"] = outcome.error;
    tool_calls_.push_back(std::move(json));
  }

  std::int64_t session_id_ = 0;
  int iterations_ = 0;
  Usage usage_;
  JsonArray tool_calls_;
};

// The prompt of the command line or of standard input; absent after a complaint.
std::optional<std::string> prompt_or_complain(const RunCommand& command, Console& console) {
  std::string prompt = command.prompt.value_or("-");
  if (prompt == "-") {
    if (!command.prompt && standard_input_is_terminal()) {
      console.complain("the prompt is missing",
                       fmt::format("Write it after the agent: wright run {} \"…\"; or pipe it in.",
                                   command.agent));
      return std::nullopt;
    }
    auto input = read_standard_input();
    if (!input) {
      console.complain(input.error().message);
      return std::nullopt;
    }
    prompt = std::move(*input);
    while (prompt.ends_with('\n') || prompt.ends_with('\r')) prompt.pop_back();
  }
  if (on_one_line(prompt).empty()) {
    console.complain("the prompt is empty", "Say what the agent should do.");
    return std::nullopt;
  }
  return to_valid_utf8(std::move(prompt));
}

// A name that means no model is a slip of the hand; a key that is missing is a run that fails.
std::optional<Error> problem_with_model(const std::string& id, const Models& models) {
  if (id == "offline" || id == "offline:planner") return std::nullopt;
  const auto endpoint = models.endpoint(id);
  if (endpoint || endpoint.error().code == ErrorCode::authentication) return std::nullopt;
  return endpoint.error();
}

class RunCommandExecution {
 public:
  RunCommandExecution(const RunCommand& command, const Settings& settings, Surroundings around)
      : command_(command), settings_(settings), around_(around) {
    if (command.verbosity == Verbosity::normal) {
      progress_ = std::make_unique<Progress>(
          around.console.error(), [&](std::string_view text) { around_.console.note(text); });
    }
    if (is_streamed()) stream_.emplace(around_.console, progress_.get());
    interruption_.watch([this] { say("  ending the run; Ctrl-C again quits at once"); });
  }

  // Settles what the agent's calls go through, then runs it.
  ExitCode run(Agent agent, const std::string& prompt) {
    const auto logger = make_logger(settings_, [this](std::string_view line) { log(line); });
    if (!logger) {
      if (progress_) progress_->stop();
      around_.console.complain(logger.error().message);
      return ExitCode::usage;
    }
    agent.interceptors =
        make_interceptors(canonical_agent_name(command_.agent), settings_, *logger);
    say(fmt::format("{}  {}", painted(agent.name, Colour::bold, around_.console.error()),
                    painted(place_of(agent), Colour::dim, around_.console.error())));
    auto store = open_store();
    if (!store) return failed(store.error());
    const auto answer = wright::run(agent, prompt,
                                    {.store = store->get(),
                                     .observer = [this](const Event& event) { observe(event); },
                                     .stop = interruption_.token(),
                                     .delivery = stream_ ? Delivery::streamed : Delivery::whole,
                                     .config = session_config(agent, settings_)});
    if (progress_) progress_->stop();
    if (!answer) return failed(answer.error());
    return answer->status == Answer::Status::waiting ? waiting(*answer) : answered(*answer);
  }

 private:
  bool is_streamed() const {
    if (command_.output == OutputFormat::json) return false;
    if (command_.streaming != Streaming::automatic) return command_.streaming == Streaming::on;
    return around_.console.output().is_terminal;
  }

  std::string place_of(const Agent& agent) const {
    std::error_code error;
    const auto base = std::filesystem::weakly_canonical(settings_.base_path(), error);
    return fmt::format(
        "{} · {}", model_label(agent.model.provider(), agent.model.name()),
        on_one_line(shorten_home(error ? settings_.base_path() : base, around_.environment)));
  }

  Result<std::unique_ptr<Store>> open_store() const {
    const auto path = settings_.database_path();
    if (path.empty()) {
      return fail(ErrorCode::invalid_argument,
                  "There is no home folder to keep sessions in. Set --database-path");
    }
    return open_sqlite_store(path);
  }

  void observe(const Event& event) {
    record_.observe(event);
    if (stream_) stream_->observe(event);
    if (progress_) progress_->observe(event);
  }

  void say(std::string_view line) {
    if (progress_) progress_->say(line);
  }

  // A finished line for standard error; a moving line makes room for it.
  void log(std::string_view line) {
    if (!progress_) return around_.console.note(line);
    if (line.ends_with('\n')) line.remove_suffix(1);
    progress_->say(line);
  }

  ExitCode answered(const Answer& answer) {
    Console& console = around_.console;
    if (command_.output == OutputFormat::json) {
      console.print(to_text(record_.json("completed", &answer.text, nullptr)) + "\n");
    } else if (!stream_ || !stream_->has_printed_answer()) {
      // On a terminal both streams meet: space keeps the answer apart from the progress.
      const bool is_shared =
          progress_ && console.output().is_terminal && console.error().is_terminal;
      if (is_shared) console.note("\n");
      console.print_foreign(answer.text.ends_with('\n') ? answer.text : answer.text + "\n");
      if (is_shared) console.note("\n");
    }
    conclude("✓", Colour::green);
    return ExitCode::ok;
  }

  ExitCode waiting(const Answer& answer) {
    Console& console = around_.console;
    if (command_.output == OutputFormat::json) {
      Json json = record_.json("waiting", nullptr, nullptr);
      JsonArray waits;
      for (const PersonWait& wait : answer.waits) {
        waits.push_back(
            {{"call_id", wait.call.id}, {"name", wait.call.name}, {"shown", wait.shown}});
      }
      json.as_object()["waits"] = std::move(waits);
      console.print(to_text(json) + "\n");
    }
    for (const PersonWait& wait : answer.waits) {
      console.complain(fmt::format("{} waits for a person", wait.call.name),
                       to_pretty_text(wait.shown));
    }
    say("  The session is kept. Answering is not in this version: to go without a person, change "
        "the "
        "rule in [permissions] and run again.");
    conclude("…", Colour::yellow);
    return ExitCode::waiting;
  }

  ExitCode failed(const Error& error) {
    if (progress_) progress_->stop();
    const bool is_cancelled = error.code == ErrorCode::cancelled;
    if (command_.output == OutputFormat::json) {
      const std::string_view status = is_cancelled ? "cancelled" : "failed";
      around_.console.print(to_text(record_.json(status, nullptr, &error)) + "\n");
    }
    if (is_cancelled) {
      around_.console.complain("interrupted; the session is stored as cancelled");
    } else {
      around_.console.complain(error.message);
    }
    conclude("✗", is_cancelled ? Colour::yellow : Colour::red);
    return is_cancelled ? ExitCode::interrupted : ExitCode::failed;
  }

  void conclude(std::string_view marker, Colour colour) {
    if (!progress_) return;
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - began_;
    const Terminal& terminal = around_.console.error();
    around_.console.note(
        fmt::format("  {} {}\n", painted(marker, colour, terminal),
                    painted(record_.summary(took.count()), Colour::dim, terminal)));
  }

  const RunCommand& command_;
  const Settings& settings_;
  Surroundings around_;
  Record record_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::unique_ptr<Progress> progress_;
  std::optional<AnswerStream> stream_;
  Interruption interruption_;  // last: its thread uses the progress
};

}  // namespace

ExitCode execute(const RunCommand& command, Surroundings around) {
  const auto settings = settings_or_complain(command.settings, around);
  if (!settings) return ExitCode::usage;
  const auto models = make_models(*settings, command.settings, around.environment);
  if (!models) {
    around.console.complain(models.error().message, "See `wright help models`.");
    return ExitCode::usage;
  }
  if (const auto error = problem_with_model(settings->model(), *models)) {
    around.console.complain(error->message);
    return ExitCode::usage;
  }
  make_output_folder(*settings);
  auto agent = make_agent(command.agent, *settings, models->get(settings->model()));
  if (!agent) {
    around.console.complain(agent.error().message,
                            "`wright agents` lists the agents, `wright "
                            "config` the settings.");
    return ExitCode::usage;
  }
  if (const auto ready = check_needs(command.agent, *settings); !ready) {
    around.console.complain(ready.error().message);
    return ExitCode::usage;
  }
  const auto prompt = prompt_or_complain(command, around.console);
  if (!prompt) return ExitCode::usage;
  return RunCommandExecution(command, *settings, around).run(std::move(*agent), *prompt);
}

}  // namespace wright::app
