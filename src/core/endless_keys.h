// A bound for TOML before a parser sees it: toml++, and what destroys its documents, call
// themselves for each part of a key and each value inside of a value, and the stack has an end.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace wright {

// Dots in texts count as well, so it is far more than any document has: those of a line, and of
// what is open around it.
inline constexpr std::size_t kMostTomlLevels = 1'000;

// The line where that may be passed; nothing where it is not.
std::optional<std::size_t> line_of_endless_key(std::string_view toml);

}  // namespace wright
