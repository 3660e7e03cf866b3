#include "runtime/runner_registration.h"

#include <algorithm>

#include "runtime/process_name.h"
#include "wright/resume.h"

namespace wright {

Result<int> end_dead_runners(Store& store) {
  const auto runners = store.get_runners();
  if (!runners) return std::unexpected(runners.error());
  int ended = 0;
  for (const Runner& runner : *runners) {
    if (!runtime::is_gone(runner.name)) continue;
    if (auto done = store.end_runner(runner.id); !done) return std::unexpected(done.error());
    ++ended;
  }
  return ended;
}

namespace runtime {

RunnerRegistration::RunnerRegistration(Store& store, RunnerId id, std::chrono::milliseconds time)
    : store_(store), id_(id), time_(time), thread_([this] { renew_until_told(); }) {}

Result<std::unique_ptr<RunnerRegistration>> RunnerRegistration::open(
    Store& store, std::chrono::milliseconds time) {
  const auto id = store.register_runner(process_name(), time);
  if (!id) return std::unexpected(id.error());
  return std::unique_ptr<RunnerRegistration>(new RunnerRegistration(store, *id, time));
}

RunnerRegistration::~RunnerRegistration() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  // If the store cannot take it, the runner's time runs out.
  (void)store_.end_runner(id_);
}

std::vector<Result<BatchIds>> RunnerRegistration::apply_all(std::span<const Batch> batches) {
  std::vector<Result<BatchIds>> results = store_.apply_all(batches);
  const auto is_refused = [](const Result<BatchIds>& result) {
    return !result && result.error().code == ErrorCode::unavailable;
  };
  if (std::ranges::none_of(results, is_refused)) return results;
  if (!store_.renew_runner(id_, time_)) return results;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (is_refused(results[i])) results[i] = store_.apply_all(batches.subspan(i, 1)).front();
  }
  return results;
}

void RunnerRegistration::renew_until_told() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, time_ / 3, [&] { return is_ending_; })) {
    lock.unlock();
    // A renewal that fails is tried again in a third of the time. When another process has taken a
    // session meanwhile, the next batch for it is refused.
    (void)store_.renew_runner(id_, time_);
    lock.lock();
  }
}

}  // namespace runtime
}  // namespace wright
