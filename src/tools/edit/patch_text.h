// Applies the hunks of a patch to a text. Reads and writes no files.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/edit/patch_format.h"

namespace wright::tools {

// Hunks are looked for in their order, each behind the one before: the lines as they are, then
// without blanks at their ends, without blanks around them, and with typographic quotes, dashes and
// spaces taken for plain ones. Empty lines of context around a hunk may be missing from the text.
// Lines end in LF or CR LF, or all of them in CR. Lines of context keep the bytes that they have in
// the text; added lines get the line breaks of their neighbours.
//
// The error says which hunk does not fit, and what stands there instead.
Result<std::string> apply_hunks(std::string_view text, std::span<const Hunk> hunks);

}  // namespace wright::tools
