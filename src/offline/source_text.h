// Finds the comment above a definition and the end of its body, and what a file says about itself.
// Judged by brackets and indentation; nothing is parsed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "offline/languages.h"

namespace wright::offline {

// A part of a file: lines[0] is its line `first_line`.
struct Window {
  std::string path;
  int first_line = 1;
  int total_lines = 0;  // of the file, 0 when unknown
  std::vector<std::string_view> lines;

  int line_of(std::size_t index) const { return first_line + static_cast<int>(index); }
};

// The index of the first line of the comment (and attributes, decorators, templates, return type)
// that belongs to lines[index].
std::size_t start_with_comment(Family family, const std::vector<std::string_view>& lines,
                               std::size_t index);

// The index of the last line of the definition at lines[index].
std::size_t end_of_definition(Family family, const std::vector<std::string_view>& lines,
                              std::size_t index);

// The words of the comment above lines[index] (or, in Python, of the docstring below it), without
// comment marks; empty when there is none.
std::string comment_of(Family family, const std::vector<std::string_view>& lines,
                       std::size_t index);

// What a file says about itself at its top: a comment or docstring that is no licence, or the
// first paragraph of prose.
std::string opening_of(Family family, const std::vector<std::string_view>& lines);

// The modules or headers that a file names in include, import, use or require lines.
std::vector<std::string> imports_of(Family family, const std::vector<std::string_view>& lines);

}  // namespace wright::offline
