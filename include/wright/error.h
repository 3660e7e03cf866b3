// Errors as values. Every fallible function of Wright returns Result<T>; nothing throws across the
// public API.
#pragma once

#include "wright/detail/language.h"
// First: what follows needs the language.
#include <boost/json/value.hpp>

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace wright {

enum class ErrorCode : std::uint8_t {
  invalid_argument,   // the caller passed something that can never work
  invalid_json,       // text that is not JSON
  not_found,          // a session, file, tool or agent that does not exist
  already_exists,     // creating something that already exists
  permission_denied,  // outside the allowed paths, or the system refused
  unsupported,        // a newer format, an unknown vendor, a missing feature
  limit_reached,      // iterations, sizes, budgets
  unavailable,        // busy, locked, offline: trying again may help
  timeout,
  cancelled,
  authentication,    // a key is missing, wrong or expired
  rate_limited,      // too many requests; the detail may say when to retry
  overloaded,        // the service is up but has no capacity
  context_too_long,  // more than the model can read
  content_filtered,  // refused because of its content
  answer_cut,        // a model's answer ended before it was complete
  answer_refused,    // a model's answer is not what was asked for; see answer_of()
  network,           // no connection, or one that broke
  storage,           // the database or the disk failed
  protocol,          // a peer sent something that its protocol forbids
  tool_failed,       // a tool said so, or threw
  internal,          // a broken invariant of our own
};

std::string_view to_string(ErrorCode code);

// `message` is one sentence a person can act on. `detail` is for programs: an object, or null.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message = {};
  boost::json::value detail = {};

  // A member of `detail`, or null.
  const boost::json::value* find(std::string_view key) const;

  bool operator==(const Error&) const = default;
};

template <class T>
using Result = std::expected<T, Error>;

Result<ErrorCode> error_code_from(std::string_view name);

inline std::unexpected<Error> fail(ErrorCode code, std::string message,
                                   boost::json::value detail = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(detail)});
}

// What can stop a run.
enum class Limit : std::uint8_t {
  iterations,
  tool_calls,
  repeats,
  tokens,
  cost,
  time,
  depth,
  tools,  // a specialist without tools called one
};
std::string_view to_string(Limit limit);
Result<Limit> limit_from(std::string_view name);

// The error of a run that a limit stopped, and back. `answer` is the best one so far.
Error limit_error(Limit limit, std::string message, std::string answer = {});
std::optional<Limit> limit_of(const Error& error);
std::string answer_of(const Error& error);

}  // namespace wright
