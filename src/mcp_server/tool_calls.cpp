#include "mcp_server/tool_calls.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include "core/try.h"
#include "mcp/content.h"
#include "mcp/elicitation.h"

namespace wright::mcp_server {

using runtime::OutsideCall;

namespace {

constexpr std::string_view kApproval = "approval";
constexpr std::string_view kAnswer = "answer";
constexpr std::string_view kState = "state";    // Waiting::state
constexpr std::string_view kRecorded = "call";  // as the store knows it

// What a person said to the rounds before.
Result<WaitAnswers> answers_so_far(const mcp::Work& work) {
  WaitAnswers answers;
  if (const auto found = work.answers.find(kApproval); found != work.answers.end()) {
    const Json given = TRY(answer_from(found->second, WaitKind::approval));
    const Decision decision = TRY(decision_from(mcp::text_in(given.as_object(), "decision")));
    answers.approval = Approval{decision, mcp::text_in(given.as_object(), "reason")};
  }
  if (const auto found = work.answers.find(kAnswer); found != work.answers.end()) {
    const Json given = TRY(answer_from(found->second, WaitKind::question));
    const Json* shown = work.state.if_contains("shown");
    const auto asked = TRY(questions_from(shown != nullptr ? *shown : Json()));
    std::vector<QuestionAnswer> list;
    for (const auto& [id, answer] : given.as_object()) list.push_back({std::string(id), answer});
    const auto accepted = TRY(accept_answers(asked, list));
    answers.answer = encode(accepted.response);
    if (const Json* state = work.state.if_contains(kState)) answers.state = *state;
  }
  return answers;
}

}  // namespace

Result<mcp::NeedsInput::Request> request_for(std::string key, WaitKind kind, std::string_view tool,
                                             const Json& shown, mcp::DecisionHolds holds) {
  constexpr std::string_view kCreate = "elicitation/create";
  if (kind == WaitKind::approval) {
    return mcp::NeedsInput::Request{std::move(key), std::string(kCreate),
                                    mcp::approval_form(tool, shown, holds)};
  }
  if (kind == WaitKind::result) {
    return fail(ErrorCode::unsupported, fmt::format("{} waits for a result from outside", tool));
  }
  const auto asked = TRY(questions_from(shown));
  auto form = TRY(mcp::form_of(asked));
  return mcp::NeedsInput::Request{std::move(key), std::string(kCreate), std::move(form)};
}

Result<Json> answer_from(const mcp::InputAnswer& answer, WaitKind kind) {
  const auto* result = std::get_if<JsonObject>(&answer);
  if (result == nullptr) {
    return fail(ErrorCode::unavailable, fmt::format("The client could not ask: {}",
                                                    std::get<mcp::Problem>(answer).message));
  }
  if (kind != WaitKind::approval) return mcp::answers_in_form(*result);
  const auto approval = TRY(mcp::approval_in_form(*result));
  return to_json(approval);
}

namespace {

ToolOutcome failed(const ToolCall& call, Error why, double duration_ms = 0) {
  ToolOutcome outcome{.duration_ms = duration_ms};
  outcome.result = {
      .call_id = call.id, .name = call.name, .content = why.message, .is_error = true};
  outcome.error = std::move(why);
  return outcome;
}

// The person did not answer: nothing will come of it, unless an answer came before.
void give_up(CallRecord& record, OutsideCall recorded, const ToolCall& call, const Error& why) {
  const auto known = record.go_on(recorded);
  if (known && !*known) (void)record.end(recorded, failed(call, why));
}

// What the client is to ask its person. An error where it cannot.
Result<mcp::NeedsInput::Request> question_to(const mcp::ClientView& client, const ToolCall& call,
                                             const Waiting& waiting) {
  const bool is_approval = waiting.kind == WaitKind::approval;
  if (!client.can_answer("elicitation/create")) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} needs {} of a person, and this client cannot ask one (it has no "
                            "elicitation)",
                            call.name, is_approval ? "the approval" : "an answer"));
  }
  return request_for(std::string(is_approval ? kApproval : kAnswer), waiting.kind, call.name,
                     waiting.shown, mcp::DecisionHolds::for_this_call);
}

}  // namespace

mcp::WorkOutcome call_own_tool(const Agent& caller, CallRecord& record, const mcp::Work& work,
                               const WorkControls& controls) {
  const Json* arguments = work.params.if_contains("arguments");
  const Json* kept = work.state.if_contains(kRecorded);
  const auto earlier = kept != nullptr ? runtime::outside_call_from(*kept) : std::nullopt;
  const ToolCall call{.id = earlier ? earlier->id : record.id_of(work),
                      .name = mcp::text_in(work.params, "name"),
                      .arguments = arguments != nullptr ? to_text(*arguments) : "{}"};
  const auto answers = answers_so_far(work);
  if (!answers) {
    if (earlier) give_up(record, *earlier, call, answers.error());
    return mcp::Finished{mcp::error_result(answers.error().message)};
  }
  double steps = 0;
  Context context{.agent_name = caller.name,
                  .call_id = call.id,
                  .idempotency_key = call.id,
                  .stop = controls.stop,
                  .answers = *answers};
  if (controls.progress) {
    context.progress = [&](std::string_view text) {
      controls.progress({.progress = ++steps, .message = std::string(text)});
    };
  }
  auto recorded = earlier ? Result<OutsideCall>(*earlier) : record.begin(work, call);
  if (!recorded) return mcp::Finished{mcp::error_result(recorded.error().message)};
  context.session_id = recorded->session;
  if (earlier) {
    const auto known = record.go_on(*recorded);
    if (!known) return mcp::Finished{mcp::error_result(known.error().message)};
    if (*known) return mcp::Finished{mcp::call_result(**known)};
  }
  ToolOutcome outcome = execute(caller, call, context);
  std::optional<mcp::NeedsInput::Request> request;
  if (outcome.waiting) {
    auto asked = question_to(*work.client, call, *outcome.waiting);
    if (asked) {
      request = std::move(*asked);
    } else {
      outcome = failed(call, std::move(asked).error(), outcome.duration_ms);
    }
  }
  (void)record.end(*recorded, outcome);
  if (outcome.delegate) return mcp::Finished{mcp::error_result("This tool is only for agents")};
  if (!request) return mcp::Finished{mcp::call_result(outcome)};
  JsonObject state{{"shown", outcome.waiting->shown}, {kRecorded, to_json(*recorded)}};
  if (!outcome.waiting->state.is_null()) state[kState] = std::move(outcome.waiting->state);
  return mcp::NeedsInput{.requests = {std::move(*request)}, .state = std::move(state)};
}

}  // namespace wright::mcp_server
