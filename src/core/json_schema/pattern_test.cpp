#include "core/json_schema/pattern.h"

#include <gtest/gtest.h>

namespace wright::json_schema {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
  const auto compiled = compile_pattern(pattern);
  EXPECT_TRUE(compiled) << pattern << ": " << compiled.error().message;
  return compiled && RE2::PartialMatch({text.data(), text.size()}, **compiled);
}

TEST(SchemaPattern, matches_anywhere_unless_anchored) {
  EXPECT_TRUE(matches("b", "abc"));
  EXPECT_FALSE(matches("^b", "abc"));
  EXPECT_FALSE(matches("^a$", "a\n"));
}

TEST(SchemaPattern, reads_the_escapes_of_ecma_262) {
  EXPECT_TRUE(matches(R"(^\u0041\u{1F4A9}$)", "A💩"));
  EXPECT_TRUE(matches(R"(^\uD83D\uDCA9$)", "💩"));
  EXPECT_TRUE(matches(R"(^\cI$)", "\t"));
  EXPECT_TRUE(matches(R"(^[\b]$)", "\b"));
  EXPECT_TRUE(matches(R"(^\0$)", std::string_view("\0", 1)));
  EXPECT_TRUE(matches(R"(^\/$)", "/"));
  EXPECT_TRUE(matches(R"(^\s$)", "\xC2\xA0"));  // NO-BREAK SPACE
  EXPECT_FALSE(matches(R"(^\S$)", "\xE2\x80\xA9"));
  EXPECT_TRUE(matches(R"(^[^\s]$)", "x"));
  EXPECT_TRUE(matches(R"(^\p{Letter}\p{Lu}\p{Script=Greek}$)", "éÉλ"));
  EXPECT_TRUE(matches(R"(^(?<year>\d{4})$)", "2025"));
}

TEST(SchemaPattern, reads_empty_and_odd_classes_as_ecma_262_does) {
  EXPECT_FALSE(matches("a[]", "ab"));
  EXPECT_TRUE(matches("^[^]$", "\n"));
  EXPECT_TRUE(matches("^[[]$", "["));
}

TEST(SchemaPattern, reads_habits_of_catalogues_as_they_are_meant) {
  EXPECT_TRUE(matches("(?i)^abc$", "ABC"));
  EXPECT_TRUE(matches("^(?i:a)b$", "Ab"));
  EXPECT_FALSE(matches("^(?i:a)b$", "AB"));
  EXPECT_TRUE(matches("^(?P<year>[0-9]{4})$", "2025"));
  EXPECT_TRUE(matches(R"(^[\w-.]+$)", "a-b.c"));
  EXPECT_TRUE(matches(R"(^[.-\d]+$)", "1-2."));
  EXPECT_FALSE(matches(R"(^[.-\d]+$)", "/"));
  EXPECT_TRUE(matches(R"(^[\w\-\.\_\@]+$)", "a_b@c-d.e"));
  EXPECT_TRUE(matches(R"(^[\p{L}\p{N}' -]+$)", "Zoë O'Neil-2"));
  EXPECT_TRUE(matches("^[äöü]+$", "öä"));
  EXPECT_TRUE(matches("^a{,3}$", "a{,3}"));
  EXPECT_TRUE(matches("^[a-z-]+$", "a-b"));
}

TEST(SchemaPattern, refuses_them_where_the_text_itself_is_judged) {
  for (const char* pattern : {"(?i)abc", "(?ims)abc", "(?P<year>a)"}) {
    EXPECT_FALSE(compile_pattern(pattern, ForeignSyntax::refused)) << pattern;
  }
}

TEST(SchemaPattern, says_what_a_linear_engine_cannot_do) {
  for (const char* pattern : {"(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", R"((a)\1)", R"(\k<x>)",
                              "^.{1,5000}$", R"(\uD83D[\uDC00-\uDFFF])", R"(\uD83D\u0041)"}) {
    const auto compiled = compile_pattern(pattern);
    ASSERT_FALSE(compiled) << pattern;
    EXPECT_EQ(compiled.error().code, ErrorCode::unsupported) << pattern;
  }
}

TEST(SchemaPattern, refuses_what_is_no_regular_expression) {
  for (const char* pattern : {"(", "[a", "a**", "\\", R"(\u12)", R"(\p{No_such_thing})", "(?P=x)",
                              "(?x)a", "(?#c)", R"(\Qa\E)", R"(\a)", R"(\u{110000})", R"(\c1)"}) {
    const auto compiled = compile_pattern(pattern);
    ASSERT_FALSE(compiled) << pattern;
    EXPECT_EQ(compiled.error().code, ErrorCode::invalid_argument) << pattern;
    EXPECT_FALSE(compiled.error().message.empty());
  }
}

TEST(SchemaPattern, takes_linear_time_where_others_explode) {
  EXPECT_FALSE(matches("^(a+)+$", std::string(100'000, 'a') + "b"));
  EXPECT_FALSE(matches("^(a|aa)*$", std::string(100'000, 'a') + "b"));
}

TEST(SchemaPattern, refuses_patterns_that_would_fill_the_memory) {
  const auto compiled = compile_pattern("((a{1000}){1000}){1000}");
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace wright::json_schema
