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

#include <string>
#include <string_view>
#include <utility>

#include "wright/resume.h"
#include "wright/schema.h"

namespace wright {

namespace detail {

// Vendors take schemas of objects alone. What is no struct and no map stands in a field "answer".
template <class T>
inline constexpr bool is_answer_wrapped = !JsonStruct<T> && !StringMap<T>;
Json wrapped_answer_schema(Json schema);
Json unwrapped_answer(Json answer);

template <class T>
Json answer_schema_of() {
  Json schema = schema_of<T>();
  if constexpr (is_answer_wrapped<T>) schema = wrapped_answer_schema(std::move(schema));
  return schema;
}

Error waits_for_person(const Answer& answer);
Error refused_answer(Error error, std::string_view text);

}  // namespace detail

// The agent, bound to answer with a T. For drivers that take an agent: Runtime, TwoPhaseAgent, or
// one of your own. `name` is what the model's vendor is told the schema is called.
template <class T>
Agent answering_with(Agent agent, std::string name = "answer") {
  agent.sampling.response_format = {.kind = ResponseFormat::Kind::json_schema,
                                    .name = std::move(name),
                                    .schema = detail::answer_schema_of<T>()};
  return agent;
}

// Reads the answer of an agent that answers with a T. A run that waits for a person has none yet:
// ErrorCode::unavailable, with the session and the waits in the detail.
template <class T>
Result<T> answer_as(const Answer& answer) {
  if (answer.status == Answer::Status::waiting) {
    return std::unexpected(detail::waits_for_person(answer));
  }
  auto json = answer_json(answer.text, detail::answer_schema_of<T>());
  if (!json) return std::unexpected(detail::refused_answer(std::move(json).error(), answer.text));
  if constexpr (detail::is_answer_wrapped<T>) *json = detail::unwrapped_answer(std::move(*json));
  auto value = decode<T>(*json);
  if (!value) return std::unexpected(detail::refused_answer(std::move(value).error(), answer.text));
  return value;
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
