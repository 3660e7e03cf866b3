// Searches the lines of one file for a regular expression. Memory stays bounded: files are read in
// blocks of whole lines. Opens nothing and formats nothing.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"

namespace re2 {
class RE2;
}

namespace wright::tools {

enum class LetterCase : std::uint8_t { distinguish, ignore };

// What is looked for. A match lies within one line; ^ and $ are that line's ends.
class LinePattern {
 public:
  // RE2's syntax. The error says what is wrong with the pattern.
  static Result<LinePattern> compile(const std::string& pattern, LetterCase letters);
  LinePattern(LinePattern&&) noexcept;
  ~LinePattern();

  struct Match {
    std::size_t start;
    std::size_t end;
  };
  // The first match in `text` that starts at or after `from`.
  std::optional<Match> find(std::string_view text, std::size_t from) const;

 private:
  LinePattern(std::unique_ptr<re2::RE2> expression, std::string literal);

  std::unique_ptr<re2::RE2> expression_;
  std::string literal_;  // the whole pattern where nothing in it is special, else empty
};

// A line with a match, cut to a readable length around it and repaired to valid UTF-8.
struct MatchedLine {
  std::int64_t number;
  std::string text;
  std::size_t match_start;  // bytes in `text`
  std::size_t match_end;
};

struct FileMatches {
  bool is_binary = false;
  std::int64_t count = 0;          // lines with a match
  std::vector<MatchedLine> lines;  // the first of them, as many as were wanted
};

// Searches file after file with one pattern and one buffer.
class LineSearch {
 public:
  explicit LineSearch(const LinePattern& pattern) : pattern_(pattern) {}

  // Fails with an errno; ECANCELED when it was stopped.
  std::expected<FileMatches, int> search(int descriptor, std::int64_t expected_size,
                                         std::size_t lines_wanted, const std::stop_token& stop);

 private:
  void ensure_capacity(std::size_t bytes, std::size_t used);

  const LinePattern& pattern_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
};

}  // namespace wright::tools
