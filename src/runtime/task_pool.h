// Threads for what sessions have to do: tasks that advance them, which are short and never block,
// and tasks that may block, such as tools. Each kind has its own most at once, so that tools which
// block never keep sessions from advancing. Nothing is ever refused: a long queue is how an
// overload slows down those who cause it.
//
// Waking a thread costs more than most tasks. What a short task hands in first is therefore kept
// for the same thread, which takes it up as soon as it is free; a session goes from a model's
// answer through its tools to the next question on one thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/host.h"

namespace wright::runtime {

class TaskPool {
 public:
  // How many of each kind run at once. Threads start when there is work for them.
  TaskPool(std::size_t most_short, std::size_t most_blocking);
  ~TaskPool();  // finishes what is in the queues
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  void run_soon(Host::Task task);
  // Behind everything that is ready now.
  void run_later(Host::Task task);
  // `after` follows in the same thread and is short.
  void run_blocking(Host::Task task, Host::Task after);

 private:
  struct Job {
    Host::Task task;
    Host::Task after;
  };
  struct Lane {
    const std::size_t most;
    std::size_t running = 0;
    std::deque<Job> waiting = {};

    bool has_room() const { return running < most; }
    bool is_ready() const { return has_room() && !waiting.empty(); }
  };
  // What the thread that is at work keeps for itself.
  struct Hand {
    TaskPool* pool = nullptr;
    bool is_blocking = false;
    Lane* lane = nullptr;  // of the job that is kept
    std::optional<Job> kept = {};
  };
  static thread_local Hand* hand;

  bool is_at_short_task() const;
  void hand_in(Lane& lane, Job job);
  void enqueue(Lane& lane, Job job);
  void unlock_and_wake(std::unique_lock<std::mutex>& lock);
  void work();
  void run(Lane& lane, Job job, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  Lane short_;
  Lane blocking_;
  std::size_t idle_ = 0;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace wright::runtime
