// What can be written to a store. Writes come in batches; see store.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "wright/session.h"
#include "wright/store_leases.h"

namespace wright {

// Moves a call on. Legal moves: pending → executing, waiting, cancelled, failed;
// waiting → executing, completed, failed, cancelled; executing → completed, failed, waiting,
// cancelled, unknown; unknown → completed, failed, executing. Others are refused.
struct UpdateCall {
  CallId call_id = 0;
  CallStatus status = CallStatus::executing;
  std::optional<Json> response = {};
  std::optional<std::int64_t> execution_time_ms = {};
  std::optional<std::string> error_details = {};
  // What the model will read, while the other calls of the turn are still open: the message that
  // tells the model is written only when all are answered, in the order of the calls.
  std::optional<ToolResult> result = {};
};
// The message, and for each tool call in it one `pending` row that belongs to the message. The
// first `started_calls` of them are about to be executed: they move on to `executing` at once. With
// `others`, the rest of them move on as well: they will not be executed.
struct AppendMessage {
  SessionId session_id = 0;
  Message message = {};
  std::size_t started_calls = 0;
  std::optional<UpdateCall> others = {};  // its call_id is filled in
};
// A call that belongs to no message of this batch.
struct CreateCall {
  SessionId session_id = 0;
  std::optional<MessageId> message_id = {};
  ToolCall call = {};
};
// Sets what has a value. Ended statuses (completed, failed, cancelled) set ended_at and clear the
// wish to cancel; others clear ended_at. Statuses that are no failure clear the error. Every status
// but `running` also releases the session (see ClaimLease).
struct UpdateSession {
  SessionId session_id = 0;
  std::optional<SessionStatus> status = {};
  std::optional<std::string> result = {};
  std::optional<std::string> error = {};
  std::optional<ErrorCode> error_code = {};
  std::optional<Limit> limit = {};
  std::optional<Usage> usage = {};
  std::optional<int> iterations = {};
  std::optional<std::string> agent_name = {};  // the conversation moved to another agent
  std::optional<Json> feedback = {};
  std::optional<Json> context = {};
  std::optional<std::int64_t> worked_ms = {};
  std::optional<std::int64_t> turn_worked_ms = {};
};
// The call must be `waiting` by then, or become so in the same batch before this. It has one open
// wait at a time (ErrorCode::already_exists).
struct OpenWait {
  SessionId session_id = 0;
  CallId call_id = 0;
  WaitKind kind = WaitKind::question;
  Json shown = {};
  std::vector<std::string> covers = {};
  std::optional<std::int64_t> expires_at = {};
};
// Ends every open wait of the session, or that of one call: as `cancelled` or `expired`.
struct CloseWaits {
  SessionId session_id = 0;
  std::optional<CallId> call_id = {};
  WaitStatus status = WaitStatus::cancelled;
};
// Exactly one answer wins. Refused (ErrorCode::already_exists) when the wait is not open any more
// or its time is over; Error::detail has its `status` and who answered when.
struct AnswerWait {
  WaitId wait_id = 0;
  Json answer = {};
  std::string answered_by = {};
};
// With its messages, calls, waits, events and children, whoever drives it.
struct DeleteSession {
  SessionId session_id = 0;
};
// The same session again up to and with the message `last`, the calls of its messages as they are,
// completed and without a runner, a parent or costs of its own; the original is untouched. Refused
// where a call has no result yet; the error names the nearest messages where it can be.
struct ForkSession {
  SessionId session_id = 0;
  MessageId last = 0;
};
using EventSequence = std::int64_t;

// For processes that read afterwards what happened; see StoredEvent.
struct NewEvent {
  std::string type = {};
  Json data = {};
  std::optional<std::int64_t> at = {};  // else when it is written
};
struct AppendEvents {
  SessionId session_id = 0;
  std::vector<NewEvent> events = {};
};
// Deletes sessions without a parent that ended before, each with all below it, the oldest first;
// not the `keep` youngest of all that have ended, nor any that a living runner has.
struct Prune {
  std::int64_t ended_before = 0;  // milliseconds since 1970
  std::size_t keep = 0;
  std::size_t most = 100;
};

using Write = std::variant<AppendMessage, CreateCall, UpdateCall, UpdateSession, OpenWait,
                           CloseWaits, ClaimLease, HoldLease, ReleaseLease, AnswerWait,
                           DeleteSession, ForkSession, RegisterRunner, RenewRunner, EndRunner,
                           RequestCancel, Enqueue, Claim, AppendEvents, Prune>;

// Writes that stand or fall together, perhaps with a new session: those whose session_id is 0
// belong to it.
struct Batch {
  std::optional<NewSession> create = {};
  std::vector<Write> writes = {};
};

// What came of a batch, each list in the order of its writes.
struct BatchIds {
  SessionId session = 0;                  // of Batch::create
  int epoch = 0;                          // of Batch::create: 1 when it has a runner
  std::vector<MessageId> messages = {};   // of AppendMessage and Enqueue
  std::vector<CallId> calls = {};         // also those of appended messages, in their order
  std::vector<WaitId> waits = {};         // of OpenWait
  std::vector<int> epochs = {};           // of ClaimLease
  std::vector<StoredWait> answered = {};  // of AnswerWait
  std::vector<SessionId> forks = {};
  std::vector<RunnerId> runners = {};  // of RegisterRunner
  std::vector<ClaimedSession> claimed = {};
  std::vector<EventSequence> events = {};
  std::vector<SessionId> pruned = {};  // those without a parent
  // Of the sessions that the batch holds, takes or claims and does not end: those that somebody
  // wants cancelled.
  std::vector<CancelWish> cancelled = {};
};

}  // namespace wright
