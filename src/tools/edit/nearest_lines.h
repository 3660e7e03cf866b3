// For somebody who looked for lines that are not there: which ones of a text may have been meant.
#pragma once

#include <string>
#include <string_view>

namespace wright::tools {

// A sentence or two with the lines of `text` that are most like the lines of `wanted`, with their
// numbers. Looks at a bounded part of a large text.
std::string nearest_lines(std::string_view text, std::string_view wanted);

}  // namespace wright::tools
