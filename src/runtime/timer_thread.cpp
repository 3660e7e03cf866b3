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
  if (spare_task_ && spare_time_) {
    spare_task_.key() = {time, timer};
    spare_task_.mapped() = std::move(task);
    tasks_.insert(std::move(spare_task_));
    spare_time_.key() = timer;
    spare_time_.mapped() = time;
    times_.insert(std::move(spare_time_));
  } else {
    tasks_.emplace(std::pair(time, timer), std::move(task));
    times_.emplace(timer, time);
  }
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
  dropped = remove(found);
}

Host::Task TimerThread::remove(Times::iterator timer) {
  spare_task_ = tasks_.extract({timer->second, timer->first});
  spare_time_ = times_.extract(timer);
  return std::move(spare_task_.mapped());
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
    Host::Task task = remove(times_.find(first->first.second));
    lock.unlock();
    task();
    task = {};
    lock.lock();
  }
}

}  // namespace wright::runtime
