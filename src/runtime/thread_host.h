// Threads for many sessions, and one writer at a time, who puts everything that is ready to be
// written into one transaction.
#pragma once

#include <mutex>
#include <vector>

#include "runtime/host.h"
#include "runtime/runner_registration.h"
#include "runtime/task_pool.h"
#include "runtime/timer_thread.h"

namespace wright::runtime {

class ThreadHost : public Host {
 public:
  // Without a runner nothing is stored.
  ThreadHost(RunnerRegistration* runner, std::size_t workers, std::size_t blocking_threads);

  ~ThreadHost() override { timers_.end(); }

  void run_soon(Task task) override { pool_.run_soon(std::move(task)); }
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

 private:
  void begin_waiting() override { pool_.begin_waiting(); }
  void end_waiting() override { pool_.end_waiting(); }
  void write_what_is_ready();

  RunnerRegistration* runner_;  // may be null
  std::mutex writes_mutex_;
  struct Writing {
    std::vector<Batch> batches;
    std::vector<Written> whom_to_tell;
  };
  Writing ready_;
  Writing spare_;            // empty; its memory is for the next
  bool is_writing_ = false;  // or about to
  TimerThread timers_;       // ended first, since what is due goes to the pool
  TaskPool pool_;
};

}  // namespace wright::runtime
