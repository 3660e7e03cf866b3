// How much a JSON text would hold, before it is read: a value takes many times its text in memory.
#pragma once

#include <cstddef>
#include <string_view>

namespace wright {

// Of a text that a stranger sends. 32 MB of small values would take a gigabyte.
inline constexpr std::size_t kMostJsonValues = 1'000'000;

// At most, if it is JSON: every value but the first of its array or object has a comma before it.
inline std::size_t most_values_in(std::string_view json) {
  std::size_t values = 1;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == ',' || c == '{' || c == '[') ++values;
    if (c != '"') continue;
    for (++i; i < json.size() && json[i] != '"'; ++i) {
      if (json[i] == '\\') ++i;
    }
  }
  return values;
}

}  // namespace wright
