// What a model gets to read of a command's output: valid UTF-8, within a budget, its start and its
// end where it is too long for all of it. Writes no files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wright/sandbox.h"

namespace wright::tools {

// The beginning of `text` in at most `most` bytes. Words stay whole: half of a secret is not known
// for one.
std::string_view prefix_of_words(std::string_view text, std::size_t most);

// At most `budget` bytes as a JSON string.
std::string shown_output(const CapturedOutput& output, std::size_t budget);

}  // namespace wright::tools
