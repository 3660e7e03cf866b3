// Why a call failed, in the terms of feedback: what was missing, and what would help.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::feedback {

enum class FailureKind : std::uint8_t {
  none,
  unknown_tool,          // no tool has that name
  broken_arguments,      // not JSON
  refused_arguments,     // JSON that does not fit
  unknown_field,         // a field, column or parameter that is not there
  unsupported_operator,  // a comparison that the tool cannot make
  unknown_entity,        // a table or type that is not there
  unknown_relationship,
  permission,
  timeout,
  too_much,     // a limit of size or rate
  unavailable,  // a temporary problem
  other,
};

struct Failure {
  FailureKind kind = FailureKind::none;
  std::string subject = {};  // the field, operator, entity or relationship, where it is named
};

// `code` is what the pipeline saw; ErrorCode::tool_failed where only the words are left.
Failure failure_of(ErrorCode code, std::string_view message);

}  // namespace wright::feedback
