// Checks a value against a Program.
#pragma once

#include <vector>

#include "core/json_schema/program.h"
#include "wright/json.h"

namespace wright::json_schema {

bool accepts(const Program& program, const Json& value);

std::vector<Violation> violations(const Program& program, const Json& value, std::size_t limit);

}  // namespace wright::json_schema
