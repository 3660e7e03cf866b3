// The comment that belongs to a definition: the one right above it, or Python's docstring below.
#pragma once

#include <string>
#include <string_view>

#include "entities/source_lines.h"

namespace wright::entities {

// Without the signs of the comment, on one line, shortened, valid UTF-8; empty when there is none.
std::string documentation_at(const SourceLines& lines, int start_line, std::string_view language);

// The same of the comment or docstring that a file opens with.
std::string opening_documentation(const SourceLines& lines, std::string_view language);

}  // namespace wright::entities
