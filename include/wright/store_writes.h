// What is written to a store: batches of writes, and who drives a session.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "wright/session.h"

namespace wright {

// Writes that say who drives a session: runners and their leases, the queue, and the wish to
// cancel. They come in batches with all other writes.
//
// A session belongs to at most one living runner. Every claim raises the session's lease_epoch, so
// that two drivers of one process can be told apart, too: what a driver writes holds the lease with
// the epoch that it was claimed with.

// A process that drives sessions. A running session belongs to one runner as long as that one's
// time is not over; every other is refused. Registered once, renewed by a heartbeat. Processes of
// the same boot of a machine judge its time by that machine's boot clock, which never jumps; others
// by the wall clock.
struct Runner {
  RunnerId id = 0;
  std::string name = {};  // says which process it is, to other processes of the same machine
  std::int64_t expires_at = 0;
  std::string boot_id = {};  // empty: it has no boot clock
  std::int64_t boot_expires_at = 0;
};

struct RegisterRunner {
  std::string name = {};
  std::chrono::milliseconds time = {};  // how long it lives from now on, unless it is renewed
};
// Refused (ErrorCode::not_found) when somebody has ended it.
struct RenewRunner {
  RunnerId runner_id = 0;
  std::chrono::milliseconds time = {};
};
// Its sessions are free from now on. Ending one that has ended changes nothing.
struct EndRunner {
  RunnerId runner_id = 0;
};

// The runner takes the session; the new epoch is in BatchIds::epochs. Refused
// (ErrorCode::unavailable) when the runner is not alive, and while a living runner has the session,
// be it this one. With `expected_epoch` a runner may take again what it has; refused
// (ErrorCode::already_exists) when the epoch is another by now: somebody has driven the session
// meanwhile.
struct ClaimLease {
  SessionId session_id = 0;
  RunnerId runner_id = 0;
  std::optional<int> expected_epoch = {};
};
// Refuses the whole batch (ErrorCode::unavailable) unless the session is this runner's, was taken
// with this epoch, and the runner is alive. Error::detail has the session's `lease_epoch` and,
// where a living runner has it, `runner_id` and `runner` (its name).
struct HoldLease {
  SessionId session_id = 0;
  RunnerId runner_id = 0;
  std::optional<int> epoch = {};
};
// Releases the session; nothing else about it changes. Does nothing when it is not this runner's,
// or was taken with another epoch.
struct ReleaseLease {
  SessionId session_id = 0;
  RunnerId runner_id = 0;
  std::optional<int> epoch = {};
};

// Asks whoever drives the session, now or later, to cancel it. The wish stays until the session has
// ended; the first reason counts. Refused (ErrorCode::already_exists, with `status` in
// Error::detail) when the session has ended already.
struct RequestCancel {
  SessionId session_id = 0;
  std::string reason = {};
};

// A session that has ended gets its next user message and is `queued`. Refused
// (ErrorCode::unavailable) as long as it has not ended or a living runner has it, and
// (ErrorCode::invalid_argument) when it is a specialist's.
struct Enqueue {
  SessionId session_id = 0;
  Message message = {};
  int priority = 0;                           // higher ones come first
  std::optional<std::int64_t> ready_at = {};  // not before; milliseconds since 1970
};
// Takes up to `most` queued sessions that are ready: each is `running` and the runner's, with a new
// epoch, and listed in BatchIds::claimed. Tenants take turns, the one that was served longest ago
// first, and so do the agents of each; of one agent the highest priority comes first, then the
// oldest. Finding none is no error.
// Refused (ErrorCode::unavailable) when the runner is not alive.
struct Claim {
  RunnerId runner_id = 0;
  std::vector<std::string> agent_names = {};  // none: any
  std::size_t most = 1;
  std::vector<std::string> labels = {};  // of the runner: a session that asks for others is not its
  std::vector<SessionId> except = {};    // those that it cannot drive, whatever the reason
  // Sessions of these are left in the queue: "vendor:model", or "vendor" for all models of it.
  std::vector<std::string> except_models = {};
};

// Refuses the whole batch (ErrorCode::rate_limited) when by then more than `most` sessions are
// queued, those of the batch among them: all of them, or those of one tenant. Batches that are
// written at the same moment need not see each other.
struct LimitQueue {
  std::size_t most = 0;
  std::optional<std::string> tenant = {};
};

struct ClaimedSession {
  SessionId session_id = 0;
  int epoch = 0;

  bool operator==(const ClaimedSession&) const = default;
};

// Permits to send requests to a model, so that all processes of a store together keep to one pace.
// A process takes some at a time, uses them without asking again, and gives back what it does not
// use. What a process that died had taken is free again when its time is over.
//
// A pace is a bucket that holds ten seconds' worth, so that after a quiet time that many may come
// at once; 0 means no limit. Whoever asks says what the pace is: all should say the same. A bucket
// that is not empty gives the one request that waits for it all the tokens it needs, and owes them.
struct TakePermits {
  RunnerId runner_id = 0;  // refused (ErrorCode::unavailable) when it is not alive
  std::string name = {};   // what the pace is for: "openai", "openai:gpt-5-mini"
  std::int64_t requests_per_minute = 0;
  std::int64_t tokens_per_minute = 0;
  std::int64_t concurrent_requests = 0;
  std::int64_t requests = 0;  // as many more, at most; below 0: given back
  std::int64_t tokens = 0;    // likewise
  std::int64_t tokens_of_first = 0;
  // How many requests at a time it wants to have from now on, and how many are under way, which it
  // cannot stop. Whoever wants more than its share gets that as long as nobody lacks their share.
  std::int64_t slots = 0;
  std::int64_t used_slots = 0;
  std::chrono::milliseconds pause = {};  // the vendor wants to hear from nobody for so long
};

// What came of it: one for each, in BatchIds::permits.
struct Permits {
  std::int64_t requests = 0;  // may be below 0: given back
  std::int64_t tokens = 0;
  std::int64_t slots = 0;  // that it has from now on, in all
  // When it is worth asking for requests or tokens again, from now on; 0: at once.
  std::chrono::milliseconds wait = {};

  bool operator==(const Permits&) const = default;
};

// What can be written to a store. Writes come in batches; see store.h.

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
// `others`, the rest of them move on as well: they will not be executed. What is told by somebody
// else is no record of what happened here: its calls have no rows.
struct AppendMessage {
  SessionId session_id = 0;
  Message message = {};
  std::size_t started_calls = 0;
  std::optional<UpdateCall> others = {};  // its call_id is filled in
  bool is_told = false;                   // by somebody else
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
  std::optional<std::string> provider = {};    // it goes on with another model
  std::optional<std::string> model = {};
  std::optional<Json> config = {};  // an object, or null
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
  Json state = {};  // see Waiting
  std::optional<std::int64_t> expires_at = {};
};
// Ends every open wait of the session, or that of one call: as `cancelled` or `expired`. That the
// wait of one call has expired is news to it, as an answer is: somebody should go on with it.
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
// With its messages, calls, waits, events, records and children: whoever drives it, or only where
// nobody does. Then it is refused (ErrorCode::unavailable) while the session is `running`, or a
// living runner has it.
struct DeleteSession {
  SessionId session_id = 0;
  bool unless_running = false;
};
// The same session again up to and with the message `last`, the calls of its messages as they are,
// completed and without a runner, a parent or costs of its own; the original is untouched. Refused
// where a call has no result yet; the error names the nearest messages where it can be.
struct ForkSession {
  SessionId session_id = 0;
  MessageId last = 0;
};
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

// A small fact of a program around sessions, kept beside them: a request that was answered, a
// message that somebody is still to be told. It is found by its kind and key.
struct Record {
  std::string kind = {};
  std::string key = {};
  Json value = {};
  std::int64_t due_at = 0;                   // milliseconds since 1970; lists are in its order
  std::int64_t version = 1;                  // rises by one with every change
  std::optional<SessionId> session_id = {};  // that it belongs to, and goes with

  bool operator==(const Record&) const = default;
};
// Records of this kind are messages to the session that they belong to: see RunnerNews.
inline constexpr std::string_view kSaidRecords = "said";
// With a version, replaces the record of that version, and is refused (ErrorCode::unavailable) when
// it has another by now or is gone; without one it is new, and refused (ErrorCode::already_exists)
// when there is one. So one of many who try at once succeeds.
struct PutRecord {
  std::string kind = {};
  std::string key = {};
  Json value = {};
  std::int64_t due_at = 0;
  std::optional<std::int64_t> version = {};
  // Of a new one: it goes with the session. Refused (ErrorCode::not_found) where there is none. One
  // that is replaced stays whose it is.
  std::optional<SessionId> session_id = {};
};
// Removes one record of the kind, or all of it, with the version and due before where that is said.
// Finding none is no error.
struct RemoveRecords {
  std::string kind = {};
  std::optional<std::string> key = {};
  std::optional<std::int64_t> version = {};
  std::optional<std::int64_t> due_before = {};
};

using Write =
    std::variant<AppendMessage, CreateCall, UpdateCall, UpdateSession, OpenWait, CloseWaits,
                 ClaimLease, HoldLease, ReleaseLease, AnswerWait, DeleteSession, ForkSession,
                 RegisterRunner, RenewRunner, EndRunner, RequestCancel, Enqueue, Claim,
                 AppendEvents, Prune, PutRecord, RemoveRecords, TakePermits, LimitQueue>;

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
  std::vector<Permits> permits = {};
  // Of the sessions that the batch holds, takes or claims and does not end: those that somebody
  // wants cancelled.
  std::vector<CancelWish> cancelled = {};
};

}  // namespace wright
