#include "session/session_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/cut_text.h"
#include "core/failed_usage.h"
#include "core/try.h"
#include "session/turn.h"
#include "session/waits.h"
#include "wright/agent.h"

namespace wright::session {
namespace {

using std::chrono::milliseconds;

// A process that is killed takes no more of a run's time with it than this.
milliseconds most_uncounted(milliseconds limit) {
  constexpr milliseconds kLeast{500};  // whoever has less hardly lives to be resumed
  constexpr milliseconds kMost{10'000};
  return std::clamp(limit / 8, kLeast, kMost);
}

// Calls that are counted when they start have not been counted yet.
int calls_begun(const Run& run) {
  const auto is_to_start = [](const OpenCall& open) {
    return open.state == OpenCall::State::open && open.answers == WaitAnswers{};
  };
  return run.tool_calls - static_cast<int>(std::ranges::count_if(run.open_calls, is_to_start));
}

}  // namespace

SessionMachine::SessionMachine(const MachineOptions& options, SessionPlan plan, SessionState state,
                               Budget* above)
    : options_(options),
      plan_(std::move(plan)),
      agent_(plan_.agent),
      agent_as_built_(agent_),
      budget_(state.run.limits, spending_of(state.run.usage) + state.spent_by_specialists,
              calls_begun(state.run) + state.calls_of_children, above),
      run_(std::move(state.run)),
      journal_(std::move(state.journal)),
      context_(std::move(state.context)),
      worked_ms_(state.worked_ms),
      turn_worked_ms_(state.turn_worked_ms),
      unknown_(std::move(state.unknown)) {
  heard_.insert(state.heard.begin(), state.heard.end());
  for (Said& said : state.said) take(UserSpoke{std::move(said)});
  // A handoff of a turn that is not over yet.
  for (const OpenCall& open : run_.open_calls) {
    const bool is_done = open.state == OpenCall::State::answered && !open.result.is_error;
    Handoff handoff = is_done ? handed_to(open.call) : std::nullopt;
    if (handoff && *handoff) next_agent_ = std::move(**handoff);
  }
}

void SessionMachine::step(const Now& now, Input&& input, StepOutput& output) {
  now_ = now;
  std::swap(output_, output);
  take_step(std::move(input));
  std::swap(output_, output);
}

void SessionMachine::take_step(Input&& input) {
  switch (state_) {
    case State::ended: return;
    case State::waiting:
      if (!wakes(input)) return;
      resume();
      break;
    case State::writing:
      if (!is_urgent(input)) {
        queued_.push_back(std::move(input));
        return;
      }
      break;
    case State::working: break;
  }
  const auto take_next = [this](Input&& next) {
    std::visit([this](auto&& taken) { take(std::forward<decltype(taken)>(taken)); },
               std::move(next));
  };
  take_next(std::move(input));
  do {
    while (!queued_.empty() && (state_ == State::working || is_urgent(queued_.front()))) {
      std::list<Input> first;
      first.splice(first.begin(), queued_, queued_.begin());
      take_next(std::move(first.front()));
    }
    if (state_ != State::working) break;
    if (!is_broken()) proceed();
  } while (write_or_act() == Round::another);
}

// Those count while a batch is under way.
bool SessionMachine::is_urgent(const Input& input) {
  if (const auto* fired = std::get_if<TimerFired>(&input)) return fired->kind == TimerKind::count;
  return std::holds_alternative<Written>(input) || std::holds_alternative<Cancel>(input) ||
         std::holds_alternative<Suspend>(input);
}

bool SessionMachine::wakes(const Input& input) const {
  if (const auto* answered = std::get_if<Answered>(&input)) {
    const OpenCall* open = find_open(answered->call_id);
    return open != nullptr && open->state == OpenCall::State::waiting;
  }
  return std::holds_alternative<Cancel>(input) || std::holds_alternative<SpecialistWoke>(input) ||
         std::holds_alternative<SpecialistEnded>(input);
}

void SessionMachine::resume() {
  state_ = State::working;
  output_.actions.emplace_back(Woke{});
  watch_time();
}

Request SessionMachine::request() {
  if (is_summary_) return context_.summary_request(*agent_, run_);
  const Step step = next(*agent_, run_);
  return context_.fitted(std::get<CallModel>(step).request, run_);
}

const Model& SessionMachine::model() const {
  return is_summary_ ? ContextFitting::summary_model(*agent_) : agent_->model;
}

// --- what happened -----------------------------------------------------------------------------

void SessionMachine::take(Begin) {
  then(Created{});
  for (auto& [call_id, specialist] : specialists_) specialist.since_ms = now_.steady_ms;
  for (const OpenCall& open : std::exchange(unknown_, {})) {
    ToolOutcome outcome{.result = open.result};
    outcome.error = Error{ErrorCode::tool_failed, open.result.content};
    publish<ToolEnded>(open.call, std::move(outcome), true);
  }
  watch_time();
}

void SessionMachine::watch_time() {
  working_since_ = now_.steady_ms;
  if (!run_.limits.max_time) return;
  set_deadline();
  count_later();
}

void SessionMachine::set_deadline() {
  const milliseconds left = *run_.limits.max_time - milliseconds(turn_worked_ms_);
  output_.actions.emplace_back(
      SetTimer{.kind = TimerKind::deadline, .after = std::max(left, milliseconds(0))});
}

void SessionMachine::forget_time_limit() {
  if (!run_.limits.max_time) return;
  output_.actions.emplace_back(CancelTimer{TimerKind::deadline});
  output_.actions.emplace_back(CancelTimer{TimerKind::count});
}

// A model or a tool may take long, and nothing else is written meanwhile.
void SessionMachine::count_later() {
  if (!options_.has_store) return;
  output_.actions.emplace_back(
      SetTimer{.kind = TimerKind::count, .after = most_uncounted(*run_.limits.max_time)});
}

void SessionMachine::count_time() {
  if (!working_since_) return;
  const std::int64_t passed = std::max<std::int64_t>(0, now_.steady_ms - *working_since_);
  working_since_ = now_.steady_ms;
  worked_ms_ += passed;
  turn_worked_ms_ += passed;
  journal_.worked(worked_ms_, turn_worked_ms_);
}

void SessionMachine::take(Written written) {
  if (state_ != State::writing) return;
  state_ = State::working;
  if (auto* broken = std::get_if<BreakOff>(&intent_)) {
    broken->is_written_down = true;  // or will never be
    return;
  }
  if (!written.ids) {
    Error error = std::move(written.ids).error();
    // The run needs nothing of it. While the store is away, work that is under way goes on.
    const bool is_gone = error.code == ErrorCode::not_found || journal_.is_taken_by_another(error);
    if (journal_.is_only_count() && !is_gone) {
      journal_.count_is_lost();
      act();
      return;
    }
    if (!unwritten_results_.empty()) {
      error.message += fmt::format(
          ". What came of {} may not be stored, although it has ended: look before it is done "
          "again",
          fmt::join(unwritten_results_, ", "));
    }
    break_off(std::move(error));
    return;
  }
  unwritten_results_.erase(unwritten_results_.begin(),
                           unwritten_results_.begin() + results_in_batch_);
  journal_.written(*written.ids);
  for (const CancelWish& wish : written.ids->cancelled) {
    if (wish.session_id == journal_.session_id()) take(Cancel{wish.reason});
  }
  act();
}

void SessionMachine::take(ModelCame came) {
  if (!is_asking_) return;
  is_asking_ = false;
  if (std::exchange(is_summary_, false)) {
    take_summary(came.response);
  } else {
    take_model(std::move(came.response), came.duration_ms);
  }
}

void SessionMachine::take_model(Result<Response> response, double duration_ms) {
  if (!response) {
    budget_.settle(reserved_, {});
    count(usage_in(response.error()));
    if (is_stopping()) return;
    const bool is_too_long = response.error().code == ErrorCode::context_too_long;
    if (is_too_long && context_.shrink(*agent_, run_, response.error())) return;  // asked again
    accept_or_break(ModelFailed{std::move(response).error()});
    return;
  }
  const Usage usage = response->usage;
  budget_.settle(reserved_, spending_of(usage));
  publish<ModelEnded>(*response, duration_ms);
  context_.answered(run_, *response);
  accept_or_break(ModelAnswered{std::move(*response)});
  if (auto refused = refusal_of(*agent_, run_)) accept_or_break(std::move(*refused));
  refuse_calls_without_tools();
}

// A specialist that was granted no tools and calls one fails, and the agent above is told.
void SessionMachine::refuse_calls_without_tools() {
  if (plan_.lineage.depth() == 0 || !agent_->tools.empty() || run_.open_calls.empty()) return;
  const std::string message = fmt::format("{} called {} and has no tools", agent_->name,
                                          short_name(run_.open_calls.front().call.name));
  stop_with(LimitReached{Limit::tools, message}, message);
}

void SessionMachine::take_summary(const Result<Response>& response) {
  budget_.settle(reserved_, {});
  count(response ? response->usage : usage_in(response.error()));
  if (is_stopping()) return;
  if (response) {
    context_.take_summary(run_, *response);
  } else {
    context_.do_without_summary(run_);
  }
}

void SessionMachine::take(Answered answered) {
  const OpenCall* open = find_open(answered.call_id);
  if (is_broken() || open == nullptr || open->state != OpenCall::State::waiting) return;
  if (const Waiting* waiting = waiting_of(*open)) {
    remember_decision(*memory_, waiting->covers, answered.answers);
  }
  accept_or_break(WaitAnswered{std::move(answered.call_id), std::move(answered.answers)});
}

void SessionMachine::take(Cancel cancel) {
  const std::string reason = cancel.reason;
  stop_with(Cancelled{std::move(cancel.reason)}, reason);
}

void SessionMachine::take(const Suspend& suspend) {
  if (is_stopping()) return;
  intent_ = SuspendHere{.is_asked = suspend.time_left.has_value()};
  // What a model would answer can be asked again; what a tool does cannot be undone, so it is given
  // some time before it is asked to stop, unless it had that before.
  if (is_asking_ || suspend.time_left) {
    output_.actions.emplace_back(StopWork{.is_suspended = true});
  }
  output_.actions.emplace_back(SuspendSpecialists{suspend.time_left});
  start_grace(suspend.time_left);
}

void SessionMachine::take(const TimerFired& fired) {
  switch (fired.kind) {
    case TimerKind::deadline: {
      if (!run_.limits.max_time) return;  // it was that of an agent before
      count_time();
      if (milliseconds(turn_worked_ms_) < *run_.limits.max_time) {  // so it was, or it is early
        output_.actions.emplace_back(CancelTimer{TimerKind::deadline});
        return set_deadline();
      }
      const double seconds = static_cast<double>(run_.limits.max_time->count()) / 1000;
      const std::string message = fmt::format("The time limit of {} s was reached", seconds);
      return stop_with(LimitReached{Limit::time, message}, message);
    }
    case TimerKind::count:
      if (is_broken() || !run_.limits.max_time) return;
      journal_.count_work();
      return count_later();
    case TimerKind::grace:
      if (auto* suspend = std::get_if<SuspendHere>(&intent_); suspend && !suspend->is_asked) {
        suspend->is_asked = true;
        output_.actions.emplace_back(StopWork{.is_suspended = true});
        return start_grace();
      }
      for (const auto& [call, attempt] : running_) {
        output_.actions.emplace_back(GiveUpCall{call->id, attempt});
      }
      return;
    case TimerKind::call_grace:
      if (!is_running(fired.call_id, fired.attempt)) return;
      output_.actions.emplace_back(GiveUpCall{fired.call_id, fired.attempt});
  }
}

// One that stops leaves it where it is stored.
void SessionMachine::take(UserSpoke spoke) {
  if (heard_.insert(spoke.said.key).second) said_.push_back(std::move(spoke.said));
}

// --- how it stops ------------------------------------------------------------------------------

void SessionMachine::accept_or_break(Outcome outcome) {
  if (auto accepted = accept(run_, std::move(outcome)); !accepted) {
    break_off(std::move(accepted).error());
  }
}

// The run ends in this way as soon as nothing is under way any more.
void SessionMachine::stop_with(Outcome outcome, const std::string& reason) {
  const auto* suspending = std::get_if<SuspendHere>(&intent_);
  if (is_stopping() && (suspending == nullptr || suspending->is_above_unfinished)) return;
  intent_ = Stop{std::move(outcome)};
  output_.actions.emplace_back(StopWork{});
  output_.actions.emplace_back(CancelSpecialists{reason});
  start_grace();
}

void SessionMachine::break_off(Error error) {
  if (is_broken()) return;
  const bool is_lost = error.code == ErrorCode::unavailable || error.code == ErrorCode::storage ||
                       error.code == ErrorCode::already_exists;
  intent_ = BreakOff{.error = std::move(error), .is_lost = is_lost};
  ending_.reset();
  drop_what_was_planned();
  planned_.clear();
  output_.actions.emplace_back(StopWork{});
  if (is_lost) {
    output_.actions.emplace_back(SuspendSpecialists{});  // whoever resumes it goes on with them
  } else {
    output_.actions.emplace_back(CancelSpecialists{"The session above failed"});
  }
  start_grace();
}

// What was to be done when the batch is written, and will not be. What was to be told still is.
bool SessionMachine::drop_what_was_planned() {
  const auto is_dropped = [this](const Action& action) {
    if (std::holds_alternative<AskModel>(action)) {
      is_asking_ = is_summary_ = false;
      budget_.settle(std::exchange(reserved_, {}), {});
      return true;
    }
    if (const auto* run = std::get_if<RunCall>(&action)) {
      forget_running(run->call->id);
      return true;
    }
    if (const auto* start = std::get_if<StartSpecialist>(&action)) {
      specialists_.erase(start->call.id);
      if (auto* here = std::get_if<SuspendHere>(&intent_)) here->is_above_unfinished = true;
      return true;
    }
    return false;
  };
  return std::erase_if(planned_, is_dropped) > 0;
}

void SessionMachine::start_grace(std::optional<std::chrono::milliseconds> time_left) {
  if (!options_.grace || running_.empty()) return;
  output_.actions.emplace_back(
      SetTimer{.kind = TimerKind::grace, .after = time_left.value_or(*options_.grace)});
}

}  // namespace wright::session
