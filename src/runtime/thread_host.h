// Threads for many sessions: workers that advance them, a bounded pool for what blocks, and one
// writer that puts everything which is ready to be written into one transaction.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/host.h"
#include "runtime/runner_registration.h"
#include "runtime/timer_thread.h"

namespace wright::runtime {

// Tasks in the order in which they come, on up to `most` threads. Threads start when there is work
// for them. Nothing is ever refused: a long queue is how an overload slows down those who cause it.
class TaskQueue {
 public:
  explicit TaskQueue(std::size_t most) : most_(most) {}
  ~TaskQueue();  // finishes what is in the queue

  void push(Host::Task task);

 private:
  void run();

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Host::Task> tasks_;
  std::size_t idle_ = 0;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

class ThreadHost : public Host {
 public:
  // Without a runner nothing is stored.
  ThreadHost(RunnerRegistration* runner, std::size_t workers, std::size_t blocking_threads);
  ~ThreadHost() override;

  void run_soon(Task task) override { workers_.push(std::move(task)); }
  void run_blocking(Task task) override { blocking_.push(std::move(task)); }
  void write(Batch batch, std::function<void(Result<BatchIds>)> done) override;
  bool has_store() const override { return runner_ != nullptr; }
  void ask(const Model& model, const Request& request, ModelCall call, ModelDone done) override;
  Timer run_at(Time time, Task task) override { return timers_.run_at(time, std::move(task)); }
  void cancel(Timer timer) override { timers_.cancel(timer); }

 private:
  void write_all();

  RunnerRegistration* runner_;  // may be null
  std::mutex writes_mutex_;
  std::condition_variable writes_changed_;
  std::vector<Batch> batches_;
  std::vector<std::function<void(Result<BatchIds>)>> whom_to_tell_;
  bool is_ending_ = false;
  TimerThread timers_;
  TaskQueue workers_;
  TaskQueue blocking_;
  std::thread writer_;
};

}  // namespace wright::runtime
