// Replacing one piece of a text by another, exactly. Reads and writes no files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::tools {

enum class Occurrences : std::uint8_t { only_one, all };

struct Replaced {
  std::string text;
  std::int64_t count = 0;
};

// Refused when `search` is not there (the error shows the lines most like it), and, for only_one,
// when it is there more than once (the error names the lines).
//
// Line breaks of `search` and `replacement` are taken as those of the text where all of its lines
// end in CR LF, because nobody who was shown the text could know. In a text that has both kinds,
// what is not there exactly is looked for with either kind.
Result<Replaced> replace_text(std::string_view text, std::string_view search,
                              std::string_view replacement, Occurrences occurrences);

// Whether the text has lines and all of them end in CR LF.
bool has_dos_lines(std::string_view text);

// With CR LF for every LF that stands alone.
std::string with_dos_lines(std::string_view text);

}  // namespace wright::tools
