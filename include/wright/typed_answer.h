// Answers as C++ values: the type says what the model is to answer, and what does not fit never
// comes back.
//
//   struct Verdict { bool is_spam; std::string reason; };
//   Result<Verdict> verdict = run_as<Verdict>(judge, "Is this spam? …");
//
// The schema of the type goes to the model, natively where its vendor has a way for that and in
// words elsewhere. An answer that does not fit is refused: the model is told why and asked again,
// twice at most; then the run fails with ErrorCode::answer_refused, and answer_of(error) is what it
// said. All this is done by the run machine, so it holds for every driver, for sessions that go on
// after a crash, and for replays.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "wright/resume.h"
#include "wright/schema.h"

namespace wright {

namespace detail {

// Vendors take schemas of objects alone. What is no struct and no map stands in a field "answer".
template <class T>
struct AnswerIn {
  T answer = {};
};
template <class T>
using AnswerObject = std::conditional_t<JsonStruct<T> || StringMap<T>, T, AnswerIn<T>>;

Error waits_for_person(const RunResult& answer);
Error refused_answer(Error error, std::string_view text);

}  // namespace detail

// The agent, bound to answer with a T. For drivers that take an agent: Runtime, TwoPhaseAgent, or
// one of your own. `name` is what the model's vendor is told the schema is called.
template <class T>
Agent answering_with(Agent agent, std::string name = "answer") {
  agent.sampling.response_format = {.kind = ResponseFormat::Kind::json_schema,
                                    .name = std::move(name),
                                    .schema = schema_of<detail::AnswerObject<T>>()};
  return agent;
}

// Reads the answer of an agent that answers with a T. A run that waits for a person has none yet:
// ErrorCode::unavailable, with the session and the waits in the detail.
template <class T>
Result<T> answer_as(const RunResult& answer) {
  if (answer.status == RunResult::Status::waiting) {
    return std::unexpected(detail::waits_for_person(answer));
  }
  auto json = answer_json(answer.text, schema_of<detail::AnswerObject<T>>());
  if (!json) return std::unexpected(detail::refused_answer(std::move(json).error(), answer.text));
  auto value = decode<detail::AnswerObject<T>>(*json);
  if (!value) return std::unexpected(detail::refused_answer(std::move(value).error(), answer.text));
  if constexpr (std::same_as<detail::AnswerObject<T>, T>) {
    return value;
  } else {
    return std::move(value->answer);
  }
}

// run(), resume() and send() for an answer that is a T.
template <class T>
Result<T> run_as(const Agent& agent, std::string_view prompt, const RunOptions& options = {}) {
  if constexpr (detail::require_readable<T>()) {
    auto answer = run(answering_with<T>(agent), prompt, options);
    if (!answer) return std::unexpected(std::move(answer).error());
    return answer_as<T>(*answer);
  } else {
    return std::unexpected(Error{});
  }
}
template <class T>
Result<T> resume_as(const Agent& agent, SessionId id, const RunOptions& options,
                    const Settlements& settlements = {}) {
  if constexpr (detail::require_readable<T>()) {
    auto answer = resume(answering_with<T>(agent), id, options, settlements);
    if (!answer) return std::unexpected(std::move(answer).error());
    return answer_as<T>(*answer);
  } else {
    return std::unexpected(Error{});
  }
}
template <class T>
Result<T> send_as(const Agent& agent, SessionId id, std::string_view message,
                  const RunOptions& options) {
  if constexpr (detail::require_readable<T>()) {
    auto answer = send(answering_with<T>(agent), id, message, options);
    if (!answer) return std::unexpected(std::move(answer).error());
    return answer_as<T>(*answer);
  } else {
    return std::unexpected(Error{});
  }
}

}  // namespace wright
