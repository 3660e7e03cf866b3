#include "runtime/running_call.h"

#include <fmt/format.h>

#include <future>
#include <iterator>
#include <utility>

#include "core/try.h"
#include "session/call_notes.h"

namespace wright::runtime {

RunningCall::RunningCall(CallPlan plan, const std::stop_token& stop)
    : plan_(std::move(plan)), pass_on_(stop, [this] { stop_.request_stop(); }) {}

void RunningCall::start(Host& host, ExclusiveGate* gate, Callback<void(CallReport)> done) {
  if (gate == nullptr) return hand_over(host, std::move(done));
  gate->enter(plan_.tool, [self = shared_from_this(), gate, &host,
                           done = std::move(done)]() mutable {
    {
      const std::lock_guard lock(self->mutex_);
      self->gate_ = gate;
    }
    self->hand_over(host, std::move(done));
    bool is_over = false;
    {
      const std::lock_guard lock(self->mutex_);
      is_over = self->is_given_up_;
    }
    if (is_over) self->leave_gate();
  });
}

// Whom `done` tells may keep this call, which therefore does not keep `done`.
void RunningCall::hand_over(Host& host, Callback<void(CallReport)> done) {
  const std::lock_guard lock(mutex_);
  if (is_given_up_) return;
  ticket_ = host.run_blocking([self = shared_from_this(), &host] { self->work(host); },
                              [self = shared_from_this(), done = std::move(done)]() mutable {
                                self->leave_gate();
                                done(std::move(self->report_));
                              });
}

// The host outlasts everything but a call that was given up, which does not use it.
void RunningCall::work(Host& host) {
  Host::Timer timer;
  {
    const std::lock_guard lock(mutex_);
    if (is_given_up_ || stop_.stop_requested()) return;
    // It may have waited for its turn, or the machine may have slept.
    report_.is_fenced = !host.is_lease_certain(plan_.held_since);
    if (report_.is_fenced) return;
    began_ = host.now();
    if (plan_.limit) {
      timer = host.run_at(began_.load() + *plan_.limit, [weak = weak_from_this()] {
        if (const auto late = weak.lock()) late->tell_late();
      });
    }
  }
  ToolOutcome outcome = execute(host);
  const std::lock_guard lock(mutex_);
  // It was about to begin what it is for, and did not.
  report_.is_fenced = is_fenced_ && outcome.error.has_value();
  report_.has_kept = has_kept_ || !plan_.answers.kept.is_null();
  if (!report_.is_fenced) report_.outcome = std::move(outcome);
  if (timer && !is_given_up_) host.cancel(timer);
}

// Without a lock: whoever hears it may take long.
void RunningCall::tell_late() {
  Callback<void()> tell;
  {
    const std::lock_guard lock(mutex_);
    tell = std::move(late_);
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

// In the thread of the tool, which may wait. A call that was given up may outlast the host, which
// then tells nobody.
Result<void> RunningCall::keep(Host& host, const HoldLease& lease, const Json& note) {
  TRY(check_lease(host));
  const auto written = std::make_shared<std::promise<Result<BatchIds>>>();
  auto ids = written->get_future();
  {
    const std::lock_guard lock(mutex_);
    if (is_given_up_) return fail(ErrorCode::cancelled, "Nobody waits for this call any more");
    // Not here: a host may write in the thread that asks, and whoever gives this call up waits for the
    // lock meanwhile.
    host.run_soon([&host, written, writes = session::writes_of_note(lease, plan_.row, note)] {
      host.write({.writes = writes},
                 [written](Result<BatchIds> each) { written->set_value(std::move(each)); });
    });
  }
  constexpr std::chrono::milliseconds kLook{100};
  while (ids.wait_for(kLook) != std::future_status::ready) {
    const std::lock_guard lock(mutex_);
    if (is_given_up_) return fail(ErrorCode::cancelled, "Nobody waits for this call any more");
  }
  const auto result = ids.get();
  if (!result) return std::unexpected(result.error());
  has_kept_ = true;
  return {};
}

ToolOutcome RunningCall::execute(Host& host) {
  const ToolCall& call = *plan_.call;
  fmt::memory_buffer key;
  fmt::format_to(std::back_inserter(key), "{}:{}", plan_.session_id, call.id);
  Context context{.agent_name = plan_.agent->name,
                  .session_id = plan_.session_id,
                  .call_id = call.id,
                  .idempotency_key = std::string_view(key.data(), key.size()),
                  .lease_epoch = plan_.lease_epoch,
                  .still_ours = [this, &host] { return check_lease(host); },
                  .stop = stop_.get_token(),
                  .is_suspended = [this] { return is_suspended_.load(); },
                  .memory = plan_.memory,
                  .spill = plan_.agent->spill,
                  .answers = plan_.answers,
                  .trace = plan_.trace,
                  .budget = plan_.budget,
                  .turn = plan_.turn};
  if (plan_.lease && plan_.row != 0) {
    context.keep = [this, &host, lease = *plan_.lease](const Json& note) {
      return keep(host, lease, note);
    };
  }
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
