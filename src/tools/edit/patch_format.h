// The text of a patch as apply_patch takes it:
//
//   *** Begin Patch
//   *** Add File: path            each line of the new file begins with +
//   *** Delete File: path
//   *** Update File: path
//   *** Move to: path             optional
//   @@ anchor                     optional: a line above the change, also several of them
//    context, -removed, +added    lines of a hunk, by their first character
//   *** End of File               optional: the hunk ends where the file ends
//   *** End Patch
//
// Turns text into values. Touches no files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"

namespace wright::tools {

struct HunkLine {
  enum class Kind : std::uint8_t { context, removed, added };
  Kind kind = Kind::context;
  std::string text = {};
  bool has_line_break = true;  // false for an added line that is to end the file without one
  bool operator==(const HunkLine&) const = default;
};

struct Hunk {
  std::size_t patch_line = 0;  // where it begins, counted from 1
  std::vector<std::string> anchors = {};
  std::vector<HunkLine> lines = {};
  bool is_at_end_of_file = false;
  bool operator==(const Hunk&) const = default;
};

struct FilePatch {
  enum class Operation : std::uint8_t { add, update, remove };
  Operation operation = Operation::update;
  std::string path = {};
  std::string new_path = {};     // of a move, else empty
  std::string content = {};      // of an added file
  std::vector<Hunk> hunks = {};  // of an updated one
  bool operator==(const FilePatch&) const = default;
};

// The error names the line of the patch and what was expected there. Tolerated are blanks around
// the markers, lines that end in CR LF or (all of them) in CR, a here-document or a code fence
// around the patch, empty lines that have lost their first character, and what belongs to unified
// diffs: line numbers after @@, a second @@, the names of the files before the first hunk, and
// "\\ No newline at end of file".
Result<std::vector<FilePatch>> parse_patch(std::string_view text);

}  // namespace wright::tools
