// Errors as values. Every fallible function of Wright returns Result<T>; nothing throws across the
// public API.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace wright {

enum class ErrorCode : std::uint8_t {
  invalid_argument,   // the caller passed something that can never work
  invalid_json,       // text that is not JSON
  not_found,          // a session, file, tool or agent that does not exist
  already_exists,     // creating what is already there
  permission_denied,  // outside the allowed paths, or the system refused
  unsupported,        // a newer format, an unknown vendor, a missing feature
  limit_reached,      // iterations, sizes, budgets
  unavailable,        // busy, locked, offline: trying again may help
  timeout,
  cancelled,
  authentication,    // a key is missing, wrong or expired
  rate_limited,      // too many requests; the detail may say when to come back
  overloaded,        // the service is there and has no room
  context_too_long,  // more than the model can read
  content_filtered,  // refused for what was said
  answer_cut,        // a model's answer ended before it was complete
  network,           // no connection, or one that broke
  storage,           // the database or the disk failed
  protocol,          // a peer sent something that its protocol forbids
  tool_failed,       // a tool said so, or threw
  waiting,           // a person has to answer first; see wait_for_person() in tool.h
  internal,          // a broken promise of our own
};

std::string_view to_string(ErrorCode code);

// `message` is one sentence a person can act on. `detail` is for programs: JSON text, or empty.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string detail;

  bool operator==(const Error&) const = default;
};

template <class T>
using Result = std::expected<T, Error>;

Result<ErrorCode> error_code_from(std::string_view name);

inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string detail = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(detail)});
}

}  // namespace wright
