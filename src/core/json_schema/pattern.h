// Regular expressions of JSON Schema (ECMA-262) on RE2, which never takes more than linear time.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::json_schema {

// Unsupported (ErrorCode::unsupported): lookaround and back-references. Anything else that fails
// is not a regular expression (ErrorCode::invalid_argument).
Result<std::unique_ptr<const RE2>> compile_pattern(std::string_view pattern);

}  // namespace wright::json_schema
