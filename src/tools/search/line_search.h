// Searches one file for a pattern, block by block. Memory stays bounded. Opens nothing and formats
// nothing.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tools/search/line_pattern.h"

namespace wright::tools {

// A line with a match (or several lines, where the match goes over several), cut to a readable
// length around it and repaired to valid UTF-8.
struct MatchedLine {
  std::int64_t number;
  std::string text;
  std::size_t match_start;  // bytes in `text`
  std::size_t match_end;
  std::vector<std::string> before;  // lines around it, as many as were wanted and are there
  std::vector<std::string> after;
};

struct FileMatches {
  bool is_binary = false;  // there is a NUL byte somewhere; nothing is said of the rest
  std::int64_t count = 0;  // lines with a match; with many_lines, matches
  std::vector<MatchedLine> lines = {};  // the first of them, as many as were wanted
  std::int64_t long_lines = 0;          // too long to be searched to their end
};

struct ContextLines {
  std::size_t before = 0;
  std::size_t after = 0;
};

// Searches file after file with one pattern and one buffer.
class LineSearch {
 public:
  LineSearch(const LinePattern& pattern, ContextLines context)
      : pattern_(pattern), context_(context) {}

  // A byte order mark is no part of the text, and with one, UTF-16 is searched as UTF-8.
  //
  // Fails with an errno: ECANCELED when it was stopped, EFBIG for a file that is too large to be
  // searched across lines or to be decoded. Lines of context are missing where a block of a very
  // large file ends.
  std::expected<FileMatches, int> search(int descriptor, std::int64_t expected_size,
                                         std::size_t lines_wanted, const std::stop_token& stop);

 private:
  void ensure_capacity(std::size_t bytes, std::size_t used);
  // Reads on until all of the file is in the buffer, of which `filled` bytes are used.
  std::expected<std::size_t, int> read_whole(int descriptor, std::size_t filled,
                                             const std::stop_token& stop);

  const LinePattern& pattern_;
  ContextLines context_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
};

}  // namespace wright::tools
