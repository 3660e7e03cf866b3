// Colours for a line of code in a block of Markdown: comments dim, strings green, keywords cyan. It
// knows words and marks, no grammar: a line is coloured by itself. Pure.
#pragma once

#include <string>
#include <string_view>

namespace wright::app {

// Whether the language of a block ("cpp", "python", …) is one that is coloured.
bool has_colours(std::string_view language);

// The line, which is harmless already, with colours of a terminal.
std::string coloured_code(std::string_view line, std::string_view language);

}  // namespace wright::app
