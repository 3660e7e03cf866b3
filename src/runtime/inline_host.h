// Sessions advance in the thread that calls run_until(), and the store is written there; tools and
// models, which may take long, have threads of their own.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "runtime/host.h"
#include "runtime/runner_registration.h"
#include "runtime/task_pool.h"
#include "runtime/timer_thread.h"

namespace wright::runtime {

class InlineHost : public Host {
 public:
  // Without a runner nothing is stored.
  InlineHost(RunnerRegistration* runner, std::size_t blocking_threads)
      : runner_(runner), pool_(1, blocking_threads) {}

  ~InlineHost() override { timers_.end(); }

  void run_soon(Task task) override;
  Ticket run_blocking(Task task, Task after) override {
    return pool_.run_blocking(std::move(task), std::move(after));
  }
  void give_up(Ticket ticket) override { pool_.give_up(ticket); }
  void write(Batch batch, Written done) override;
  bool has_store() const override { return runner_ != nullptr; }
  bool is_lease_certain(std::int64_t since) const override {
    return runner_ == nullptr || runner_->is_certain(since);
  }
  void release(SessionId session, int epoch) override {
    if (runner_ != nullptr) runner_->release(session, epoch);
  }
  void look_for_undriven() override {
    if (runner_ != nullptr) runner_->look_for_undriven();
  }
  void ask(const Model& model, const Request& request, ModelCall call, ModelDone done) override;
  Timer run_at(Time time, Task task) override { return timers_.run_at(time, std::move(task)); }
  void cancel(const Timer& timer) override { timers_.cancel(timer); }

  // Works until `is_over()`, which is asked after every task.
  template <class IsOver>
  void run_until(IsOver is_over) {
    while (!is_over()) next_task()();
  }

 private:
  Task next_task();  // waits for one

  RunnerRegistration* runner_;  // may be null
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  TimerThread timers_;  // ended first, since its thread posts here; tasks may still speak to it
  TaskPool pool_;       // for what may block
};

}  // namespace wright::runtime
