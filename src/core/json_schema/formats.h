// What the values of `format` mean.
#pragma once

#include <string_view>

#include "core/json_schema/program.h"

namespace wright::json_schema {

// Null for a format that is not known, which accepts everything.
FormatCheck format_named(std::string_view name);

}  // namespace wright::json_schema
