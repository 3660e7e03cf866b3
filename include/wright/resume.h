// Going on with sessions that are in a store: after a crash, after a person has answered, or with
// another message.
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "wright/ask_user.h"
#include "wright/driver.h"
#include "wright/store.h"

namespace wright {

// A person's word on a call that may or may not have had its effect before a crash.
enum class Settlement : std::uint8_t {
  done,    // it happened
  failed,  // it did not happen
  retry,   // run it again
};
std::string_view to_string(Settlement settlement);
Result<Settlement> settlement_from(std::string_view name);

// By the model's id of the call.
using Settlements = std::map<std::string, Settlement, std::less<>>;

// What a model is told of a call of a `write` tool that was interrupted and that nobody settled.
inline constexpr std::string_view kOutcomeUnknown =
    "The outcome of this call is not known: the process ended while it ran. It may have happened "
    "or not, and it was not repeated. Find out before you do it again.";

// Goes on with the stored session `id` (RunOptions::store must be set), and with the specialists
// below it that have not ended. Call by call: a stored result is used; a call that was under way is
// run again when its tool reads or is idempotent; one of a `write` tool is not, and the model is
// told (kOutcomeUnknown), unless it is settled. A session that another living process drives is
// refused (ErrorCode::unavailable), as is one that has ended (invalid_argument).
Result<RunResult> resume(const Agent& agent, SessionId id, const RunOptions& options,
                         const Settlements& settlements = {});

// The user's next message to a session that has ended.
Result<RunResult> send(const Agent& agent, SessionId id, std::string_view message,
                       const RunOptions& options);

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
// for their time to run out. Says how many.
Result<int> end_dead_runners(Store& store);

}  // namespace wright
