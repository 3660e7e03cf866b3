// The text of a file as lines: what it says about itself, and where the comment above a line
// begins. Judged by comment marks; nothing is parsed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "offline/findings.h"
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

// A window over the text that was read; it views `file`.
Window window_of(const FileText& file);

// The index of the first line of the comment right above lines[index]; `index` without one.
std::size_t start_of_comment(Marks marks, const std::vector<std::string_view>& lines,
                             std::size_t index);

// What a file says about itself at its top: a comment or docstring that is no licence, or the
// first paragraph of prose.
std::string opening_of(Marks marks, const std::vector<std::string_view>& lines);

}  // namespace wright::offline
