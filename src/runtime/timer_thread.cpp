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
  if (is_ending_) return {};
  const Host::Timer timer = tasks_.add(time, std::move(task));
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { run(); });
  } else if (time < sleeps_until_) {
    changed_.notify_all();
  }
  return timer;
}

void TimerThread::cancel(const Host::Timer& timer) {
  Host::Task dropped;  // destroyed without the lock: it may own anything
  const std::lock_guard lock(mutex_);
  dropped = tasks_.remove(timer);
}

void TimerThread::run() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    const auto first = tasks_.first();
    if (!first) {
      sleeps_until_ = Host::Time::max();
      changed_.wait(lock);
      sleeps_until_ = {};
      continue;
    }
    if (*first > std::chrono::steady_clock::now()) {
      sleeps_until_ = *first;
      changed_.wait_until(lock, *first);
      sleeps_until_ = {};
      continue;
    }
    Host::Task task = tasks_.take_first();
    lock.unlock();
    task();
    task = {};
    lock.lock();
  }
}

}  // namespace wright::runtime
