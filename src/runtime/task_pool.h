// Threads for what sessions have to do: tasks that advance them, which are short and never block;
// tasks that may block, such as tools; and one at a time that writes to the store. Each kind has
// its own most at once, so that neither tools which block nor a slow disk keep sessions from
// advancing. Nothing is ever refused: a long queue is how an overload slows down those who cause
// it.
//
// Waking a thread costs more than most tasks. What a short task hands in first is therefore kept
// for the same thread, which takes it up as soon as it is free; a session goes from a model's
// answer through its tools to the next question on one thread.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/host.h"

namespace wright::runtime {

class TaskPool {
 public:
  // How many of each kind run at once. Threads start when there is work for them.
  TaskPool(std::size_t most_short, std::size_t most_blocking);
  ~TaskPool();  // finishes what is in the queues, but for what was given up
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  void run_soon(Host::Task task);
  // Behind everything that is ready now. One such task runs at a time.
  void run_writing(Host::Task task);
  // `after` follows in the same thread and is short.
  Host::Ticket run_blocking(Host::Task task, Host::Task after);
  // A task that has not begun is dropped. One that runs gives its place to others; its thread ends
  // with it, `after` does not follow, and the destructor does not wait for it.
  void give_up(Host::Ticket ticket);
  // The calling thread waits for something that tasks of this pool do. Where it is one of the
  // pool's own, what it has kept and its place go to others until it has waited.
  void begin_waiting();
  void end_waiting();

 private:
  class State;
  // Shared with the threads: one that was given up may outlast the pool.
  std::shared_ptr<State> state_;
};

}  // namespace wright::runtime
