#include "tools/search/line_pattern.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <random>
#include <set>

namespace wright::tools {
namespace {

// Patterns out of pieces of all kinds, many of them malformed.
class RandomPatterns {
 public:
  explicit RandomPatterns(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string pattern() {
    static constexpr std::array kPieces{
        "a",     "b",    "ab",      "foo",      "x y",     ".",       "\\.",         "\\w",
        "\\W",   "\\d",  "\\D",     "\\s",      "\\S",     "\\b",     "\\B",         "^",
        "$",     "\\A",  "\\z",     "(",        ")",       "(?:",     "(?i)",        "|",
        "[ab]",  "[^a]", "[\\w.]",  "[^\\s]",   "[]a]",    "[^]]",    "[[:alpha:]]", "[\\d-x]",
        "*",     "+",    "?",       "{2}",      "{1,3}",   "*?",      "\\Qa.b\\E",   "\\Q[",
        "\\x61", "\\pL", "\\p{Lu}", "[\\S\\d]", "[a\\]b]", "\\\\",    "\\t",         "[",
        "]",     "\\",   "-",       "[\\W]",    "(?s)",    "(?-i:b)", "K",           "s"};
    std::string made;
    for (std::size_t count = 1 + below(5); count > 0; --count)
      made += kPieces[below(kPieces.size())];
    return made;
  }

  std::string text() {
    constexpr std::string_view kBytes = "aabbfofo xy.A1_-\\[]\tKks\n\n";
    std::string made;
    for (std::size_t count = below(80); count > 0; --count) made += kBytes[below(kBytes.size())];
    return made;
  }

 private:
  std::mt19937 random_;
};

// The starts of the lines that match by themselves.
std::set<std::size_t> lines_by_re2(const RE2& expression, std::string_view text) {
  std::set<std::size_t> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (RE2::PartialMatch(text.substr(at, end - at), expression)) lines.insert(at);
    at = end + 1;
  }
  return lines;
}

std::set<std::size_t> lines_by_ours(const LinePattern& pattern, std::string_view text) {
  std::set<std::size_t> lines;
  for (std::size_t from = 0; from < text.size();) {
    const auto match = pattern.find(text, from);
    if (!match || (match->start == text.size() && text.back() == '\n')) break;
    EXPECT_GE(match->start, from);
    EXPECT_LE(match->end, text.size());
    const std::size_t before =
        match->start == 0 ? std::string_view::npos : text.rfind('\n', match->start - 1);
    lines.insert(before == std::string_view::npos ? 0 : before + 1);
    from = std::min(text.find('\n', match->start), text.size()) + 1;
  }
  return lines;
}

TEST(LinePattern, finds_the_lines_that_re2_finds_one_by_one) {
  RandomPatterns random(11);
  int compared = 0;
  for (int i = 0; i < 600; ++i) {
    const std::string pattern = random.pattern();
    for (const LetterCase letters : {LetterCase::distinguish, LetterCase::ignore}) {
      RE2::Options options(RE2::Quiet);
      options.set_case_sensitive(letters == LetterCase::distinguish);
      const RE2 expression(pattern, options);
      const auto ours = LinePattern::compile(pattern, letters);
      ASSERT_EQ(ours.has_value(), expression.ok()) << pattern;
      if (!ours) continue;
      const std::string text = random.text();
      ASSERT_EQ(lines_by_ours(*ours, text), lines_by_re2(expression, text)) << pattern << "\nin\n"
                                                                            << text;
      ++compared;
    }
  }
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace wright::tools
