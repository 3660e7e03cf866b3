// What grep looks for: a regular expression over the lines of a text. Reads no files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/search/literal_search.h"
#include "wright/error.h"

namespace re2 {
class RE2;
}

namespace wright::tools {

enum class LetterCase : std::uint8_t { distinguish, ignore };

enum class Span : std::uint8_t {
  one_line,    // a match lies within one line
  many_lines,  // it may go on over line breaks, which . matches too
};

// ^ and $ are the ends of a line; \d, \s and \w are what they are in Unicode. Thread-safe.
class LinePattern {
 public:
  // RE2's syntax. The error says what is wrong with the pattern.
  static Result<LinePattern> compile(const std::string& pattern, LetterCase letters,
                                     Span span = Span::one_line);
  LinePattern(LinePattern&&) noexcept;
  ~LinePattern();

  struct Match {
    std::size_t start;
    std::size_t end;
  };
  // The first match in `text` that starts at or after `from`, which is where a line starts (with
  // many_lines: anywhere).
  std::optional<Match> find(std::string_view text, std::size_t from) const;

  // Whether it asks for carriage returns by name. Otherwise a line ends before CR LF.
  bool names_carriage_return() const { return names_carriage_return_; }

  // one_line also where many_lines was asked for and no match can go over a line break.
  Span span() const { return span_; }

 private:
  explicit LinePattern(Span span);
  std::optional<Match> match(std::string_view text, std::size_t from, std::size_t end) const;

  Span span_;
  bool names_carriage_return_ = false;
  std::unique_ptr<re2::RE2> expression_;
  // Where the pattern is nothing but fixed texts: those.
  std::optional<LiteralSearch> literals_;
  // Otherwise, where there are such: texts of which every match contains at least one. They are
  // found much faster than the expression is matched.
  std::optional<LiteralSearch> required_;
};

}  // namespace wright::tools
