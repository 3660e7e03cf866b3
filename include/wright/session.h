// What a store keeps of a session: its row, its messages, its tool calls, what it waits for, what
// happened to it; and figures over many.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/message.h"
#include "wright/people.h"

namespace wright {

using SessionId = std::int64_t;
using MessageId = std::int64_t;
using CallId = std::int64_t;  // the row of a tool call; the model's own id is `tool_call_id`
using WaitId = std::int64_t;
using RunnerId = std::int64_t;
using EventSequence = std::int64_t;

enum class SessionStatus : std::uint8_t {
  running,
  completed,
  failed,
  waiting,  // for people
  cancelled,
  queued,  // for a runner; see Claim
};
enum class CallStatus : std::uint8_t {
  pending,    // asked for by the model
  executing,  // about to have its effect, or having it
  completed,
  failed,
  waiting,    // a person must answer first
  cancelled,  // the run ended before it was executed
  unknown,    // interrupted while executing: nobody knows whether it happened
};

std::string_view to_string(SessionStatus status);
std::string_view to_string(CallStatus status);
Result<SessionStatus> session_status_from(std::string_view name);
Result<CallStatus> call_status_from(std::string_view name);

struct NewSession {
  std::string agent_name = {};
  std::string provider = {};
  std::string model = {};
  std::optional<std::string> system_prompt = {};
  std::string user_prompt = {};
  std::optional<SessionId> parent_session_id = {};
  std::optional<CallId> parent_call_id = {};  // the call of the parent that this session answers
  Json config = {};                           // an object, or null
  std::optional<RunnerId> runner_id = {};     // who drives it from its first moment
  bool is_queued = false;                     // nobody does: it is `queued`, and has no parent
  int priority = 0;                           // in the queue; see Claim
  std::optional<std::int64_t> ready_at = {};  // not to be claimed before
  // That whoever claims it must have, such as "gpu" or "repository=shop": each up to 63 letters,
  // digits and . _ - = of ASCII.
  std::vector<std::string> labels = {};
  // Whom it is for, spelt like a label; empty: nobody in particular. In the queue, tenants take
  // turns. A session below another has that one's.
  std::string tenant = {};
};

struct Session {
  SessionId id = 0;
  std::string agent_name = {};
  std::string provider = {};
  std::string model = {};
  std::optional<std::string> system_prompt = {};
  std::string user_prompt = {};
  SessionStatus status = SessionStatus::running;
  std::int64_t started_at = 0;
  std::optional<std::int64_t> ended_at = {};
  std::optional<std::string> result = {};
  std::optional<std::string> error = {};
  std::optional<ErrorCode> error_code = {};
  std::optional<Limit> limit = {};  // that stopped it
  std::optional<SessionId> parent_session_id = {};
  Usage usage = {};
  int iterations = 0;
  Json config = {};
  int format_version = 1;
  std::optional<CallId> parent_call_id = {};
  std::optional<SessionId> forked_from = {};
  std::optional<RunnerId> runner_id = {};  // who drives it; see Runner
  int lease_epoch = 0;                     // how many times it was taken by a runner
  Json feedback = {};                      // of its tools, or null
  Json context = {};  // what requests to its model leave out, or null; see fitting.h
  // Time at work, without waiting for people: of the whole session, and since the user's last
  // message. Not known of sessions that earlier versions wrote.
  std::optional<std::int64_t> worked_ms = {};
  std::optional<std::int64_t> turn_worked_ms = {};
  std::optional<std::string> cancel_reason = {};  // somebody wants it cancelled; see RequestCancel
  int priority = 0;
  std::optional<std::int64_t> ready_at = {};
  std::vector<std::string> labels = {};
  std::string tenant = {};
};

// What people are told that a session took: its time at work where it is known, else the time from
// its beginning to its end. Nothing before it has ended.
std::optional<std::int64_t> duration_ms(const Session& session);

struct StoredMessage {
  MessageId id = 0;
  SessionId session_id = 0;
  Message message = {};
  std::string content = {};  // as display_text() shows it
  std::int64_t created_at = 0;
};

struct StoredCall {
  CallId id = 0;
  SessionId session_id = 0;
  std::optional<MessageId> message_id = {};
  std::string tool_call_id = {};
  std::string tool_name = {};
  std::string request = {};  // arguments as the model wrote them
  std::optional<Json> response = {};
  CallStatus status = CallStatus::pending;
  std::int64_t created_at = 0;
  std::optional<std::int64_t> completed_at = {};
  std::optional<std::int64_t> execution_time_ms = {};
  std::optional<std::string> error_details = {};
  std::optional<ToolResult> result = {};  // see UpdateCall
};

enum class WaitStatus : std::uint8_t { open, answered, expired, cancelled };

std::string_view to_string(WaitStatus status);
Result<WaitStatus> wait_status_from(std::string_view name);

// A wait stays `open` when its time is over, until whoever drives the session closes it; it takes
// no answer any more.
struct StoredWait {
  WaitId id = 0;
  SessionId session_id = 0;
  CallId call_id = 0;  // the call that waits, and with it the exact arguments that were shown
  WaitKind kind = WaitKind::question;
  Json shown = {};
  std::vector<std::string> covers = {};  // see Waiting
  Json state = {};                       // likewise
  WaitStatus status = WaitStatus::open;
  std::int64_t created_at = 0;
  std::optional<std::int64_t> expires_at = {};
  std::optional<std::int64_t> answered_at = {};
  std::optional<std::string> answered_by = {};
  std::optional<Json> answer = {};
};

// What happened to a session, for processes that read it afterwards.
struct StoredEvent {
  EventSequence sequence = 0;  // rises with every event of the store
  SessionId session_id = 0;
  std::string type = {};
  Json data = {};
  std::int64_t at = 0;  // milliseconds since 1970
};

// Somebody wants a session cancelled; see RequestCancel.
struct CancelWish {
  SessionId session_id = 0;
  std::string reason = {};

  bool operator==(const CancelWish&) const = default;
};

// What others did to sessions that a runner drives. A session below one that it drives counts, too:
// a specialist that waits is nobody's, but whoever drives the session above resumes it.
struct RunnerNews {
  std::vector<CancelWish> cancelled = {};
  std::vector<StoredWait> answered = {};  // whose call is still `waiting`; oldest first
  // Those of the runner itself that have messages which nobody has taken (kSaidRecords).
  std::vector<SessionId> spoken_to = {};
};

// What the sessions below one have used, at any depth.
struct SpentBySpecialists {
  Usage usage = {};
  std::int64_t tool_calls = 0;  // that were begun for messages younger than the given one
};

// Sessions of one agent and one model.
struct RunSamples {
  std::string agent_name = {};
  std::string provider = {};
  std::string model = {};
  std::int64_t count = 0;
  std::int64_t failed = 0;
  Usage usage = {};
  std::vector<std::int64_t> durations_ms = {};  // of those that have ended; see duration_ms()
};

// Calls of one tool by sessions of one agent and one model: `completed`, `failed` and `unknown`
// ones.
struct CallSamples {
  std::string tool_name = {};
  std::string agent_name = {};
  std::string provider = {};
  std::string model = {};
  std::int64_t count = 0;
  std::int64_t failed = 0;
  std::int64_t unknown = 0;  // they were begun, and nobody knows what came of them
  std::vector<std::int64_t> durations_ms = {};  // of those whose duration is known
};

// Of more than a million durations, some are there, chosen by lot and of all groups alike; sorted.
struct StoreStats {
  std::vector<RunSamples> runs = {};    // by agent, provider, model
  std::vector<CallSamples> calls = {};  // by tool, agent, provider, model
};

// How the sessions of a store stand at one moment. Those that have ended are not counted.
struct StoreCounts {
  std::int64_t queued = 0;      // they wait for a runner
  std::int64_t driven = 0;      // `running`, and a runner has them; only those without a parent
  std::int64_t undriven = 0;    // `running`, and no runner has them; likewise
  std::int64_t waiting = 0;     // they have asked a person something, and no answer has come yet
  std::int64_t open_waits = 0;  // what they have asked
  // Since when the queued one is ready that could have been claimed first: it is due, and its last
  // message is there. Absent: none is ready.
  std::optional<std::int64_t> ready_since = {};

  bool operator==(const StoreCounts&) const = default;
};

// What began in one stretch of time. Calls have no usage of their own.
struct HistoryPoint {
  std::int64_t count = 0;
  std::int64_t failed = 0;
  std::int64_t unknown = 0;  // calls that nobody knows the outcome of
  std::int64_t limited = 0;  // sessions that a limit has stopped, such as a budget
  Usage usage = {};
  std::optional<std::int64_t> p50_ms = {};  // of those whose duration is known
  std::optional<std::int64_t> p95_ms = {};

  bool operator==(const HistoryPoint&) const = default;
};

struct HistorySeries {
  std::string name = {};                  // of the agent, the model ("provider:model") or the tool
  bool is_rest = false;                   // all that have no series of their own
  std::int64_t count = 0;                 // over all of the time
  std::vector<HistoryPoint> points = {};  // one for each stretch of time
};

struct StoreHistory {
  std::vector<HistorySeries> series = {};  // the one with most first, the rest last
  bool is_complete = true;                 // false: there were more rows than were to be read
};

}  // namespace wright
