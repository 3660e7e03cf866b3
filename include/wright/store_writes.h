// What can be written to a store. Writes come in batches; see store.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "wright/session.h"

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
// Sets what has a value. Ended statuses (completed, failed, cancelled) set ended_at; `running` and
// `waiting` clear it. Statuses that are no failure clear the error. Every status but `running` also
// gives the session free (see TakeLease).
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
// The runner takes the session: refused (ErrorCode::unavailable, with the runner's name) while
// another runner whose time is not over has it, and (ErrorCode::already_exists) when
// `expected_epoch` is given and somebody has driven the session meanwhile. Raises lease_epoch
// unless it is this runner's already.
struct TakeLease {
  SessionId session_id = 0;
  RunnerId runner_id = 0;
  std::optional<int> expected_epoch = {};
};
// Refuses the whole batch (ErrorCode::unavailable) unless the session is this runner's and its time
// is not over.
struct HoldLease {
  SessionId session_id = 0;
  RunnerId runner_id = 0;
};
// Gives the session free, if it is this runner's; nothing else about it changes.
struct FreeLease {
  SessionId session_id = 0;
  RunnerId runner_id = 0;
};
using Write = std::variant<AppendMessage, CreateCall, UpdateCall, UpdateSession, OpenWait,
                           CloseWaits, TakeLease, HoldLease, FreeLease>;

// Writes that stand or fall together, perhaps with a new session to which they belong.
struct Batch {
  std::optional<NewSession> create = {};
  std::vector<Write> writes = {};
};

// Ids given out by a batch, in the order of its writes.
struct BatchIds {
  SessionId session = 0;  // of Batch::create
  std::vector<MessageId> messages;
  std::vector<CallId> calls;  // also those of appended messages, in their order
  std::vector<WaitId> waits;
  std::vector<int> epochs;  // of TakeLease
};

}  // namespace wright
