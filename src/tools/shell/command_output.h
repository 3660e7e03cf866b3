// What a model gets to read of a command's output: valid UTF-8, within a budget, its start and its
// end where it is too long for all of it. Writes no files.
#pragma once

#include <cstddef>
#include <string>

#include "wright/sandbox.h"

namespace wright::tools {

// At most `budget` bytes as a JSON string.
std::string shown_output(const CapturedOutput& output, std::size_t budget);

}  // namespace wright::tools
