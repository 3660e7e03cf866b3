// Running agents, resuming stored sessions, and answers as C++ values.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "wright/events.h"
#include "wright/feedback.h"
#include "wright/people.h"
#include "wright/run.h"
#include "wright/schema.h"
#include "wright/store.h"

namespace wright {

class Steering;

// How an agent is run: what every way to start, to resume and to go on takes, with the same
// defaults in the blocking driver, in a Runtime and in a TwoPhaseAgent. What belongs to the process
// (the store, threads, leases) is not here: it is an argument of the blocking driver's functions,
// and stands in RuntimeOptions.
struct RunOptions {
  Observer observer = {};  // may be empty; one event at a time, any thread
  // What the model says, as it comes, for those who want nothing else; may be empty. Where an
  // attempt failed half-way, the next one says it again: the observer is told so (ModelRetried).
  TextSink on_text = {};
  std::stop_token stop = {};  // ends the run as cancelled
  // Whether those who look on get the text as it comes, or whole answers only.
  Delivery delivery = Delivery::streamed;
  Json config = {};                          // kept with the session, for those who read it later
  std::string tenant = {};                   // of a new session: see NewSession::tenant
  People people = People::may_answer_later;  // without a store, nobody can
  // For this run instead of the agent's own.
  std::optional<std::vector<Interceptor>> interceptors = {};
  std::optional<bool> debug = {};  // for this run, whatever the agent says
  // When a session is resumed: what became of calls that were interrupted.
  Settlements settlements = {};
  bool reopens = true;           // resume() takes up one that has failed or was cancelled, too
  FindTrace find_trace = {};     // of the blocking driver; a Runtime has one for all. May be empty.
  Steering* steering = nullptr;  // of the blocking driver; outlives the run
};

// Says something to a run of the blocking driver while it works, from any thread: the model reads
// it before its next turn, when the calls that are under way have ended (MessageTaken). With a
// store it is stored first, so a crash does not lose it: whoever goes on with the session goes on
// with it. A run that has just answered goes on.
class Steering {
 public:
  Steering();
  ~Steering();
  Steering(const Steering&) = delete;
  Steering& operator=(const Steering&) = delete;

  // Refused (ErrorCode::unavailable) while nothing runs: then it is a message for send().
  Result<void> say(Message message);

  class State;
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

// What was said to a stored session and is not yet in its conversation, the oldest first.
Result<std::vector<Message>> untaken_messages(Store& store, SessionId id);
// Takes it back, for whoever wants to say it otherwise, once the session has ended; what was taken
// meanwhile is not in it. With `own`, only what is among these, once for each: the rest is somebody
// else's.
Result<std::vector<Message>> recall_messages(Store& store, SessionId id,
                                             std::optional<std::vector<Message>> own = {});

struct RunResult {
  enum class Status : std::uint8_t { completed, waiting };
  Status status = Status::completed;
  std::string text = {};
  std::vector<PersonWait> waits = {};  // Status::waiting
  std::int64_t session_id = 0;         // 0 when nothing was stored
  int iterations = 0;
  Usage usage = {};
  std::optional<FeedbackReport> feedback = {};  // in debug mode
};

// The blocking driver: runs an agent to its end in the caller's thread; the calls of a turn run
// side by side. With a store, what happens is stored before anything is done about it; without one,
// nothing is stored. (A store in memory, which is gone with the process, is open_memory_store().)

// Runs `agent` on `prompt` until it has answered, has failed, or needs a person. Every way out
// leaves the stored session completed, failed, cancelled or waiting.
Result<RunResult> run(Store& store, const Agent& agent, std::string_view prompt,
                      const RunOptions& options = {});
Result<RunResult> run(const Agent& agent, std::string_view prompt, const RunOptions& options = {});
// With images or files beside the words: Message{Role::user, {Text{"What is this?"}, image}}. A
// model that reads none fails the run (ErrorCode::unsupported), and is sent nothing.
Result<RunResult> run(Store& store, const Agent& agent, Message prompt,
                      const RunOptions& options = {});
Result<RunResult> run(const Agent& agent, Message prompt, const RunOptions& options = {});

// Drives a run that already exists, for example one that was loaded from JSON; nothing is stored.
// A run that waits for a person is left as it is: accept() takes what was answered.
Result<RunResult> drive(const Agent& agent, Run& run, const RunOptions& options = {});

// Going on with sessions that are in a store: after a crash, after a person has answered, or with
// another message.

// Goes on with the stored session `id`, and with the specialists below it that have not ended. Call
// by call: a stored result is used; a call that was under way is run again when its tool reads or
// is idempotent; one of a `write` tool is not, and the model is told (kOutcomeUnknown), unless it
// is settled. A session that another living process drives is refused (ErrorCode::unavailable), as
// is one that has ended (invalid_argument).
Result<RunResult> resume(Store& store, const Agent& agent, SessionId id,
                         const RunOptions& options = {});

// The user's next message to a session that has ended.
Result<RunResult> send(Store& store, const Agent& agent, SessionId id, std::string_view message,
                       const RunOptions& options = {});
Result<RunResult> send(Store& store, const Agent& agent, SessionId id, Message message,
                       const RunOptions& options = {});

// How full the window of a session's model is, and what requests leave out. The session itself
// keeps every message as it was.
struct SessionContext {
  std::int64_t tokens = 0;                  // of the next request, without the next message
  std::optional<std::int64_t> window = {};  // of its model; absent: not known
  std::int64_t spent_on_summaries = 0;      // tokens
  std::size_t summarised_messages = 0;      // from the first on
  std::size_t shortened_messages = 0;       // from the first on
  std::string summary = {};                 // that stands for the summarised ones
};
Result<SessionContext> session_context(Store& store, const Agent& agent, SessionId id);

// Sums up all but the last turn of a session that has ended, before that is necessary. `focus` says
// what matters, and may be empty. Counts for the session's usage. ErrorCode::unavailable when there
// is nothing to sum up.
Result<SessionContext> compact(Store& store, const Agent& agent, SessionId id, std::string focus,
                               const RunOptions& options = {});

// A tool `search_session`, by which the model finds what its requests leave out, in the store that
// keeps the session. The store outlives the tool.
Tool search_session_tool(Store& store);

// Answers a wait: checks the answer, hides passwords in it, and stores it, once. What waited goes
// on with resume(). The answer of questions is {"responses": [{"question_id", "answer"}, …]} or
// {"id": answer, …}; of an approval {"decision": "once" | "session" | "refuse" | "never",
// "reason"}; of a result from outside any JSON.
Result<StoredWait> answer_wait(Store& store, WaitId id, const Json& answer,
                               std::string answered_by);

// What a person answers, as a type: whether a call may run, or answers to questions.
template <class T>
concept PersonAnswer = std::same_as<T, Approval> || std::same_as<T, std::vector<QuestionAnswer>>;
template <PersonAnswer T>
Result<StoredWait> answer_wait(Store& store, WaitId id, const T& answer, std::string answered_by) {
  return answer_wait(store, id, to_json(answer), std::move(answered_by));
}

// The session at the top of the tree that this one belongs to.
Result<Session> root_session(Store& store, SessionId id);

// Ends the runners of processes of this machine that are gone, so that their sessions need not wait
// for their time to run out, and settles calls that they made for no agent. Says how many ended.
Result<int> end_dead_runners(Store& store);

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
// NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved
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

namespace detail {

// `drive` runs the agent that is bound to answer with a T.
template <class T, class Drive>
Result<T> read_as(const Agent& agent, const Drive& drive) {
  if constexpr (require_readable<T>()) {
    auto answer = drive(answering_with<T>(agent));
    if (!answer) return std::unexpected(std::move(answer).error());
    return answer_as<T>(*answer);
  } else {
    return std::unexpected(Error{});
  }
}

}  // namespace detail

// run(), resume() and send() for an answer that is a T.
template <class T>
Result<T> run_as(const Agent& agent, std::string_view prompt, const RunOptions& options = {}) {
  return detail::read_as<T>(agent, [&](const Agent& bound) { return run(bound, prompt, options); });
}
template <class T>
Result<T> run_as(const Agent& agent, Message prompt, const RunOptions& options = {}) {
  return detail::read_as<T>(
      agent, [&](const Agent& bound) { return run(bound, std::move(prompt), options); });
}
template <class T>
Result<T> run_as(Store& store, const Agent& agent, std::string_view prompt,
                 const RunOptions& options = {}) {
  return detail::read_as<T>(agent,
                            [&](const Agent& bound) { return run(store, bound, prompt, options); });
}
template <class T>
Result<T> resume_as(Store& store, const Agent& agent, SessionId id,
                    const RunOptions& options = {}) {
  return detail::read_as<T>(agent,
                            [&](const Agent& bound) { return resume(store, bound, id, options); });
}
template <class T>
Result<T> send_as(Store& store, const Agent& agent, SessionId id, std::string_view message,
                  const RunOptions& options = {}) {
  return detail::read_as<T>(
      agent, [&](const Agent& bound) { return send(store, bound, id, message, options); });
}

}  // namespace wright
