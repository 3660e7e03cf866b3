#include "mcp_server/tool_calls.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <charconv>

#include "core/begun_wait.h"
#include "core/try.h"
#include "core/unknown_outcome.h"
#include "mcp/content.h"
#include "mcp/elicitation.h"

namespace wright::mcp_server {

using runtime::OutsideCall;

namespace {

constexpr std::string_view kRecorded = "call";  // as the store knows it
constexpr std::string_view kAsked = "asked";
constexpr std::string_view kBefore = "before";
// How often a call that has begun is told that nobody can be asked.
constexpr int kMostDeclined = 20;

// What a call that waits needs to know when it comes again. It travels with the client, which
// cannot read or change it: an answer is for what was asked, and nothing else.
struct AskedOfClient {
  std::string key = {};  // of the request; another one in every round
  WaitKind kind = WaitKind::question;
  Json shown = {};
  Json state = {};  // Waiting::state
};

Json to_json(const AskedOfClient& asked) {
  return JsonObject{{"key", asked.key},
                    {"kind", to_string(asked.kind)},
                    {"shown", asked.shown},
                    {"state", asked.state}};
}

Result<AskedOfClient> asked_in(const JsonObject& state) {
  const JsonObject* object = mcp::object_in(state, kAsked);
  const Json* shown = object != nullptr ? object->if_contains("shown") : nullptr;
  if (shown == nullptr) {
    return fail(ErrorCode::invalid_argument,
                "An answer came that is to nothing that was shown. Call again without it");
  }
  const WaitKind kind = TRY(wait_kind_from(mcp::text_in(*object, "kind")));
  AskedOfClient asked{.key = mcp::text_in(*object, "key"), .kind = kind, .shown = *shown};
  if (const Json* own = object->if_contains("state")) asked.state = *own;
  return asked;
}

// What was said in the rounds before, as the next one needs it.
Json to_json(const WaitAnswers& answers) {
  JsonObject json;
  if (answers.approval) {
    json["approval"] = to_json(*answers.approval);
    json["approved"] = answers.approved;
  }
  if (answers.answer) {
    json["answer"] = *answers.answer;
    json["state"] = answers.state;
  }
  return json;
}

Result<Approval> approval_in(const JsonObject& said) {
  const Decision decision = TRY(decision_from(mcp::text_in(said, "decision")));
  return Approval{decision, mcp::text_in(said, "reason")};
}

Result<WaitAnswers> answers_before(const JsonObject& state) {
  WaitAnswers answers;
  const JsonObject* before = mcp::object_in(state, kBefore);
  if (before == nullptr) return answers;
  if (const JsonObject* approval = mcp::object_in(*before, "approval")) {
    answers.approval = TRY(approval_in(*approval));
    answers.approved = before->at("approved");
  }
  if (const Json* answer = before->if_contains("answer")) {
    answers.answer = *answer;
    answers.state = before->at("state");
  }
  return answers;
}

// What a person said to what was asked of them, as the call takes it.
Result<Json> answer_to(const AskedOfClient& asked, const mcp::InputAnswer& said) {
  const Json given = TRY(answer_from(said, asked.kind));
  if (asked.kind == WaitKind::approval) return given;
  const auto questions = TRY(questions_from(asked.shown));
  std::vector<QuestionAnswer> list;
  for (const auto& [id, answer] : given.as_object()) list.push_back({std::string(id), answer});
  const auto accepted = TRY(accept_answers(questions, list));
  return encode(accepted.response);
}

// What a person said so far. What they were shown goes along with their approval: where the call
// would do something else by now, they are asked again.
Result<WaitAnswers> answers_so_far(const mcp::Work& work) {
  auto answers = TRY(answers_before(work.state));
  if (work.answers.empty()) return answers;
  const auto asked = TRY(asked_in(work.state));
  const auto found = work.answers.find(asked.key);
  if (found == work.answers.end()) return answers;
  auto given = answer_to(asked, found->second);
  if (given && asked.kind == WaitKind::approval) {
    answers.approval = TRY(approval_in(given->as_object()));
    answers.approved = asked.shown;
    return answers;
  }
  // A call that has begun goes on with a no, and says itself what came of it.
  const bool goes_on = asked.kind != WaitKind::approval && waits_in_the_middle(asked.state);
  if (!given && !goes_on) return std::unexpected(std::move(given).error());
  answers.answer = given ? std::move(*given) : declined(asked.kind, given.error().message).answer;
  answers.state = asked.state;
  return answers;
}

// A round has a key of its own: what a client sends for another one is no answer to it.
std::string next_key(const JsonObject& state, WaitKind kind) {
  const std::string_view word = kind == WaitKind::approval ? "approval" : "answer";
  const JsonObject* asked = mcp::object_in(state, kAsked);
  const std::string last = asked != nullptr ? mcp::text_in(*asked, "key") : std::string();
  int round = 1;
  if (const auto mark = last.rfind('_'); mark != std::string::npos) {
    const auto digits = std::string_view(last).substr(mark + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), round);
    ++round;
  }
  return fmt::format("{}_{}", word, round);
}

}  // namespace

Result<mcp::NeedsInput::Request> request_for(std::string key, WaitKind kind, std::string_view tool,
                                             const Json& shown, mcp::DecisionHolds holds) {
  constexpr std::string_view kCreate = "elicitation/create";
  if (kind == WaitKind::approval) {
    auto form = TRY(mcp::approval_form(tool, shown, holds));
    return mcp::NeedsInput::Request{std::move(key), std::string(kCreate), std::move(form)};
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
Result<mcp::NeedsInput::Request> question_to(const mcp::ClientView& client, std::string key,
                                             const ToolCall& call, const Waiting& waiting) {
  const bool is_approval = waiting.kind == WaitKind::approval;
  if (!client.can_answer("elicitation/create")) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} needs {} of a person, and this client cannot ask one (it has no "
                            "elicitation)",
                            call.name, is_approval ? "the approval" : "an answer"));
  }
  auto request = request_for(std::move(key), waiting.kind, call.name, waiting.shown,
                             mcp::DecisionHolds::for_this_call);
  if (request || request.error().code != ErrorCode::limit_reached) return request;
  return fail(
      ErrorCode::limit_reached,
      fmt::format("A person has to approve this, and nobody approves what they are not shown: "
                  "{}. It was not run. Do it in smaller pieces",
                  request.error().message));
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
  context.trace = work.trace;
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
  AskedOfClient asking;
  for (int times_declined = 0; outcome.waiting && !request;) {
    asking = {.key = next_key(work.state, outcome.waiting->kind),
              .kind = outcome.waiting->kind,
              .shown = outcome.waiting->shown,
              .state = outcome.waiting->state};
    auto asked = question_to(*work.client, asking.key, call, *outcome.waiting);
    if (asked) {
      request = std::move(*asked);
    } else if (waits_in_the_middle(asking.state) && times_declined++ < kMostDeclined) {
      context.answers.answer = declined(asking.kind, asked.error().message).answer;
      context.answers.state = asking.state;
      outcome = execute(caller, call, context);
    } else {
      Error why = std::move(asked).error();
      if (waits_in_the_middle(asking.state))
        why = unknown_outcome(why.code, std::move(why.message));
      outcome = failed(call, std::move(why), outcome.duration_ms);
    }
  }
  const Tool* tool = find_tool(caller.tools, call.name);
  const bool may_act = tool == nullptr || tool->spec.options.effect != Effect::read;
  const bool is_begun = waits_in_the_middle(asking.state) && may_act;
  (void)record.end(*recorded, outcome,
                   is_begun ? runtime::Done::perhaps_something : runtime::Done::nothing);
  if (outcome.delegate) return mcp::Finished{mcp::error_result("This tool is only for agents")};
  if (!request) return mcp::Finished{mcp::call_result(outcome)};
  return mcp::NeedsInput{.requests = {std::move(*request)},
                         .state = {{kAsked, to_json(asking)},
                                   {kBefore, to_json(context.answers)},
                                   {kRecorded, to_json(*recorded)}}};
}

}  // namespace wright::mcp_server
