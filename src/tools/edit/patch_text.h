// Applies the hunks of a patch to a text. Reads and writes no files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/edit/patch_format.h"

namespace wright::tools {

// Hunks are looked for in their order, each behind the one before: the lines as they are, then
// without blanks at their ends, without blanks around them, and with typographic quotes, dashes and
// spaces taken for plain ones. Empty lines of context around a hunk may be missing from the text.
// Lines end in LF or CR LF, or all of them in CR. Lines of context keep the bytes that they have in
// the text; added lines get the line breaks of their neighbours.
//
// Where blanks before lines were passed over and all of them differ by the same ones, added lines
// get those as well; where the one has tabs and the other so many spaces for each, they get what
// the text has. Where they differ otherwise, that is noted. A hunk that fits in several places is
// taken for the first, which is noted; where it fits none of them to the letter, it is refused.
//
// The error says which hunk does not fit, and what stands there instead.
struct PatchedText {
  std::string text;
  std::vector<std::string> notes = {};  // what a reader of the patch might not expect
};
Result<PatchedText> apply_hunks(std::string_view text, std::span<const Hunk> hunks);

}  // namespace wright::tools
