#include "runtime/thread_host.h"

#include <utility>

#include "runtime/model_call.h"

namespace wright::runtime {

TaskQueue::~TaskQueue() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void TaskQueue::push(Host::Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  if (idle_ >= tasks_.size()) {
    changed_.notify_one();
  } else if (threads_.size() < most_) {
    threads_.emplace_back([this] { run(); });
  } else if (idle_ > 0) {
    changed_.notify_one();
  }
}

void TaskQueue::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (tasks_.empty()) {
      if (is_ending_) return;
      ++idle_;
      changed_.wait(lock);
      --idle_;
      continue;
    }
    Host::Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = {};  // what it owns is let go without the lock
    lock.lock();
  }
}

ThreadHost::ThreadHost(RunnerRegistration* runner, std::size_t workers,
                       std::size_t blocking_threads)
    : runner_(runner),
      workers_(workers),
      blocking_(blocking_threads),
      writer_([this] { write_all(); }) {}

ThreadHost::~ThreadHost() {
  {
    const std::lock_guard lock(writes_mutex_);
    is_ending_ = true;
  }
  writes_changed_.notify_all();
  writer_.join();
}

void ThreadHost::write(Batch batch, std::function<void(Result<BatchIds>)> done) {
  const std::lock_guard lock(writes_mutex_);
  batches_.push_back(std::move(batch));
  whom_to_tell_.push_back(std::move(done));
  if (batches_.size() == 1) writes_changed_.notify_one();
}

// While one transaction is under way, the next one gathers.
void ThreadHost::write_all() {
  std::unique_lock lock(writes_mutex_);
  while (true) {
    writes_changed_.wait(lock, [&] { return is_ending_ || !batches_.empty(); });
    if (batches_.empty()) return;
    const auto batches = std::exchange(batches_, {});
    const auto whom_to_tell = std::exchange(whom_to_tell_, {});
    lock.unlock();
    std::vector<Result<BatchIds>> results = runner_->apply_all(batches);
    for (std::size_t i = 0; i < results.size(); ++i) whom_to_tell[i](std::move(results[i]));
    lock.lock();
  }
}

void ThreadHost::ask(const Model& model, const Request& request, ModelCall call, ModelDone done) {
  if (!model.blocks()) {
    start_safely(model, request, std::move(call), std::move(done));
    return;
  }
  run_blocking([model, request, call = std::move(call), done = std::move(done)] {
    done(complete_safely(model, request, call));
  });
}

}  // namespace wright::runtime
