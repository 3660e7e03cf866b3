#include "runtime/replayed_agent.h"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <variant>

#include "session/waits.h"
#include "wright/agent.h"
#include "wright/run.h"

namespace wright::runtime {
namespace {

// The tape of one session. That of a specialist is found when it is first asked: only its message
// tells which of several it is.
class ReplayCursor {
 public:
  explicit ReplayCursor(std::shared_ptr<SessionTape> tape) : tape_(std::move(tape)) {}
  ReplayCursor(std::shared_ptr<ReplayCursor> above, std::string name)
      : above_(std::move(above)), name_(std::move(name)) {}

  // Null where the record has no such session.
  SessionTape* tape() const { return tape_.get(); }
  void find_tape(std::span<const Message> asked, const ReplayComparison& comparison) {
    if (tape_ != nullptr || above_ == nullptr || above_->tape() == nullptr || asked.empty()) return;
    if (const auto* recorded = above_->tape()->take_specialist(name_, asked.front())) {
      tape_ = std::make_shared<SessionTape>(*recorded, comparison);
    }
  }
  std::vector<std::string> way() const {
    if (above_ == nullptr) return {};
    std::vector<std::string> way = above_->way();
    way.push_back(name_);
    return way;
  }

 private:
  std::shared_ptr<SessionTape> tape_;
  std::shared_ptr<ReplayCursor> above_;
  std::string name_;
};

std::unexpected<Error> ends_here() {
  return fail(ErrorCode::cancelled, std::string(kReplayEndsHere));
}

// --- the model -----------------------------------------------------------------------------------

// Of an agent that is only known from its record, nobody knows the limits.
bool has_limits(const Limits& limits) {
  return limits.max_iterations != std::numeric_limits<int>::max();
}

Result<Response> answer_from(ReplayCursor& cursor, ReplayState& state, const Limits& limits,
                             const Request& request) {
  cursor.find_tape(request.messages, state.comparison);
  SessionTape* tape = cursor.tape();
  if (tape == nullptr) {
    return fail(ErrorCode::not_found, "The record has no session of this specialist");
  }
  SessionTape::TapeEntry answer = tape->next_answer(request.messages, state.after_difference);
  if (auto* answered = std::get_if<SessionTape::Answered>(&answer)) {
    ++state.turns;
    if (answered->said && cursor.way().empty() && state.say) state.say(*answered->said);
    return std::move(answered->response);
  }
  if (const auto* failed = std::get_if<SessionTape::ModelFailedThen>(&answer)) {
    return fail(ErrorCode::unavailable, failed->error);
  }
  if (std::holds_alternative<SessionTape::RecordEnds>(answer)) {
    state.has_reached_end_of_record = true;
  } else if (std::holds_alternative<SessionTape::AskedAgain>(answer)) {
    const RecordedSession& recorded = tape->recorded();
    if (recorded.status == SessionStatus::failed && !has_limits(limits)) {
      return fail(ErrorCode::limit_reached, recorded.error);
    }
    state.asked_again.push_back({.kind = Difference::Kind::turns,
                                 .specialists = cursor.way(),
                                 .message = request.messages.size() + 1,
                                 .what = "the session goes on",
                                 .recorded = readable_end(recorded.status, recorded.error),
                                 .now = "the model is asked again"});
  }
  state.end();
  return ends_here();
}

// --- the calls -----------------------------------------------------------------------------------

// One execution of one call.
class CallReplay {
 public:
  CallReplay(ReplayState& state, const Limits& limits, const RecordedCall& recorded,
             const Invocation& invocation, const Context& context, const Next& next)
      : state_(state),
        limits_(limits),
        recorded_(recorded),
        invocation_(invocation),
        context_(context),
        next_(next) {}

  Result<ToolReply> answer() {
    // Who answers is not for the record to say: what is no specialist would be executed.
    if (!recorded_.specialist.empty() && invocation_.tool.specialist) return by_specialist();
    if (!recorded_.result) return without_result();
    const bool is_gone = names_no_tool() && !recorded_.result->is_error;
    if (is_gone) state_.missing_tools.insert(invocation_.call.name);
    // A specialist without a record cannot be asked.
    if (state_.tools == ToolSource::live && !is_delegate() && was_executed()) return live();
    // A tool that is not there any more cannot have had a result.
    if (is_gone) return std::unexpected(*invocation_.unusable);
    return as_then();
  }

 private:
  Result<ToolReply> as_then() {
    ++state_.recorded_calls;
    // A run that counts repetitions adds its notice again.
    ToolResult then = *recorded_.result;
    const auto is_of_repetitions = [](const Notice& told) {
      return told.kind == Notice::Kind::same_result;
    };
    std::vector<Notice> notices = then.notices;
    std::erase_if(notices, is_of_repetitions);
    std::erase_if(then.notices, [&](const Notice& told) { return !is_of_repetitions(told); });
    std::string content = limits_.max_repeats ? std::move(then.content) : text_of(then);
    if (then.origin == ToolResult::Origin::refused) return refused_by_person(std::move(content));
    if (then.is_error) return fail(ErrorCode::tool_failed, std::move(content));
    return Output{.value = Json(content),
                  .images = std::move(then.images),
                  .fingerprint = then.fingerprint,
                  .notices = std::move(notices)};
  }

  // Nothing came of it then, as far as the record tells.
  Result<ToolReply> without_result() {
    const bool waits = recorded_.status == CallStatus::waiting && !recorded_.waits.empty() &&
                       !recorded_.waits.back().answer && !context_.answers.answer;
    if (waits) {
      const RecordedWait& wait = recorded_.waits.back();
      return Waiting{.kind = wait.kind, .shown = wait.shown, .covers = wait.covers};
    }
    state_.has_reached_end_of_record = true;
    state_.end();
    return ends_here();
  }

  // A specialist is asked again, and compared by itself. The first time the call waits for it; the
  // second time it has the answer, of which the agent's interceptors may have made something else.
  Result<ToolReply> by_specialist() {
    if (state_.tools == ToolSource::live) {
      give_answers();
      return next_(invocation_, context_);
    }
    if (!context_.answers.specialist) return next_(invocation_, context_);
    if (!recorded_.result) return without_result();
    return specialist_said_the_same() ? as_then() : next_(invocation_, context_);
  }

  bool specialist_said_the_same() const {
    const RecordedSession& specialist = recorded_.specialist.front();
    const SpecialistResult& said = *context_.answers.specialist;
    if (said.error) return specialist.status != SessionStatus::completed;
    return said.text == specialist.messages.back().answer();
  }

  Result<ToolReply> live() {
    ++state_.live_calls;
    give_answers();
    const std::string key = fmt::format("{}:{}", state_.key_prefix, invocation_.call.id);
    context_.idempotency_key = key;
    Result<ToolReply> reply = next_(invocation_, context_);
    // Nobody was there to be asked, or answered in time.
    const bool waits = reply && std::holds_alternative<Waiting>(*reply);
    if (waits && recorded_.result->is_error && recorded_.waits.empty()) return as_then();
    return reply;
  }

  // The call gets what people answered then, and remembers what they decided.
  void give_answers() {
    for (const RecordedWait& wait : recorded_.waits) {
      if (!wait.answer) continue;
      const auto answers = session::answers_of(wait.kind, *wait.answer);
      if (!answers) continue;
      if (answers->approval) context_.answers.approval = answers->approval;
      if (answers->answer && !context_.answers.answer) context_.answers.answer = answers->answer;
      if (context_.memory) session::remember_decision(*context_.memory, wait.covers, *answers);
    }
  }

  // It was neither refused, interrupted nor left without an answer.
  bool was_executed() const {
    if (recorded_.status == CallStatus::cancelled || recorded_.status == CallStatus::unknown) {
      return false;
    }
    const ToolResult& result = *recorded_.result;
    if (result.origin == ToolResult::Origin::not_run) return false;
    return recorded_.waits.empty() || recorded_.waits.back().answer.has_value();
  }

  bool is_delegate() const {
    const auto& specialist = invocation_.tool.specialist;
    return specialist && specialist->kind == Specialist::Kind::delegate;
  }

  bool names_no_tool() const {
    return invocation_.unusable != nullptr && invocation_.unusable->code == ErrorCode::not_found;
  }

  ReplayState& state_;
  const Limits& limits_;
  const RecordedCall& recorded_;
  const Invocation& invocation_;
  Context context_;  // with what people answered then
  const Next& next_;
};

Result<ToolReply> answer_call(const ReplayCursor& cursor, ReplayState& state, const Limits& limits,
                              const Invocation& invocation, const Context& context,
                              const Next& next) {
  const SessionTape* tape = cursor.tape();
  const RecordedCall* recorded = tape != nullptr ? tape->find_call(invocation.call.id) : nullptr;
  if (recorded == nullptr) return fail(ErrorCode::not_found, "The record has no such call");
  return CallReplay(state, limits, *recorded, invocation, context, next).answer();
}

// --- the agent -----------------------------------------------------------------------------------

Agent replayed(const Agent& agent, ReplayState& state, const std::shared_ptr<ReplayCursor>& cursor);

// Agents that name each other are made when they are called, so this ends.
Tool replayed(Tool tool, ReplayState& state, const std::shared_ptr<ReplayCursor>& cursor) {
  if (state.tools == ToolSource::record) tool.spec.options.output_limit.reset();  // it was cut then
  if (!tool.specialist) {
    if (state.tools == ToolSource::live) return tool;
    tool.function = [](const Json&, const Context&) -> Result<ToolReply> {
      return fail(ErrorCode::tool_failed, "Nothing is executed in a replay from the record");
    };
    return tool;
  }
  Specialist specialist = *tool.specialist;
  specialist.make = [make = tool.specialist->make, kind = specialist.kind, name = specialist.name,
                     &state, cursor]() -> Result<std::shared_ptr<const Agent>> {
    auto agent = make();
    if (!agent) return agent;
    const bool is_delegate = kind == Specialist::Kind::delegate;
    const auto below = is_delegate ? std::make_shared<ReplayCursor>(cursor, name) : cursor;
    return std::make_shared<const Agent>(replayed(**agent, state, below));
  };
  tool.specialist = std::make_shared<const Specialist>(std::move(specialist));
  return tool;
}

Agent replayed(const Agent& agent, ReplayState& state,
               const std::shared_ptr<ReplayCursor>& cursor) {
  Agent made = agent;
  made.model =
      model_from(agent.model.provider(), agent.model.name(),
                 [&state, cursor, limits = agent.limits](const Request& request, const ModelCall&) {
                   return answer_from(*cursor, state, limits, request);
                 });
  for (Tool& tool : made.tools) tool = replayed(std::move(tool), state, cursor);
  if (state.tools == ToolSource::record) made.interceptors.clear();
  made.interceptors.insert(
      made.interceptors.begin(),
      [&state, cursor, limits = agent.limits](const Invocation& invocation, const Context& context,
                                              const Next& next) {
        return answer_call(*cursor, state, limits, invocation, context, next);
      });
  // What an agent demands of answers that is only known from its record is what it demanded then.
  if (!has_limits(agent.limits)) {
    made.check_answer = [cursor](std::string_view) -> Result<void> {
      const SessionTape* tape = cursor->tape();
      const auto told = tape != nullptr ? tape->refusal_of_last_answer() : std::nullopt;
      return told ? fail(ErrorCode::answer_refused, *told) : Result<void>();
    };
  }
  // Nothing is spent, and nothing takes the time it took.
  made.context_tokens.reset();  // the tape answers what was asked, and was not asked for summaries
  made.limits.max_time.reset();
  made.limits.max_tokens.reset();
  made.limits.max_cost_usd.reset();
  return made;
}

}  // namespace

Agent replayed_agent(const Agent& agent, ReplayState& state, std::shared_ptr<SessionTape> tape) {
  return replayed(agent, state, std::make_shared<ReplayCursor>(std::move(tape)));
}

}  // namespace wright::runtime
