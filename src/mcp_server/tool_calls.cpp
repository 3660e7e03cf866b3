#include "mcp_server/tool_calls.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include "core/try.h"
#include "mcp/content.h"
#include "mcp/elicitation.h"

namespace wright::mcp_server {
namespace {

constexpr std::string_view kApproval = "approval";
constexpr std::string_view kAnswer = "answer";
constexpr std::string_view kRecorded = "call";  // its row in the store

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
  }
  return answers;
}

}  // namespace

Result<mcp::NeedsInput::Request> request_for(std::string key, WaitKind kind, std::string_view tool,
                                             const Json& shown) {
  constexpr std::string_view kCreate = "elicitation/create";
  if (kind == WaitKind::approval) {
    return mcp::NeedsInput::Request{std::move(key), std::string(kCreate),
                                    mcp::approval_form(tool, shown)};
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

mcp::WorkOutcome call_own_tool(const Agent& caller, CallRecord& record, const mcp::Work& work,
                               const WorkControls& controls) {
  const auto answers = answers_so_far(work);
  if (!answers) return mcp::Finished{mcp::error_result(answers.error().message)};
  const Json* arguments = work.params.if_contains("arguments");
  const ToolCall call{.id = record.id_of(work),
                      .name = mcp::text_in(work.params, "name"),
                      .arguments = arguments != nullptr ? to_text(*arguments) : "{}"};
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
  const Json* earlier = work.state.if_contains(kRecorded);
  const auto recorded = record.begin(
      work, call, earlier != nullptr && earlier->is_int64() ? earlier->get_int64() : 0);
  if (!recorded) {
    return mcp::Finished{mcp::error_result(fmt::format(
        "The call was not made, since it cannot be recorded: {}", recorded.error().message))};
  }
  const ToolOutcome outcome = execute(caller, call, context);
  (void)record.end(work, *recorded, outcome);
  if (outcome.delegate) return mcp::Finished{mcp::error_result("This tool is only for agents")};
  if (!outcome.waiting) return mcp::Finished{mcp::call_result(outcome)};
  const Waiting& waiting = *outcome.waiting;
  if (!work.client->can_answer("elicitation/create")) {
    return mcp::Finished{mcp::error_result(
        fmt::format("{} needs {} of a person, and this client cannot ask one (it has no "
                    "elicitation)",
                    call.name, waiting.kind == WaitKind::approval ? "the approval" : "an answer"))};
  }
  auto request = request_for(std::string(waiting.kind == WaitKind::approval ? kApproval : kAnswer),
                             waiting.kind, call.name, waiting.shown);
  if (!request) return mcp::Finished{mcp::error_result(request.error().message)};
  return mcp::NeedsInput{.requests = {std::move(*request)},
                         .state = {{"shown", waiting.shown}, {kRecorded, *recorded}}};
}

}  // namespace wright::mcp_server
