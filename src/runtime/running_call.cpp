#include "runtime/running_call.h"

#include <fmt/format.h>

#include <utility>

namespace wright::runtime {

RunningCall::RunningCall(CallPlan plan, const std::stop_token& stop)
    : plan_(std::move(plan)), pass_on_(stop, [this] { stop_.request_stop(); }) {}

void RunningCall::start(Host& host, ExclusiveGate* gate, std::function<void(CallReport)> done) {
  const auto report = std::make_shared<CallReport>();
  // The host outlasts everything but a call that was given up, which does not use it.
  auto work = [self = shared_from_this(), report, &host] {
    Host::Timer timer = 0;
    {
      const std::lock_guard lock(self->mutex_);
      if (self->is_given_up_ || self->stop_.stop_requested()) return;
      // It may have waited for its turn, or the machine may have slept.
      report->is_fenced = !host.is_lease_certain(self->plan_.held_since);
      if (report->is_fenced) return;
      self->began_ = host.now();
      if (self->plan_.limit) {
        timer =
            host.run_at(self->began_.load() + *self->plan_.limit, [weak = self->weak_from_this()] {
              if (const auto late = weak.lock()) late->tell_late();
            });
      }
    }
    ToolOutcome outcome = self->execute(host);
    const std::lock_guard lock(self->mutex_);
    // It was about to begin what it is for, and did not.
    report->is_fenced = self->is_fenced_ && outcome.error.has_value();
    if (!report->is_fenced) report->outcome = std::move(outcome);
    if (timer != 0 && !self->is_given_up_) host.cancel(timer);
  };
  auto after = [self = shared_from_this(), report, done = std::move(done)] {
    self->leave_gate();
    done(std::move(*report));
  };
  auto begin = [self = shared_from_this(), &host, work = std::move(work),
                after = std::move(after)] {
    const std::lock_guard lock(self->mutex_);
    if (!self->is_given_up_) self->ticket_ = host.run_blocking(work, after);
  };
  if (gate == nullptr) return begin();
  gate->enter(plan_.tool, [self = shared_from_this(), gate, begin] {
    {
      const std::lock_guard lock(self->mutex_);
      self->gate_ = gate;
    }
    begin();
    bool is_over = false;
    {
      const std::lock_guard lock(self->mutex_);
      is_over = self->is_given_up_;
    }
    if (is_over) self->leave_gate();
  });
}

// Without a lock: whoever hears it may take long.
void RunningCall::tell_late() {
  std::function<void()> tell;
  {
    const std::lock_guard lock(mutex_);
    tell = late_;
  }
  if (tell) tell();
}

void RunningCall::leave_gate() {
  ExclusiveGate* gate = nullptr;
  {
    const std::lock_guard lock(mutex_);
    gate = std::exchange(gate_, nullptr);
  }
  if (gate != nullptr) gate->leave(plan_.tool);
}

void RunningCall::give_up(Host& host) {
  stop_.request_stop();
  {
    const std::lock_guard lock(told_mutex_);
    progress_ = {};
  }
  Host::Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    is_given_up_ = true;
    late_ = {};
    ticket = ticket_;
  }
  if (ticket != 0) host.give_up(ticket);
  leave_gate();
}

double RunningCall::milliseconds(const Host& host) const {
  const std::chrono::duration<double, std::milli> took = host.now() - began_.load();
  return took.count();
}

// A call that was given up may outlast the host.
Result<void> RunningCall::check_lease(const Host& host) {
  const std::lock_guard lock(mutex_);
  if (is_given_up_) return fail(ErrorCode::cancelled, "Nobody waits for this call any more");
  is_fenced_ = !host.is_lease_certain(plan_.held_since);
  if (!is_fenced_) return {};
  return fail(ErrorCode::unavailable,
              "The session may be another process's by now: nothing was done");
}

ToolOutcome RunningCall::execute(const Host& host) {
  const ToolCall& call = *plan_.call;
  const std::string key = fmt::format("{}:{}", plan_.session_id, call.id);
  Context context{.agent_name = plan_.agent->name,
                  .session_id = plan_.session_id,
                  .call_id = call.id,
                  .idempotency_key = key,
                  .lease_epoch = plan_.lease_epoch,
                  .still_ours = [this, &host] { return check_lease(host); },
                  .stop = stop_.get_token(),
                  .memory = plan_.memory,
                  .spill = plan_.agent->spill,
                  .answers = plan_.answers,
                  .trace = plan_.trace,
                  .budget = plan_.budget};
  if (tells_) {
    context.progress = [this](std::string_view text) {
      const std::lock_guard lock(told_mutex_);
      if (progress_) progress_(text);
    };
  }
  ToolOutcome outcome = wright::execute(*plan_.agent, call, context);
  // The specialist worked for this call.
  if (plan_.answers.specialist) outcome.duration_ms += plan_.answers.specialist->duration_ms;
  return outcome;
}

}  // namespace wright::runtime
