// Threads for what sessions have to do: tasks that advance them, which are short and never block;
// tasks that may block, such as tools; and one at a time that writes to the store. Each kind has
// its own most at once, so that neither tools which block nor a slow disk keep sessions from
// advancing. Nothing is ever refused: a long queue is how an overload slows down those who cause
// it.
//
// Waking a thread costs more than most tasks. So a session goes on in the thread that brought its
// answer, as far as it can:
//
// - What a short task hands in first is kept for the same thread, which takes it up as soon as it
//   is free.
// - Where a task is handed in by the thread of an event loop, threads of the pool wait for the
//   network from then on, in the loop's place (WaitingPlace). An answer, the step that it leads to,
//   a tool that was quick the last times, and the next question are one walk of one thread.
// - With such a place, a thread that is at a short task, or at one that was quick the last times,
//   is expected back and calls nobody to the rest of the work or to the place. It does so when
//   something has waited for kPatience; and when it does not come back, however wrong the guess was
//   (a tool that blocks for once, an observer that takes long, a huge history), another thread is
//   called in its place within two beats of kBeat. That is the longest that others wait for it.
// - Before a task that may take long, another thread is called at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "runtime/host.h"

namespace wright::runtime {

class TaskPool {
 public:
  static constexpr std::chrono::microseconds kPatience{1000};
  static constexpr std::chrono::milliseconds kBeat{2};

  // How many of each kind run at once. Threads start when there is work for them.
  TaskPool(std::size_t most_short, std::size_t most_blocking);
  ~TaskPool();  // finishes what is in the queues, but for what was given up
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  void run_soon(Host::Task task);
  // Behind everything that is ready now. One such task runs at a time.
  void run_writing(Host::Task task);
  // `after` follows in the same thread and is short. Of a kind it is known how long its tasks took.
  Host::Ticket run_blocking(Host::Task task, Host::Task after, std::string_view kind = {});
  // A task that has not begun is dropped. One that runs gives its place to others; its thread ends
  // with it, `after` does not follow, and the destructor does not wait for it.
  void give_up(Host::Ticket ticket);

 private:
  class State;
  // Shared with the threads: one that was given up may outlast the pool.
  std::shared_ptr<State> state_;
};

}  // namespace wright::runtime
