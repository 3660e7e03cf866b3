// Gives up waiting for a tool that takes too long.
#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "interceptors/worker_threads.h"
#include "wright/interceptors.h"

namespace wright::intercept {
namespace {

// One call with all that it needs, so that it may go on after the caller has left.
class Task {
 public:
  Task(const ToolCall& call, const Context& context, const Next& next)
      : call_(call),
        agent_name_(context.agent_name),
        call_id_(context.call_id),
        idempotency_key_(context.idempotency_key),
        context_(context),
        next_(next.owned()) {
    context_.agent_name = agent_name_;
    context_.call_id = call_id_;
    context_.idempotency_key = idempotency_key_;
    context_.stop = stop_.get_token();
  }

  void run() {
    Result<Json> result = next_(call_, context_);
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    has_ended_.notify_all();
  }

  // Nothing when time is up first; then the task is asked to stop, and what comes of it is lost.
  std::optional<Result<Json>> wait(std::chrono::milliseconds limit, Context& context) {
    const std::stop_callback pass_on(context.stop, [this] { stop_.request_stop(); });
    std::unique_lock lock(mutex_);
    if (!has_ended_.wait_for(lock, limit, [&] { return result_.has_value(); })) {
      lock.unlock();
      stop_.request_stop();
      return std::nullopt;
    }
    context.arguments = std::move(context_.arguments);
    context.notes = std::move(context_.notes);
    context.duration_ms = context_.duration_ms;
    return std::move(result_);
  }

 private:
  ToolCall call_;
  std::string agent_name_;
  std::string call_id_;
  std::string idempotency_key_;
  std::stop_source stop_;
  Context context_;
  Next next_;
  std::mutex mutex_;
  std::condition_variable has_ended_;
  std::optional<Result<Json>> result_;
};

class Timeout {
 public:
  explicit Timeout(TimeoutOptions options) : options_(options), state_(std::make_shared<State>()) {}
  // A task of this timeout that holds a copy of it (when it stands twice in a list) must not keep
  // its threads alive: nobody would wait for them. That copy does nothing; the outer one guards it.
  Timeout(const Timeout& other)
      : options_(other.options_),
        state_(other.state_.get() == copied_for_task ? nullptr : other.state_) {}
  Timeout& operator=(const Timeout&) = delete;

  Result<Json> operator()(const ToolCall& call, Context& context, const Next& next) const {
    if (state_ == nullptr || context.unusable) return next(call, context);
    const auto limit = options_.limit            ? *options_.limit
                       : context.tool != nullptr ? context.tool->spec.options.timeout
                                                 : std::chrono::milliseconds(0);
    if (limit.count() <= 0) return next(call, context);
    if (state_->late->load() >= options_.max_abandoned) {
      return fail(ErrorCode::unavailable,
                  fmt::format("{} earlier calls took too long and still run. Try again later",
                              options_.max_abandoned));
    }
    auto task = make_task(call, context, next);
    // Counts as late from the moment the caller leaves until the task ends; whichever is first
    // sets the flag, the other one settles the count.
    auto is_settled = std::make_shared<std::atomic<bool>>(false);
    state_->threads.run([task, is_settled, late = state_->late] {
      task->run();
      if (is_settled->exchange(true)) late->fetch_sub(1);
    });
    auto result = task->wait(limit, context);
    if (result) return std::move(*result);
    state_->late->fetch_add(1);
    if (is_settled->exchange(true)) state_->late->fetch_sub(1);
    return fail(ErrorCode::timeout,
                fmt::format("{} did not answer within {} ms", call.name, limit.count()));
  }

 private:
  struct State {
    std::shared_ptr<std::atomic<std::size_t>> late = std::make_shared<std::atomic<std::size_t>>(0);
    WorkerThreads threads;
  };

  std::shared_ptr<Task> make_task(const ToolCall& call, const Context& context,
                                  const Next& next) const {
    struct Copying {
      explicit Copying(const State* state) { copied_for_task = state; }
      ~Copying() { copied_for_task = nullptr; }
    };
    const Copying copying(state_.get());
    return std::make_shared<Task>(call, context, next);
  }

  static thread_local const State* copied_for_task;

  TimeoutOptions options_;
  std::shared_ptr<State> state_;
};

thread_local const Timeout::State* Timeout::copied_for_task = nullptr;

}  // namespace

Interceptor timeout(TimeoutOptions options) {
  return Timeout(options);
}

}  // namespace wright::intercept
