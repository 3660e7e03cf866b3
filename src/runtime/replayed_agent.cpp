#include "runtime/replayed_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "runtime/waits.h"
#include "wright/run.h"
#include "wright/specialist.h"

namespace wright::runtime {
namespace {

// The tape of one session. That of a specialist is found when it is first asked: only its message
// tells which of several it is.
class Reel {
 public:
  explicit Reel(std::shared_ptr<SessionTape> tape) : tape_(std::move(tape)) {}
  Reel(std::shared_ptr<Reel> above, std::string name)
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
  std::shared_ptr<Reel> above_;
  std::string name_;
};

std::unexpected<Error> ends_here() {
  return fail(ErrorCode::cancelled, std::string(kReplayEndsHere));
}

// --- the model -----------------------------------------------------------------------------------

Result<Response> answer_from(Reel& reel, ReplayState& state, const Request& request) {
  reel.find_tape(request.messages, state.comparison);
  SessionTape* tape = reel.tape();
  if (tape == nullptr) {
    return fail(ErrorCode::not_found, "The record has no session of this specialist");
  }
  SessionTape::Answer answer = tape->next_answer(request.messages, state.after_difference);
  if (auto* answered = std::get_if<SessionTape::Answered>(&answer)) {
    ++state.turns;
    return std::move(answered->response);
  }
  if (const auto* failed = std::get_if<SessionTape::ModelFailedThen>(&answer)) {
    return fail(ErrorCode::unavailable, failed->error);
  }
  if (std::holds_alternative<SessionTape::RecordEnds>(answer)) {
    state.has_reached_end_of_record = true;
  } else if (std::holds_alternative<SessionTape::AskedAgain>(answer)) {
    const RecordedSession& recorded = tape->recorded();
    state.asked_again.push_back({.kind = Difference::Kind::turns,
                                 .specialists = reel.way(),
                                 .message = request.messages.size() + 1,
                                 .what = "the session goes on",
                                 .recorded = readable_end(recorded.status, recorded.error),
                                 .now = "the model is asked again"});
  }
  state.end();
  return ends_here();
}

// --- the calls -----------------------------------------------------------------------------------

Result<Json> as_then(const ToolResult& recorded, ReplayState& state, Context& context) {
  ++state.recorded_calls;
  std::string content = recorded.content;
  // The run adds it again.
  if (content.ends_with(kSameResultAgain)) {
    content.resize(content.size() - kSameResultAgain.size());
  }
  if (recorded.is_error) return fail(ErrorCode::tool_failed, std::move(content));
  context.images = recorded.images;
  return Json(content);
}

// Nothing came of it then, as far as the record tells.
Result<Json> without_result(const RecordedCall& call, ReplayState& state) {
  if (call.status == CallStatus::waiting && !call.waits.empty() && !call.waits.back().answer) {
    return wait_for_person(call.waits.back().shown);
  }
  state.has_reached_end_of_record = true;
  state.end();
  return ends_here();
}

bool is_delegate(const Context& context) {
  return context.tool != nullptr && context.tool->specialist &&
         context.tool->specialist->kind == Specialist::Kind::delegate;
}

bool names_no_tool(const Context& context) {
  return context.unusable && context.unusable->code == ErrorCode::not_found;
}

// Whether the call had its turn: it was neither refused, interrupted nor left without an answer.
bool was_executed(const RecordedCall& call) {
  if (call.status == CallStatus::cancelled || call.status == CallStatus::unknown) return false;
  if (call.result->is_error && call.result->content.starts_with("Not run: ")) return false;
  return call.waits.empty() || call.waits.back().answer.has_value();
}

// The call gets what people answered then, and remembers what they decided.
void give_answers(const RecordedCall& recorded, Context& context) {
  for (const RecordedWait& wait : recorded.waits) {
    if (!wait.answer) continue;
    const auto answers = answers_of(wait.kind, *wait.answer);
    if (!answers) continue;
    if (answers->approval) context.answers.approval = answers->approval;
    if (answers->answer && !context.answers.answer) context.answers.answer = answers->answer;
    if (context.memory) remember_decision(*context.memory, wait.shown, *answers);
  }
}

// A specialist is asked again, and compared by itself. The first time the call waits for it; the
// second time it has the answer, of which the agent's interceptors may have made something else.
Result<Json> by_specialist(const RecordedCall& recorded, ReplayState& state, const ToolCall& call,
                           Context& context, const Next& next) {
  if (state.tools == ToolSource::live) give_answers(recorded, context);
  if (!context.answers.answer || state.tools == ToolSource::live) return next(call, context);
  if (!recorded.result) return without_result(recorded, state);
  const RecordedSession& specialist = recorded.specialist.front();
  const JsonObject* answer = context.answers.answer->if_object();
  const Json* text = answer != nullptr ? answer->if_contains("text") : nullptr;
  const std::string then =
      specialist.messages.empty() ? std::string() : specialist.messages.back().text();
  const bool is_same = text != nullptr
                           ? text->is_string() && std::string_view(text->get_string()) == then
                           : specialist.status != SessionStatus::completed;
  return is_same ? as_then(*recorded.result, state, context) : next(call, context);
}

Result<Json> live(const RecordedCall& recorded, ReplayState& state, const ToolCall& call,
                  Context& context, const Next& next) {
  ++state.live_calls;
  give_answers(recorded, context);
  const std::string key = fmt::format("{}:{}", state.key_prefix, call.id);
  context.idempotency_key = key;
  Result<Json> result = next(call, context);
  // Nobody was there to be asked, or answered in time.
  const bool waits = !result && result.error().code == ErrorCode::waiting;
  if (waits && recorded.result->is_error && recorded.waits.empty()) {
    return as_then(*recorded.result, state, context);
  }
  return result;
}

Result<Json> answer_call(Reel& reel, ReplayState& state, const ToolCall& call, Context& context,
                         const Next& next) {
  const SessionTape* tape = reel.tape();
  const RecordedCall* recorded = tape != nullptr ? tape->find_call(call.id) : nullptr;
  if (recorded == nullptr) return fail(ErrorCode::not_found, "The record has no such call");
  if (!recorded->specialist.empty()) return by_specialist(*recorded, state, call, context, next);
  if (!recorded->result) return without_result(*recorded, state);
  // What it would have answered is not recorded.
  const bool is_from_record = is_delegate(context) || !was_executed(*recorded);
  if (state.tools == ToolSource::live && !is_from_record) {
    return live(*recorded, state, call, context, next);
  }
  // A tool that is not there any more cannot have had a result.
  if (names_no_tool(context) && !recorded->result->is_error) {
    return std::unexpected(*context.unusable);
  }
  return as_then(*recorded->result, state, context);
}

// --- the agent -----------------------------------------------------------------------------------

Agent made_over(const Agent& agent, ReplayState& state, const std::shared_ptr<Reel>& reel);

// Agents that name each other are made when they are called, so this ends.
Tool made_over(Tool tool, ReplayState& state, const std::shared_ptr<Reel>& reel) {
  if (state.tools == ToolSource::record) tool.spec.options.output_limit = 0;  // it was cut then
  if (!tool.specialist) return tool;
  Specialist specialist = *tool.specialist;
  specialist.make = [make = tool.specialist->make, kind = specialist.kind, name = specialist.name,
                     &state, reel]() -> Result<std::shared_ptr<const Agent>> {
    auto agent = make();
    if (!agent) return agent;
    const bool is_delegate = kind == Specialist::Kind::delegate;
    const auto below = is_delegate ? std::make_shared<Reel>(reel, name) : reel;
    return std::make_shared<const Agent>(made_over(**agent, state, below));
  };
  tool.specialist = std::make_shared<const Specialist>(std::move(specialist));
  return tool;
}

Agent made_over(const Agent& agent, ReplayState& state, const std::shared_ptr<Reel>& reel) {
  Agent made = agent;
  made.model = model_from(agent.model.provider(), agent.model.name(),
                          [&state, reel](const Request& request, const ModelCall&) {
                            return answer_from(*reel, state, request);
                          });
  for (Tool& tool : made.tools) tool = made_over(std::move(tool), state, reel);
  if (state.tools == ToolSource::record) made.interceptors.clear();
  made.interceptors.insert(
      made.interceptors.begin(),
      [&state, reel](const ToolCall& call, Context& context, const Next& next) {
        return answer_call(*reel, state, call, context, next);
      });
  // Nothing is spent, and nothing takes the time it took.
  made.limits.max_time = {};
  made.limits.max_tokens = 0;
  made.limits.max_cost_usd = 0;
  return made;
}

}  // namespace

Agent replayed_agent(const Agent& agent, ReplayState& state, std::shared_ptr<SessionTape> tape) {
  return made_over(agent, state, std::make_shared<Reel>(std::move(tape)));
}

}  // namespace wright::runtime
