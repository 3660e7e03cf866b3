#include "interceptors/worker_threads.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace wright::intercept {

struct WorkerThreads::State {
  std::mutex mutex;
  std::condition_variable has_news;
  std::deque<std::function<void()>> jobs;
  std::size_t idle = 0;
  bool is_closing = false;
  std::vector<std::thread> threads;
};

WorkerThreads::WorkerThreads() : state_(std::make_shared<State>()) {}

WorkerThreads::~WorkerThreads() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_closing = true;
    threads = std::move(state_->threads);
  }
  state_->has_news.notify_all();
  for (std::thread& thread : threads) {
    if (thread.get_id() == std::this_thread::get_id()) {
      // The last owner was a job. Its thread is about to end, and keeps the state alive until then.
      thread.detach();
    } else {
      thread.join();
    }
  }
}

void WorkerThreads::run(std::function<void()> job) {
  const std::lock_guard lock(state_->mutex);
  // The thread first: a job that cannot get one must not be left for another to find.
  if (state_->jobs.size() >= state_->idle) {
    state_->threads.emplace_back([state = state_] { work(*state); });
  }
  state_->jobs.push_back(std::move(job));
  state_->has_news.notify_one();
}

void WorkerThreads::work(State& state) {
  std::unique_lock lock(state.mutex);
  while (true) {
    ++state.idle;
    state.has_news.wait(lock, [&] { return state.is_closing || !state.jobs.empty(); });
    --state.idle;
    if (state.jobs.empty()) return;
    std::function<void()> job = std::move(state.jobs.front());
    state.jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // what it holds is let go outside the lock
    lock.lock();
  }
}

}  // namespace wright::intercept
