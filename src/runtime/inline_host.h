// Everything in the thread that calls run(): tools and models one after the other, in the order in
// which they are asked for. Other threads may post to sessions meanwhile.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "runtime/host.h"
#include "runtime/runner_registration.h"
#include "runtime/timer_thread.h"

namespace wright::runtime {

class InlineHost : public Host {
 public:
  // Without a runner nothing is stored.
  explicit InlineHost(RunnerRegistration* runner) : runner_(runner) {}

  void run_soon(Task task) override;
  void run_blocking(Task task, Task after) override {
    run_soon([task = std::move(task), after = std::move(after)] {
      task();
      if (after) after();
    });
  }
  void write(Batch batch, std::function<void(Result<BatchIds>)> done) override;
  bool has_store() const override { return runner_ != nullptr; }
  void ask(const Model& model, const Request& request, ModelCall call, ModelDone done) override;
  Timer run_at(Time time, Task task) override { return timers_.run_at(time, std::move(task)); }
  void cancel(Timer timer) override { timers_.cancel(timer); }

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
  TimerThread timers_;  // last: its thread posts here
};

}  // namespace wright::runtime
