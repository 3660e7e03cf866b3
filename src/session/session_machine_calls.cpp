// What becomes of the calls of a turn: they end, wait, are late, or are delegated to specialists,
// which end and wait themselves.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/begun_wait.h"
#include "core/said_nothing.h"
#include "core/try.h"
#include "core/unknown_outcome.h"
#include "session/session_machine.h"
#include "session/turn.h"
#include "session/waits.h"
#include "wright/agent.h"

namespace wright::session {
namespace {

// How long a tool may take to end that was told that its time is up.
constexpr std::chrono::milliseconds kGraceOfLateCall{2'000};
// How often a call that has begun is told that nobody answers what it asks.
constexpr int kMostDeclined = 20;
constexpr std::string_view kNobodyIsThere = "Nobody is there to answer";

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
  return {
      ErrorCode::unavailable,
      kind == WaitKind::approval
          ? "This call needs a person's approval, and nobody is there to give it. Do without it"
          : fmt::format("{}. Go on with what you know, and say what you assumed", kNobodyIsThere)};
}

}  // namespace

void SessionMachine::take(CallEnded ended) {
  count(ended.spent);
  if (!is_running(ended.call_id, ended.attempt)) return;  // given up meanwhile
  forget_running(ended.call_id);
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
  if (waits_in_the_middle(waiting.state) && may_act(*agent_, call.name)) {
    journal_.may_have_happened(call.id);
  }
  if (plan_.people == People::nobody) return do_without_people(call, std::move(outcome));
  OpenWait wait{.kind = waiting.kind,
                .shown = waiting.shown,
                .covers = waiting.covers,
                .state = waiting.state};
  if (waiting.timeout)
    wait.expires_at = now_.wall_ms + std::chrono::milliseconds(*waiting.timeout).count();
  journal_.call_waits(call.id, waiting.shown, std::move(wait));
  publish<ToolEnded>(call, outcome);
  accept_or_break(ToolWaits{call.id, waiting});
}

// A call that has not begun will not. One that has is told that nobody answers, and says itself
// what came of it: to whoever looks on, it was never interrupted.
void SessionMachine::do_without_people(const ToolCall& call, ToolOutcome outcome) {
  const Waiting waiting = *outcome.waiting;
  const std::string call_id = call.id;
  if (waits_in_the_middle(waiting.state) && ++declined_[call_id] <= kMostDeclined) {
    accept_or_break(ToolWaits{call_id, waiting});
    if (is_broken()) return;
    accept_or_break(WaitAnswered{call_id, declined(waiting.kind, std::string(kNobodyIsThere))});
    return;
  }
  const bool is_left_begun = waits_in_the_middle(waiting.state) && may_act(*agent_, call.name);
  fail_outcome(outcome, is_left_begun ? unknown_outcome(
                                            ErrorCode::limit_reached,
                                            fmt::format("{} asks without end, and nobody is there "
                                                        "to answer. It had begun: look what it "
                                                        "did before you call it again",
                                                        call.name))
                                      : nobody_is_there(waiting.kind));
  end_call(call, std::move(outcome));
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
  if (is_running(call.call_id, call.attempt)) forget_running(call.call_id);
}

// It starts when the store has said that the session is still held.
void SessionMachine::take(const CallFenced& call) {
  if (!is_running(call.call_id, call.attempt)) return;
  forget_running(call.call_id);
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
  forget_running(given_up.call_id);
  const OpenCall* open = find_open(given_up.call_id);
  if (open == nullptr || !given_up.has_begun) return;  // nothing happened
  if (is_stopping()) {
    journal_.call_is_unknown(given_up.call_id, "It did not end when the run was stopped");
    return;
  }
  const ToolCall call = open->call;
  const Tool* tool = find_tool(agent_->tools, call.name);
  const auto limit = tool != nullptr ? tool->spec.options.timeout : std::nullopt;
  ToolOutcome outcome{.result = {.call_id = call.id, .name = call.name},
                      .duration_ms = given_up.duration_ms};
  fail_outcome(outcome,
               {ErrorCode::timeout,
                fmt::format("{} did not answer within {} ms{}", call.name,
                            limit.value_or(std::chrono::milliseconds(0)).count(),
                            may_act(*agent_, call.name)
                                ? ". It may still take effect: look before you call it again"
                                : "")});
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
  } else if (!has_said_nothing(ending.error.code, ending.error.message)) {  // else it has no text
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

}  // namespace wright::session
