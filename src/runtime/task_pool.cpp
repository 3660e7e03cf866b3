#include "runtime/task_pool.h"

#include <utility>

namespace wright::runtime {

thread_local TaskPool::Hand* TaskPool::hand = nullptr;

TaskPool::TaskPool(std::size_t most_short, std::size_t most_blocking)
    : short_{most_short}, blocking_{most_blocking} {}

TaskPool::~TaskPool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void TaskPool::run_soon(Host::Task task) {
  hand_in(short_, {std::move(task), {}});
}

void TaskPool::run_blocking(Host::Task task, Host::Task after) {
  hand_in(blocking_, {std::move(task), std::move(after)});
}

void TaskPool::run_later(Host::Task task) {
  enqueue(short_, {std::move(task), {}});
}

// A task that blocks keeps nothing: what it waits for may be what it would have kept.
bool TaskPool::is_at_short_task() const {
  return hand != nullptr && hand->pool == this && !hand->is_blocking;
}

void TaskPool::hand_in(Lane& lane, Job job) {
  if (!is_at_short_task() || hand->kept) return enqueue(lane, std::move(job));
  hand->lane = &lane;
  hand->kept = std::move(job);
}

// A thread at a short task looks into the queues in a moment, and wakes others then.
void TaskPool::enqueue(Lane& lane, Job job) {
  std::unique_lock lock(mutex_);
  lane.waiting.push_back(std::move(job));
  if (!is_at_short_task()) unlock_and_wake(lock);
}

// Another thread, if there is something for it to do. It is woken without the lock, which it needs.
void TaskPool::unlock_and_wake(std::unique_lock<std::mutex>& lock) {
  const bool has_work = short_.is_ready() || blocking_.is_ready();
  const bool is_somebody_idle = idle_ > 0;
  if (has_work && !is_somebody_idle && !is_ending_ &&
      threads_.size() < short_.most + blocking_.most) {
    threads_.emplace_back([this] { work(); });
  }
  lock.unlock();
  if (has_work && is_somebody_idle) changed_.notify_one();
}

void TaskPool::work() {
  Hand own{.pool = this};
  hand = &own;
  std::unique_lock lock(mutex_);
  while (true) {
    Lane* lane = short_.is_ready() ? &short_ : blocking_.is_ready() ? &blocking_ : nullptr;
    if (lane == nullptr) {
      const bool is_over = is_ending_ && short_.waiting.empty() && blocking_.waiting.empty();
      if (is_over) {
        changed_.notify_all();  // others may have waited for room
        return;
      }
      ++idle_;
      changed_.wait(lock);
      --idle_;
      continue;
    }
    Job job = std::move(lane->waiting.front());
    lane->waiting.pop_front();
    run(*lane, std::move(job), lock);
  }
}

// Runs the job, and then what it left in this thread's hand, as long as there is room for it.
void TaskPool::run(Lane& first, Job job, std::unique_lock<std::mutex>& lock) {
  Lane* lane = &first;
  while (true) {
    ++lane->running;
    unlock_and_wake(lock);
    hand->is_blocking = lane == &blocking_;
    job.task();
    hand->is_blocking = false;
    if (job.after) job.after();
    job = {};  // what it owns is let go without the lock
    lock.lock();
    --lane->running;
    if (!hand->kept) return;
    lane = hand->lane;
    job = *std::exchange(hand->kept, {});
    if (!lane->has_room()) {
      lane->waiting.push_back(std::move(job));
      return;
    }
  }
}

}  // namespace wright::runtime
