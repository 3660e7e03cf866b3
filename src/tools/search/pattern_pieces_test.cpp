#include "tools/search/pattern_pieces.h"

#include <gtest/gtest.h>

namespace wright::tools {
namespace {

std::vector<std::string_view> texts_of(std::string_view pattern) {
  std::vector<std::string_view> texts;
  for (const PatternPiece& piece : pieces_of(pattern)) texts.push_back(piece.text);
  return texts;
}

using Texts = std::vector<std::string_view>;

TEST(PatternPieces, keep_together_what_belongs_together) {
  EXPECT_EQ(texts_of(R"(a\d[^]x[:alpha:]\]]+)"),
            (Texts{"a", R"(\d)", "[^]", "x", "[:alpha:]", R"(\])", "]", "+"}));
  EXPECT_EQ(texts_of(R"(\Q[\d\E.)"), (Texts{R"(\Q[\d\E)", "."}));
  EXPECT_EQ(texts_of(R"(\Qopen)"), (Texts{R"(\Qopen)"}));
  EXPECT_EQ(texts_of("[a"), (Texts{"[", "a"}));
  EXPECT_EQ(texts_of("\\"), (Texts{"\\"}));
  EXPECT_TRUE(texts_of("").empty());
}

TEST(PatternPieces, know_where_a_line_break_is_spelled_out) {
  for (const char* pattern : {"a\\nb", "a\nb", "\\Qa\nb\\E"}) {
    EXPECT_TRUE(asks_for_line_break(pattern)) << pattern;
  }
  for (const char* pattern : {"a[\\n]b", "a\\\\nb", "[^\\n]*", "\\s", "a.b"}) {
    EXPECT_FALSE(asks_for_line_break(pattern)) << pattern;
  }
}

TEST(PatternPieces, know_when_no_match_can_go_over_lines) {
  for (const char* pattern : {"a.b", "a\\sb", "[^a]", "\\W", "\\D", "\\x0a", "\\12", "\\PL", "\\C",
                              "[\\s]", "[[:space:]]", "a\\nb", "[\t-\n]"}) {
    EXPECT_TRUE(may_match_line_break(pattern)) << pattern;
  }
  for (const char* pattern :
       {"abc", "foo|bar", "\\w+\\(\\)", "[a-z.]*", "^x{2,3}$", "\\bint\\b", "a\\.b", "\\d\\t"}) {
    EXPECT_FALSE(may_match_line_break(pattern)) << pattern;
  }
}

TEST(PatternPieces, say_what_classes_mean_beyond_ascii) {
  EXPECT_EQ(with_unicode_classes(R"(\d\D[\d.][^\D])"), R"([\p{Nd}][\P{Nd}][\p{Nd}.][^\P{Nd}])");
  EXPECT_EQ(with_unicode_classes(R"(\\d\Q\d\E\b)"), R"(\\d\Q\d\E\b)");
  EXPECT_EQ(with_unicode_classes(R"([\W])"), R"([\W])");
  EXPECT_TRUE(with_unicode_classes(R"(\W)").starts_with(R"([^\p{L})"));
}

TEST(PatternPieces, turn_the_ends_of_a_text_into_those_of_a_line) {
  EXPECT_EQ(with_line_anchors(R"(\Aa\z|\\A[\Q])"), R"(^a$|\\A[\Q])");
}

}  // namespace
}  // namespace wright::tools
