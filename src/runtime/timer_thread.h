// Tasks for later, in a thread that sleeps until the next one is due. It starts with the first
// task.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "runtime/host.h"

namespace wright::runtime {

class TimerThread {
 public:
  TimerThread() = default;
  ~TimerThread() { end(); }

  // Nothing runs any more, and whatever is asked for from now on never does.
  void end();

  // Tasks run in this object's thread and must be short.
  Host::Timer run_at(Host::Time time, Host::Task task);
  void cancel(const Host::Timer& timer);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  TimerQueue tasks_;
  // What is due later wakes nobody: most timers are cancelled long before that. Without a
  // beginning while the thread is awake, and without an end when nothing is due.
  Host::Time sleeps_until_ = {};
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace wright::runtime
