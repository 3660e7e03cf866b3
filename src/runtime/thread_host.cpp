#include "runtime/thread_host.h"

#include <utility>

#include "runtime/model_call.h"
#include "runtime/model_question.h"

namespace wright::runtime {

ThreadHost::ThreadHost(RunnerRegistration* runner, std::size_t workers,
                       std::size_t blocking_threads)
    : runner_(runner), pool_(workers, blocking_threads) {}

// Written when every session that is ready has had its turn, and may have something to write too.
void ThreadHost::write(Batch batch, Written done) {
  {
    const std::lock_guard lock(writes_mutex_);
    ready_.batches.push_back(std::move(batch));
    ready_.whom_to_tell.push_back(std::move(done));
    if (std::exchange(is_writing_, true)) return;
  }
  pool_.run_writing([this] { write_what_is_ready(); });
}

// One transaction. While it is under way, the next one gathers.
void ThreadHost::write_what_is_ready() {
  std::unique_lock lock(writes_mutex_);
  Writing writing = std::exchange(ready_, std::exchange(spare_, {}));
  lock.unlock();
  std::vector<Result<BatchIds>> results = runner_->apply_all(writing.batches);
  lock.lock();
  is_writing_ = !ready_.batches.empty();
  const bool is_more_to_write = is_writing_;
  lock.unlock();
  for (std::size_t i = 0; i < results.size(); ++i) {
    writing.whom_to_tell[i](std::move(results[i]));
  }
  if (is_more_to_write) pool_.run_writing([this] { write_what_is_ready(); });
  writing.batches.clear();
  writing.whom_to_tell.clear();
  constexpr std::size_t kMostSpare = 256;
  if (writing.batches.capacity() > kMostSpare) return;
  lock.lock();
  spare_ = std::move(writing);
}

void ThreadHost::ask(const Model& model, const Request& request, ModelCall call, ModelDone done) {
  if (!model.blocks()) {
    start_safely(model, request, std::move(call), std::move(done));
    return;
  }
  ask_blocking(*this, model, request, std::move(call), std::move(done));
}

}  // namespace wright::runtime
