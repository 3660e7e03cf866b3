#include "runtime/timer_thread.h"

#include <utility>

namespace wright::runtime {

void TimerThread::end() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Host::Timer TimerThread::run_at(Host::Time time, Host::Task task) {
  const std::lock_guard lock(mutex_);
  const Host::Timer timer = ++last_;
  if (is_ending_) return timer;
  tasks_.emplace(std::pair(time, timer), std::move(task));
  times_.emplace(timer, time);
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { run(); });
  } else if (time < sleeps_until_) {
    changed_.notify_all();
  }
  return timer;
}

void TimerThread::cancel(Host::Timer timer) {
  Host::Task dropped;  // destroyed without the lock: it may own anything
  const std::lock_guard lock(mutex_);
  const auto found = times_.find(timer);
  if (found == times_.end()) return;
  const auto task = tasks_.find({found->second, timer});
  dropped = std::move(task->second);
  tasks_.erase(task);
  times_.erase(found);
}

void TimerThread::run() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    if (tasks_.empty()) {
      sleeps_until_ = Host::Time::max();
      changed_.wait(lock);
      sleeps_until_ = {};
      continue;
    }
    const auto first = tasks_.begin();
    if (first->first.first > std::chrono::steady_clock::now()) {
      sleeps_until_ = first->first.first;
      changed_.wait_until(lock, Host::Time(sleeps_until_));
      sleeps_until_ = {};
      continue;
    }
    Host::Task task = std::move(first->second);
    times_.erase(first->first.second);
    tasks_.erase(first);
    lock.unlock();
    task();
    task = {};
    lock.lock();
  }
}

}  // namespace wright::runtime
