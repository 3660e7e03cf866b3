// Tasks for later, in a thread that sleeps until the next one is due. It starts with the first
// task.
#pragma once

#include <condition_variable>
#include <map>
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
  void cancel(Host::Timer timer);

 private:
  using Tasks = std::map<std::pair<Host::Time, Host::Timer>, Host::Task>;
  using Times = std::map<Host::Timer, Host::Time>;

  void run();
  Host::Task remove(Times::iterator timer);

  std::mutex mutex_;
  std::condition_variable changed_;
  Tasks tasks_;
  Times times_;
  // The last that was removed: its memory is for the next.
  Tasks::node_type spare_task_;
  Times::node_type spare_time_;
  Host::Timer last_ = 0;
  // What is due later wakes nobody: most timers are cancelled long before that. Without a
  // beginning while the thread is awake, and without an end when nothing is due.
  Host::Time sleeps_until_ = {};
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace wright::runtime
