// Answers to waits, from wherever they come: checked, with passwords hidden, stored once.
#include "runtime/person_answer.h"

#include <fmt/format.h>

#include <set>

#include "core/try.h"
#include "session/waits.h"
#include "wright/driver.h"
#include "wright/json.h"
#include "wright/people.h"

namespace wright {
namespace {

// {"responses": [{"question_id", "answer"}]} or {"id": answer}.
Result<std::vector<QuestionAnswer>> answers_in(const Json& json) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) {
    return fail(ErrorCode::invalid_argument,
                R"(Answers are an object: {"id": answer, …}, by the ids of the questions)");
  }
  std::vector<QuestionAnswer> answers;
  const Json* responses = object->if_contains("responses");
  if (responses == nullptr || !responses->is_array()) {
    for (const auto& [id, answer] : *object) answers.push_back({std::string(id), answer});
    return answers;
  }
  for (const Json& response : responses->get_array()) {
    const JsonObject* given = response.if_object();
    const Json* id = given != nullptr ? given->if_contains("question_id") : nullptr;
    const Json* answer = given != nullptr ? given->if_contains("answer") : nullptr;
    if (id == nullptr || !id->is_string() || answer == nullptr) {
      return fail(ErrorCode::invalid_argument,
                  R"(A response is {"question_id": "…", "answer": …})");
    }
    answers.push_back({std::string(id->get_string()), *answer});
  }
  return answers;
}

Result<Json> checked_questions(const Json& shown, const Json& answer) {
  const auto request = questions_from(shown);
  // A tool may ask in words of its own, which nobody here can check.
  if (!request) return answer;
  auto answers = TRY(answers_in(answer));
  auto accepted = TRY(accept_answers(*request, answers));
  return encode(accepted.response);
}

// What somebody takes for a change of the call would not change it.
Result<void> check_says_nothing_else(const Json& approval) {
  for (const auto& each : approval.as_object()) {
    if (each.key() == "decision" || each.key() == "reason") continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("An approval has a decision and a reason, and no '{}': it holds for "
                            "exactly the call that was shown",
                            to_valid_utf8(std::string(each.key()))));
  }
  return {};
}

}  // namespace

Result<Json> runtime::checked_answer(WaitKind kind, const Json& shown, const Json& answer) {
  if (kind == WaitKind::question) return checked_questions(shown, answer);
  TRY(session::answers_of(kind, answer));
  if (kind == WaitKind::approval) TRY(check_says_nothing_else(answer));
  return answer;
}

Result<StoredWait> answer_wait(Store& store, WaitId id, const Json& answer,
                               std::string answered_by) {
  auto wait = TRY(store.get_wait(id));
  auto accepted = TRY(runtime::checked_answer(wait.kind, wait.shown, answer));
  return store.answer_wait(id,
                           {.answer = std::move(accepted), .answered_by = std::move(answered_by)});
}

Result<Session> root_session(Store& store, SessionId id) {
  auto session = store.get_session(id);
  std::set<SessionId> seen{id};
  while (session && session->parent_session_id) {
    const SessionId above = *session->parent_session_id;
    // Nothing here makes such a circle; a file that somebody changed may have one.
    if (!seen.insert(above).second) {
      return fail(ErrorCode::storage,
                  fmt::format("Session {} stands above itself: the database is damaged", above));
    }
    session = store.get_session(above);
  }
  return session;
}

}  // namespace wright
