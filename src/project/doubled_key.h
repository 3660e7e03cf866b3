// Finds a key that an object of a JSON text has twice. A parser keeps one of them, and the reader
// does not learn what the other one said.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wright::project {

// Of valid JSON. Escapes count for what they mean.
std::optional<std::string> doubled_key(std::string_view json);

}  // namespace wright::project
