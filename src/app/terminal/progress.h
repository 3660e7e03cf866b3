// Shows a run while it happens, on standard error: tools with their arguments and durations, turns
// and tokens, and on a terminal a line that moves.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/terminal/terminal.h"
#include "tools/plan/plan.h"
#include "wright/events.h"
#include "wright/tools.h"

namespace wright::app {

// One line for a call's arguments: `pattern="retry" glob="*.cpp"`, each value shortened; broken
// JSON as it is. At most `columns` wide and harmless on a terminal.
std::string summary_of_arguments(std::string_view arguments, std::size_t columns);

// "Reading files ████████░░░░ 4,300 of 10,000", at most `columns` wide.
std::string progress_bar(const IndexProgress& index, std::size_t columns);

// Safe to use from several threads.
class Progress {
 public:
  using Writer = std::function<void(std::string_view)>;

  Progress(const Terminal& terminal, Writer write);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void observe(const Event& event);

  // How far the index of entities is. A bar in place of the moving line, on a terminal only.
  void show_index(const IndexProgress& index);

  // What a person types meanwhile, at the end of the moving line; empty: nothing.
  void show_typed(std::string_view text);

  // A line of its own; the moving line makes room for it.
  void say(std::string_view line);

  // While something else writes to the terminal, the moving line is not drawn.
  void stand_still();
  void move_on();

  // What the model says beside its answer, on a line of its own.
  void remark(std::string_view text);

  // What the model said stands on the screen already.
  void has_been_shown(std::string_view text);

  // Ends the moving line; nothing more is drawn.
  void stop();

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Activity {
    std::string call_id;
    std::string text;
    SteadyTime since;
    std::string latest = {};  // the last line that it said of itself
  };

  void on(const SessionStarted& event);
  void on(const ModelStarted& event);
  void on(const TextDelta& event);
  void on(const ModelRetried& event);
  void on(const ModelEnded& event);
  void on(const ContextShortened& event);
  void on(const ToolProgress& event);
  void on(const ChildStarted& event);
  void on(const HandedOff& event);
  void on(const MessageTaken& event);
  void on(const RunWaiting&) {}
  void on(const RunEnded&) {}
  void on(const ToolStarted& event);
  void on(const ToolEnded& event);
  void on(const FeedbackGiven& event);

  void show_plan(const std::vector<tools::PlanStep>& plan);
  void begin(std::string call_id, std::string text);
  void end(std::string_view call_id);
  void write_remark(std::string_view line);
  void write_line(std::string_view line);
  void draw();
  void erase();
  void animate(const std::stop_token& stop);

  Terminal terminal_;
  Writer write_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::vector<Activity> activities_;  // the model, or the tools that are running
  std::string index_bar_;             // empty while no index is built
  Usage usage_;
  std::string last_said_;
  std::string typed_;
  std::size_t frame_ = 0;
  bool is_drawn_ = false;
  bool is_stopped_ = false;
  bool stands_still_ = false;
  std::jthread animation_;  // last: it uses everything above
};

}  // namespace wright::app
