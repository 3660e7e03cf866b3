#include "store/status.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "core/enum_names.h"
#include "core/saturating.h"

namespace wright {

WRIGHT_ENUM(SessionStatus, running, completed, failed, waiting, cancelled, queued)
WRIGHT_ENUM(CallStatus, pending, executing, completed, failed, waiting, cancelled, unknown)
WRIGHT_ENUM(WaitStatus, open, answered, expired, cancelled)

namespace {

constexpr std::array kCallMoves{
    std::pair{CallStatus::pending, CallStatus::executing},
    std::pair{CallStatus::pending, CallStatus::waiting},
    std::pair{CallStatus::pending, CallStatus::cancelled},
    std::pair{CallStatus::pending, CallStatus::failed},
    std::pair{CallStatus::waiting, CallStatus::executing},
    std::pair{CallStatus::waiting, CallStatus::completed},
    std::pair{CallStatus::waiting, CallStatus::failed},
    std::pair{CallStatus::waiting, CallStatus::cancelled},
    std::pair{CallStatus::waiting, CallStatus::unknown},  // it waited in the middle of what it did
    std::pair{CallStatus::executing, CallStatus::completed},
    std::pair{CallStatus::executing, CallStatus::failed},
    std::pair{CallStatus::executing, CallStatus::waiting},
    std::pair{CallStatus::executing, CallStatus::cancelled},
    std::pair{CallStatus::executing, CallStatus::unknown},
    std::pair{CallStatus::unknown, CallStatus::completed},
    std::pair{CallStatus::unknown, CallStatus::failed},
    std::pair{CallStatus::unknown, CallStatus::executing},
};

template <class Status>
Result<Status> named(std::string_view text, std::string_view what) {
  if (const auto status = enum_named<Status>(text)) return *status;
  return fail(ErrorCode::invalid_argument, fmt::format("Unknown {} '{}'", what, text));
}

}  // namespace

std::string_view to_string(SessionStatus status) {
  return enum_name(status);
}

std::string_view to_string(CallStatus status) {
  return enum_name(status);
}

std::string_view to_string(WaitStatus status) {
  return enum_name(status);
}

Result<SessionStatus> session_status_from(std::string_view text) {
  return named<SessionStatus>(text, "session status");
}

Result<CallStatus> call_status_from(std::string_view text) {
  return named<CallStatus>(text, "tool call status");
}

Result<WaitStatus> wait_status_from(std::string_view text) {
  return named<WaitStatus>(text, "wait status");
}

std::optional<std::int64_t> duration_ms(const Session& session) {
  if (!session.ended_at) return std::nullopt;
  return session.worked_ms.value_or(saturating_difference(*session.ended_at, session.started_at));
}

namespace store {

bool is_end(SessionStatus status) {
  return status == SessionStatus::completed || status == SessionStatus::failed ||
         status == SessionStatus::cancelled;
}

bool is_failure(SessionStatus status) {
  return status == SessionStatus::failed || status == SessionStatus::cancelled;
}

bool is_end(CallStatus status) {
  return status == CallStatus::completed || status == CallStatus::failed ||
         status == CallStatus::cancelled;
}

bool may_move(CallStatus from, CallStatus to) {
  return std::ranges::find(kCallMoves, std::pair{from, to}) != kCallMoves.end();
}

bool was_begun(const StoredCall& call) {
  switch (call.status) {
    case CallStatus::executing:
    case CallStatus::completed:
    case CallStatus::waiting:
    case CallStatus::unknown: return true;
    // What was refused or given up before it began took no time.
    case CallStatus::failed:
    case CallStatus::cancelled: return call.execution_time_ms.has_value();
    case CallStatus::pending: break;
  }
  return false;
}

std::string may_move_to(CallStatus to) {
  std::string names = ",";
  for (const auto& [from, target] : kCallMoves) {
    if (target == to) names.append(to_string(from)).append(",");
  }
  return names;
}

bool may_close_as(WaitStatus status) {
  return status == WaitStatus::expired || status == WaitStatus::cancelled;
}

bool is_over(const StoredWait& wait, std::int64_t now) {
  return wait.expires_at && *wait.expires_at <= now;
}

WaitStatus status_at(const StoredWait& wait, std::int64_t now) {
  return wait.status == WaitStatus::open && is_over(wait, now) ? WaitStatus::expired : wait.status;
}

Error no_session(SessionId id) {
  return {ErrorCode::not_found, fmt::format("There is no session {}", id), {}};
}

Error no_message(MessageId id, SessionId session_id) {
  return {ErrorCode::not_found, fmt::format("Session {} has no message {}", session_id, id), {}};
}

Error no_call(CallId id) {
  return {ErrorCode::not_found, fmt::format("There is no tool call {}", id), {}};
}

Error no_call(CallId id, SessionId session_id) {
  return {ErrorCode::not_found, fmt::format("Session {} has no tool call {}", session_id, id), {}};
}

Error no_wait(WaitId id) {
  return {ErrorCode::not_found, fmt::format("There is no wait {}", id), {}};
}

Error illegal_move(CallId id, CallStatus from, CallStatus to) {
  return {
      ErrorCode::invalid_argument,
      fmt::format("Tool call {} is {} and cannot become {}", id, to_string(from), to_string(to)),
      {}};
}

Error not_waiting(CallId id, CallStatus status) {
  return {ErrorCode::invalid_argument,
          fmt::format("Tool call {} is {}; only one that is waiting can wait for something", id,
                      to_string(status)),
          {}};
}

Error waits_already(CallId id) {
  return {ErrorCode::already_exists,
          fmt::format("Tool call {} has an open wait already; close that one first", id),
          {}};
}

Error record_exists(std::string_view kind, std::string_view key) {
  return {ErrorCode::already_exists,
          to_valid_utf8(fmt::format("There is a record {} of the kind {} already", key, kind)),
          {}};
}

Error record_changed(std::string_view kind, std::string_view key) {
  return {ErrorCode::unavailable,
          to_valid_utf8(fmt::format(
              "The record {} of the kind {} is not what it was: read it again", key, kind)),
          JsonObject{{"record_kind", to_valid_utf8(std::string(kind))}}};
}

Error call_without_parent() {
  return {ErrorCode::invalid_argument,
          "A session that answers a call needs the session of that call as its parent",
          {}};
}

Error illegal_close(WaitStatus status) {
  return {ErrorCode::invalid_argument,
          fmt::format("Closing waits makes them expired or cancelled, not {}", to_string(status)),
          {}};
}

Error has_ended(SessionId id, SessionStatus status) {
  return {ErrorCode::already_exists,
          fmt::format("Session {} has ended already: it is {}", id, to_string(status)),
          JsonObject{{"status", to_string(status)}}};
}

Error has_not_ended(SessionId id, SessionStatus status) {
  return {
      ErrorCode::unavailable,
      fmt::format("Session {} is {}: it takes a message when it has ended", id, to_string(status)),
      JsonObject{{"status", to_string(status)}}};
}

Error is_running(SessionId id) {
  return {ErrorCode::unavailable, fmt::format("Session {} is running: cancel it first", id), {}};
}

Error queued_child() {
  return {ErrorCode::invalid_argument,
          "Only a session without a parent can be queued; the others go on with the one above them",
          {}};
}

Error queue_is_full(const LimitQueue& limit) {
  const std::string whose = limit.tenant ? fmt::format(" of the tenant '{}'", *limit.tenant) : "";
  return {ErrorCode::rate_limited,
          fmt::format("The queue is full: {} {}{} {} in it already. Try again later", limit.most,
                      limit.most == 1 ? "session" : "sessions", whose,
                      limit.most == 1 ? "waits" : "wait"),
          {}};
}

Error queued_with_runner() {
  return {ErrorCode::invalid_argument,
          "A session that is queued has no runner; leave runner_id out",
          {}};
}

Error not_open(const StoredWait& wait) {
  std::string message = fmt::format("Wait {} was cancelled", wait.id);
  JsonObject detail{{"status", to_string(wait.status)}};
  if (wait.status == WaitStatus::answered) {
    const std::string by = wait.answered_by.value_or("");
    const std::int64_t at = wait.answered_at.value_or(0);
    message =
        fmt::format("Wait {} was answered by {} at {:%Y-%m-%d %H:%M:%S} UTC", wait.id,
                    by.empty() ? "someone" : by, fmt::gmtime(static_cast<std::time_t>(at / 1000)));
    detail["answered_by"] = by;
    detail["answered_at"] = at;
  }
  // One that is open was asked for its time.
  if (wait.status == WaitStatus::expired || wait.status == WaitStatus::open) {
    detail["status"] = to_string(WaitStatus::expired);
    message = fmt::format("The time to answer wait {} is over", wait.id);
  }
  return {ErrorCode::already_exists, std::move(message), std::move(detail)};
}

}  // namespace store
}  // namespace wright
