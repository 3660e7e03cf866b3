// Regular expressions of JSON Schema (ECMA-262) on RE2, which never takes more than linear time.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::json_schema {

// What tool catalogues write and ECMA-262 does not know: flags as in (?i), Python's (?P<name>…).
enum class ForeignSyntax : std::uint8_t { understood, refused };

// Unsupported (ErrorCode::unsupported): lookaround, back-references, halves of surrogate pairs, and
// repetition beyond RE2's limits. Anything else that fails is not a regular expression
// (ErrorCode::invalid_argument).
Result<std::unique_ptr<const RE2>> compile_pattern(
    std::string_view pattern, ForeignSyntax foreign = ForeignSyntax::understood);

}  // namespace wright::json_schema
