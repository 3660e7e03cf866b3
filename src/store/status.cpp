#include "store/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace wright {
namespace {

constexpr std::array kSessionStatusNames{
    std::pair{SessionStatus::running, std::string_view("running")},
    std::pair{SessionStatus::completed, std::string_view("completed")},
    std::pair{SessionStatus::failed, std::string_view("failed")},
    std::pair{SessionStatus::waiting, std::string_view("waiting")},
    std::pair{SessionStatus::cancelled, std::string_view("cancelled")},
};

constexpr std::array kCallStatusNames{
    std::pair{CallStatus::pending, std::string_view("pending")},
    std::pair{CallStatus::executing, std::string_view("executing")},
    std::pair{CallStatus::completed, std::string_view("completed")},
    std::pair{CallStatus::failed, std::string_view("failed")},
    std::pair{CallStatus::waiting, std::string_view("waiting")},
    std::pair{CallStatus::cancelled, std::string_view("cancelled")},
    std::pair{CallStatus::unknown, std::string_view("unknown")},
};

constexpr std::array kCallMoves{
    std::pair{CallStatus::pending, CallStatus::executing},
    std::pair{CallStatus::pending, CallStatus::waiting},
    std::pair{CallStatus::pending, CallStatus::cancelled},
    std::pair{CallStatus::pending, CallStatus::failed},
    std::pair{CallStatus::waiting, CallStatus::executing},
    std::pair{CallStatus::waiting, CallStatus::completed},
    std::pair{CallStatus::waiting, CallStatus::failed},
    std::pair{CallStatus::waiting, CallStatus::cancelled},
    std::pair{CallStatus::executing, CallStatus::completed},
    std::pair{CallStatus::executing, CallStatus::failed},
    std::pair{CallStatus::executing, CallStatus::waiting},
    std::pair{CallStatus::executing, CallStatus::cancelled},
    std::pair{CallStatus::executing, CallStatus::unknown},
    std::pair{CallStatus::unknown, CallStatus::completed},
    std::pair{CallStatus::unknown, CallStatus::failed},
    std::pair{CallStatus::unknown, CallStatus::executing},
};

template <class Names, class Status>
std::string_view name_of(const Names& names, Status status) {
  const auto found =
      std::ranges::find(names, status, [](const auto& entry) { return entry.first; });
  return found == names.end() ? std::string_view("invalid") : found->second;
}

}  // namespace

std::string_view to_string(SessionStatus status) {
  return name_of(kSessionStatusNames, status);
}

std::string_view to_string(CallStatus status) {
  return name_of(kCallStatusNames, status);
}

Result<SessionStatus> session_status_from(std::string_view text) {
  for (const auto& [status, name] : kSessionStatusNames) {
    if (name == text) return status;
  }
  return fail(ErrorCode::invalid_argument, fmt::format("Unknown session status '{}'", text));
}

Result<CallStatus> call_status_from(std::string_view text) {
  for (const auto& [status, name] : kCallStatusNames) {
    if (name == text) return status;
  }
  return fail(ErrorCode::invalid_argument, fmt::format("Unknown tool call status '{}'", text));
}

namespace store {

bool is_end(SessionStatus status) {
  return status != SessionStatus::running && status != SessionStatus::waiting;
}

bool is_end(CallStatus status) {
  return status == CallStatus::completed || status == CallStatus::failed ||
         status == CallStatus::cancelled;
}

bool may_move(CallStatus from, CallStatus to) {
  return std::ranges::find(kCallMoves, std::pair{from, to}) != kCallMoves.end();
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

Error illegal_move(CallId id, CallStatus from, CallStatus to) {
  return {
      ErrorCode::invalid_argument,
      fmt::format("Tool call {} is {} and cannot become {}", id, to_string(from), to_string(to)),
      {}};
}

}  // namespace store
}  // namespace wright
