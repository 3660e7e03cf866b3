// Reading from standard input, whole and bounded, or a line at a time; and files that stand for it.
#pragma once

#include <optional>
#include <string>

#include "wright/error.h"

namespace wright::app {

inline constexpr std::size_t kMostInput = 16 * 1024 * 1024;

bool standard_input_is_terminal();
Result<std::string> read_standard_input();
// A file, or a pipe that the shell gives a name, of the same size at most.
Result<std::string> read_input_file(const std::string& path);
// Without the line feed; absent at the end of the input.
std::optional<std::string> read_line();

}  // namespace wright::app
