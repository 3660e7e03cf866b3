#include "session/session_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/try.h"
#include "session/turn.h"
#include "session/waits.h"
#include "wright/agent.h"

namespace wright::session {
namespace {

using std::chrono::milliseconds;

// How long a tool may take to end that was told that its time is up.
constexpr milliseconds kGraceOfLateCall{2'000};

void fail_outcome(ToolOutcome& outcome, Error error) {
  outcome.waiting.reset();
  outcome.delegate.reset();
  outcome.result.images.clear();
  outcome.result.fingerprint = 0;
  outcome.result.origin = ToolResult::Origin::tool;
  outcome.response = nullptr;
  outcome.result.content = error.message;
  outcome.result.is_error = true;
  outcome.error = std::move(error);
}

Error nobody_is_there(WaitKind kind) {
  return {ErrorCode::unavailable,
          kind == WaitKind::approval
              ? "This call needs a person's approval, and nobody is there to give it. Do without it"
              : "Nobody is there to answer. Go on with what you know, and say what you assumed"};
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
      budget_(state.run.limits, spending_of(state.run.usage) + state.spent_below,
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

StepOutput SessionMachine::step(const Now& now, Input&& input) {
  now_ = now;
  switch (state_) {
    case State::ended: return {};
    case State::waiting:
      if (!wakes(input)) return {};
      resume();
      break;
    case State::writing:
      if (!is_urgent(input)) {
        queued_.push_back(std::move(input));
        return {};
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
  return std::exchange(output_, {});
}

// Those count while a batch is under way.
bool SessionMachine::is_urgent(const Input& input) {
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
  const milliseconds left = *run_.limits.max_time - milliseconds(turn_worked_ms_);
  output_.actions.emplace_back(
      SetTimer{.kind = TimerKind::deadline, .after = std::max(left, milliseconds(0))});
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
    if (is_stopping()) return;
    const bool is_too_long = response.error().code == ErrorCode::context_too_long;
    if (is_too_long && context_.shrink(*agent_, run_, response.error())) return;  // asked again
    accept_or_break(ModelFailed{std::move(response).error()});
    return;
  }
  const Usage usage = response->usage;
  budget_.settle(reserved_, spending_of(usage));
  publish<ModelEnded>(*response, duration_ms);
  context_.answered(run_, usage);
  accept_or_break(ModelAnswered{std::move(*response)});
  if (auto refused = refusal_of(*agent_, run_)) accept_or_break(std::move(*refused));
  refuse_calls_without_tools();
}

// A specialist that was granted no tools and calls one fails, and the agent above is told.
void SessionMachine::refuse_calls_without_tools() {
  if (plan_.lineage.depth() == 0 || !agent_->tools.empty() || run_.open_calls.empty()) return;
  const std::string message =
      fmt::format("{} called {} and has no tools", agent_->name, run_.open_calls.front().call.name);
  stop_with(LimitReached{Limit::tools, message}, message);
}

void SessionMachine::take_summary(const Result<Response>& response) {
  budget_.settle(reserved_, response ? spending_of(response->usage) : Spending{});
  if (response) accept_or_break(Summarised{response->usage});
  if (is_stopping()) return;
  if (response) {
    context_.take_summary(run_, *response);
  } else {
    context_.do_without_summary(run_);
  }
}

void SessionMachine::take(CallEnded ended) {
  count(ended.spent);
  if (!is_running(ended.call_id, ended.attempt)) return;  // given up meanwhile
  running_.erase(ended.call_id);
  const OpenCall* open = find_open(ended.call_id);
  if (is_broken() || open == nullptr) return;
  const ToolCall& call = open->call;  // until the run accepts what came of it
  ToolOutcome& outcome = ended.outcome;
  if (was_interrupted(call, ended)) return;  // whoever resumes the session makes it again
  if (outcome.delegate) return delegate(call, *outcome.delegate);
  if (outcome.waiting) return wait_or_refuse(call, std::move(outcome));
  hand_over_if_asked(call, outcome);
  end_call(call, std::move(outcome));
}

// It only ended because the session is suspended, and may be repeated: that is no answer for a
// model.
bool SessionMachine::was_interrupted(const ToolCall& call, const CallEnded& ended) const {
  const auto* suspending = std::get_if<SuspendHere>(&intent_);
  if (suspending == nullptr || !suspending->is_asked) return false;
  const Tool* tool = find_tool(agent_->tools, call.name);
  const auto& error = ended.outcome.error;
  return tool != nullptr && (ended.has_kept || tool->spec.options.effect != Effect::write) &&
         error && error->code == ErrorCode::cancelled;
}

void SessionMachine::end_call(const ToolCall& call, ToolOutcome outcome) {
  publish<ToolEnded>(call, outcome);
  // Without a store nobody else needs it.
  ToolResult result = options_.has_store ? outcome.result : std::move(outcome.result);
  if (options_.has_store) unwritten_results_.push_back(call.name);
  journal_.call_ended(call.id, std::move(outcome));
  accept_or_break(ToolFinished{std::move(result)});
}

void SessionMachine::delegate(const ToolCall& call, const Delegate& delegate) {
  const Tool* tool = find_tool(agent_->tools, call.name);
  if (tool == nullptr || !tool->specialist) {
    ToolOutcome outcome{.result = {.call_id = call.id, .name = call.name}};
    fail_outcome(outcome, {ErrorCode::tool_failed,
                           fmt::format("{} named no specialist to answer it", call.name)});
    return end_call(call, std::move(outcome));
  }
  journal_.call_waits(call.id, Json(delegate.message), std::nullopt);
  specialists_[call.id] = {.is_at_work = true, .since_ms = now_.steady_ms};
  then(StartSpecialist{call, delegate.message});
  accept_or_break(ToolWaits{call.id, delegate});
}

void SessionMachine::wait_or_refuse(const ToolCall& call, ToolOutcome outcome) {
  const Waiting waiting = *outcome.waiting;
  if (plan_.people == People::nobody) {
    fail_outcome(outcome, nobody_is_there(waiting.kind));
    return end_call(call, std::move(outcome));
  }
  OpenWait wait{.kind = waiting.kind,
                .shown = waiting.shown,
                .covers = waiting.covers,
                .state = waiting.state};
  if (waiting.timeout) wait.expires_at = now_.wall_ms + milliseconds(*waiting.timeout).count();
  journal_.call_waits(call.id, waiting.shown, std::move(wait));
  publish<ToolEnded>(call, outcome);
  accept_or_break(ToolWaits{call.id, waiting});
}

// The agent that a call hands the conversation to. Nothing when it is no handoff.
SessionMachine::Handoff SessionMachine::handed_to(const ToolCall& call) const {
  const Tool* tool = find_tool(agent_->tools, call.name);
  if (tool == nullptr || !tool->specialist || tool->specialist->kind != Specialist::Kind::handoff) {
    return std::nullopt;
  }
  auto agent = tool->specialist->make();
  if (!agent) return agent;
  TRY(check(**agent));
  return agent;
}

// A handoff that cannot be made is a failed call. One that can takes effect with the next turn.
void SessionMachine::hand_over_if_asked(const ToolCall& call, ToolOutcome& outcome) {
  if (outcome.result.is_error) return;
  Handoff handoff = handed_to(call);
  if (!handoff) return;
  if (*handoff) {
    next_agent_ = std::move(**handoff);
  } else {
    fail_outcome(outcome, handoff->error());
  }
}

void SessionMachine::take(const CallNotBegun& call) {
  if (is_running(call.call_id, call.attempt)) running_.erase(call.call_id);
}

// It starts when the store has said that the session is still held.
void SessionMachine::take(const CallFenced& call) {
  if (!is_running(call.call_id, call.attempt)) return;
  running_.erase(call.call_id);
  const OpenCall* open = find_open(call.call_id);
  if (is_stopping() || open == nullptr) return;
  journal_.check_lease();
  start_call(*open);
}

// A tool whose time is up is asked to stop. What it answers in the time that it is given for that
// still counts: it may tell how far it came.
void SessionMachine::take(const CallIsLate& late) {
  if (!is_running(late.call_id, late.attempt)) return;
  then(StopCall{late.call_id});
  then(SetTimer{TimerKind::call_grace, kGraceOfLateCall, late.call_id, late.attempt});
}

void SessionMachine::take(const CallGivenUp& given_up) {
  count(given_up.spent);
  if (!is_running(given_up.call_id, given_up.attempt)) return;
  running_.erase(given_up.call_id);
  const OpenCall* open = find_open(given_up.call_id);
  if (open == nullptr || !given_up.has_begun) return;  // nothing happened
  if (is_stopping()) {
    journal_.call_is_unknown(given_up.call_id, "It did not end when the run was stopped");
    return;
  }
  const ToolCall call = open->call;
  const Tool* tool = find_tool(agent_->tools, call.name);
  const bool may_act = tool != nullptr && tool->spec.options.effect != Effect::read;
  const auto limit = tool != nullptr ? tool->spec.options.timeout : std::nullopt;
  ToolOutcome outcome{.result = {.call_id = call.id, .name = call.name},
                      .duration_ms = given_up.duration_ms};
  fail_outcome(
      outcome,
      {ErrorCode::timeout,
       fmt::format("{} did not answer within {} ms{}", call.name,
                   limit.value_or(milliseconds(0)).count(),
                   may_act ? ". It may still take effect: look before you call it again" : "")});
  end_call(call, std::move(outcome));
}

void SessionMachine::take(SpecialistEnded ended) {
  const auto found = specialists_.find(ended.call_id);
  if (found == specialists_.end()) return;
  const ChildCall& below = found->second;
  double worked_ms = below.worked_ms;
  if (below.is_at_work) worked_ms += static_cast<double>(now_.steady_ms - below.since_ms);
  specialists_.erase(found);
  if (is_broken()) return;
  if (ended.ending.kind == Ending::Kind::suspended || ended.ending.kind == Ending::Kind::lost) {
    // It is not this session that decides what becomes of it now. One that was to end cannot, as
    // long as something below it has not; whoever loads it finds the wish to end it stored.
    if (std::holds_alternative<GoOn>(intent_)) take(Suspend{});
    if (std::holds_alternative<Stop>(intent_)) intent_ = SuspendHere{};
    std::get<SuspendHere>(intent_).is_above_unfinished = true;
    return;
  }
  answer_with_specialist(ended.call_id, ended.ending, worked_ms);
}

void SessionMachine::answer_with_specialist(const std::string& call_id, const Ending& ending,
                                            double worked_ms) {
  SpecialistResult said{.duration_ms = worked_ms};
  if (ending.kind == Ending::Kind::completed) {
    said.text = ending.text;
  } else {
    said.error = "The specialist failed: " + ending.error.message;
  }
  accept_or_break(WaitAnswered{call_id, {.specialist = std::move(said)}});
}

void SessionMachine::take(SpecialistWaits waiting) {
  const auto found = specialists_.find(waiting.call_id);
  if (found == specialists_.end()) return;
  ChildCall& below = found->second;
  if (below.is_at_work) below.worked_ms += static_cast<double>(now_.steady_ms - below.since_ms);
  below.is_at_work = false;
  below.waits = std::move(waiting.waits);
}

void SessionMachine::take(const SpecialistWoke& woke) {
  const auto found = specialists_.find(woke.call_id);
  if (found == specialists_.end()) return;
  found->second.is_at_work = true;
  found->second.waits.clear();
  found->second.since_ms = now_.steady_ms;
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

void SessionMachine::take(Suspend) {
  if (is_stopping()) return;
  intent_ = SuspendHere{};
  // What a model would answer can be asked again; what a tool does cannot be undone, so it is given
  // some time before it is asked to stop.
  if (is_asking_) output_.actions.emplace_back(StopWork{.is_suspended = true});
  output_.actions.emplace_back(SuspendSpecialists{});
  start_grace();
}

void SessionMachine::take(const TimerFired& fired) {
  switch (fired.kind) {
    case TimerKind::deadline: {
      const double seconds = static_cast<double>(run_.limits.max_time->count()) / 1000;
      const std::string message = fmt::format("The time limit of {} s was reached", seconds);
      return stop_with(LimitReached{Limit::time, message}, message);
    }
    case TimerKind::grace:
      if (auto* suspend = std::get_if<SuspendHere>(&intent_); suspend && !suspend->is_asked) {
        suspend->is_asked = true;
        output_.actions.emplace_back(StopWork{.is_suspended = true});
        return start_grace();
      }
      for (const auto& [call_id, attempt] : running_) {
        output_.actions.emplace_back(GiveUpCall{call_id, attempt});
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
      running_.erase(run->call->id);
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

void SessionMachine::start_grace() {
  if (!options_.grace || running_.empty()) return;
  output_.actions.emplace_back(SetTimer{.kind = TimerKind::grace, .after = *options_.grace});
}

}  // namespace wright::session
