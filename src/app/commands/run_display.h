// What a person sees of a run: progress while it works, the answer as it comes, and how it ended.
// Shared by the commands that run agents.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "app/commands/command_line.h"
#include "app/commands/run_record.h"
#include "app/commands/trace_log.h"
#include "app/terminal/answer_stream.h"
#include "app/terminal/console.h"
#include "app/terminal/progress.h"
#include "project/hooks.h"

namespace wright::app {

struct DisplayOptions {
  OutputFormat output = OutputFormat::text;
  Verbosity verbosity = Verbosity::normal;
  Streaming streaming = Streaming::automatic;
};

class RunDisplay {
 public:
  RunDisplay(DisplayOptions options, Console& console) : options_(options), console_(console) {}

  // A new run: what the last one did is forgotten.
  void begin();
  // Progress is shown from now on, until hide().
  void show();
  void hide();

  void observe(const Event& event);
  // Of a specialist's session.
  void observe_below(const Event& event) { record_.observe_below(event); }
  void trace_with(TraceLog trace) { trace_ = std::move(trace); }

  // These two and the next one may come from any thread. A line for a person who sees progress.
  void say(std::string_view line);
  // A finished line for standard error; a moving line makes room for it.
  void log(std::string_view line);
  void show_index(const IndexProgress& index);
  void show_typed(std::string_view text);

  bool is_streamed() const;
  // An answer that may be refused is not shown as it comes.
  void show_no_text();
  // Unless it has been shown as it came.
  void print_answer(const std::string& text);
  // Feedback, beside the answer and never in it, and the summary.
  void conclude(std::string_view marker, Colour colour);

  const RunRecord& record() const { return record_; }

 private:
  const DisplayOptions options_;
  Console& console_;
  RunRecord record_;
  TraceLog trace_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::mutex progress_mutex_;  // it is used by the thread that hears Ctrl-C, and replaced
  std::unique_ptr<Progress> progress_;
  std::optional<AnswerStream> stream_;
  bool shows_text_ = true;
};

// Shows an event of the session at the top, and tells the hooks of it; what is wrong with those is
// shown as well.
void show_and_tell_hooks(const Event& event, const EventOrigin& origin, RunDisplay& display,
                         const project::Hooks& hooks);

}  // namespace wright::app
