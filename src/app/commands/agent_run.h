// One agent at work for a command: shows its progress, asks the person at the terminal what it
// waits for, and prints what came of it. Shared by the commands that begin and that resume
// sessions.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/run_record.h"
#include "app/commands/trace_log.h"
#include "app/terminal/answer_stream.h"
#include "app/terminal/interruption.h"
#include "app/wiring/ready_agent.h"
#include "wright/resume.h"

namespace wright::app {

struct AgentRunOptions {
  OutputFormat output = OutputFormat::text;
  Verbosity verbosity = Verbosity::normal;
  Streaming streaming = Streaming::automatic;
  Input input = Input::terminal;
  std::optional<bool> debug = {};  // absent: as the settings say
};

class AgentRun {
 public:
  AgentRun(AgentRunOptions options, const Settings& settings, Surroundings around);

  ExitCode begin(ReadyAgent agent, const std::string& prompt);
  ExitCode resume(ReadyAgent agent, SessionId id, const Settlements& settlements);

 private:
  using First = std::function<Result<Answer>(const Agent&, const RunOptions&)>;

  ExitCode run(ReadyAgent ready, const First& first);
  RunOptions run_options(Store& store, Json config);
  void show_progress();
  bool is_streamed() const;
  bool is_rendered() const;
  void print_text(const std::string& text);
  bool has_person() const;
  void observe(const Event& event);
  void say(std::string_view line);
  void log(std::string_view line);
  ExitCode answered(const Answer& answer);
  ExitCode waiting(const Answer& answer);
  ExitCode failed(const Error& error);
  void show_feedback();
  void conclude(std::string_view marker, Colour colour);

  const AgentRunOptions options_;
  const Settings& settings_;
  Surroundings around_;
  RunRecord record_;
  TraceLog trace_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::unique_ptr<Progress> progress_;
  std::optional<AnswerStream> stream_;
  std::optional<Json> answer_schema_;  // answers are JSON that fits it
  Interruption interruption_;          // last: its thread uses the progress
};

// The model and the folder an agent works with, for a person.
std::string place_of(const Agent& agent, const Settings& settings, const Environment& environment);

}  // namespace wright::app
