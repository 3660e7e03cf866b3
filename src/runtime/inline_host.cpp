#include "runtime/inline_host.h"

#include <utility>

#include "runtime/model_question.h"

namespace wright::runtime {

void InlineHost::run_soon(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_one();
}

void InlineHost::write(Batch batch, Written done) {
  done(std::move(runner_->apply_all({&batch, 1}).front()));
}

void InlineHost::ask(const Model& model, const Request& request, ModelCall call, ModelDone done) {
  ask_blocking(*this, model, request, std::move(call), std::move(done));
}

Host::Task InlineHost::next_task() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !tasks_.empty(); });
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

}  // namespace wright::runtime
