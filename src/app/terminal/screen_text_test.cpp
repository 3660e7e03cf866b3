#include "app/terminal/screen_text.h"

#include <gtest/gtest.h>

namespace wright::app {
namespace {

TEST(ScreenText, cannot_drive_a_terminal) {
  EXPECT_EQ(sanitised("\x1b[31mred\x1b[0m"), "␛[31mred␛[0m");
  EXPECT_EQ(sanitised("\x1b]0;title\x07"), "␛]0;title␇");
  EXPECT_EQ(sanitised("a\bb\x7f"), "a␈b␡");
  EXPECT_EQ(sanitised("one\rtwo\r\nthree"), "one␍two\nthree");
  EXPECT_EQ(sanitised("\xC2\x9B"
                      "31m"),
            "\uFFFD31m");  // the eight-bit form of ESC [
  EXPECT_EQ(sanitised("a\u202Eb\u2066c"), "a\uFFFDb\uFFFDc");
  EXPECT_EQ(sanitised(std::string_view("\0", 1)), "␀");
}

TEST(ScreenText, hides_no_character) {
  EXPECT_EQ(sanitised("pay\u200Bpal"), "pay\uFFFDpal");
  EXPECT_EQ(sanitised("a\u200Db\u200Cc\u2060d\uFEFFe\u00ADf"),
            "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFDf");
  EXPECT_EQ(sanitised("\u3164\U000E0041"), "\uFFFD\uFFFD");
  EXPECT_EQ(sanitised("\u2067"), "\uFFFD");
  // Texts are smuggled in rows of selectors behind one character.
  EXPECT_EQ(sanitised("👍\uFE0F\uFE01\U000E0101"), "👍\uFE0F\uFFFD\uFFFD");
  EXPECT_EQ(sanitised("👍\u200D\u200D"), "👍\u200D\uFFFD");
  EXPECT_EQ(sanitised("a\uFE0F"), "a\uFFFD");
}

TEST(ScreenText, keeps_what_shapes_a_character) {
  for (const std::string_view text :
       {"👨\u200D👩\u200D👧", "❤\uFE0F\u200D🔥", "👍🏽", "1\uFE0F\u20E3", "葛\U000E0100",
        "می\u200Cخواهم", "क्\u200Dष", "e\u0301"}) {
    EXPECT_EQ(sanitised(text), text);
    EXPECT_EQ(guarded_screen(text), text);
    EXPECT_EQ(escaped_json(text), text);
  }
}

TEST(ScreenText, lets_screens_draw_and_nothing_else) {
  for (const std::string_view drawn :
       {"\x1b[1mbold\x1b[0m", "\x1b[31m\x1b[97m\x1b[3m", "\r\x1b[K  working", "a\tb\n"}) {
    EXPECT_EQ(guarded_screen(drawn), drawn);
  }
  EXPECT_EQ(guarded_screen("\x1b[2J\x1b[8m\x1b[1;31m\x1b[m\x1b]0;t\x07"),
            "␛[2J␛[8m␛[1;31m␛[m␛]0;t␇");
  EXPECT_EQ(guarded_screen("a\rb\x1b"), "a␍b␛");
  EXPECT_EQ(guarded_screen("\xC2\x9B\u202E\x7F\x1b["), "\uFFFD\uFFFD␡␛[");
}

TEST(ScreenText, keeps_the_meaning_of_json) {
  EXPECT_EQ(escaped_json("{\"a\": \"\xC2\x9B\u202E\x7F\u200B\U000E0041é\"}\n"),
            "{\"a\": \"\\u009b\\u202e\\u007f\\u200b\\udb40\\udc41é\"}\n");
}

TEST(ScreenText, keeps_every_other_character) {
  EXPECT_EQ(sanitised("tab\tünïcødé 漢字 👍\n"), "tab\tünïcødé 漢字 👍\n");
}

TEST(ScreenText, repairs_invalid_utf8) {
  EXPECT_EQ(sanitised("a\xff"
                      "b"),
            "a\uFFFDb");
  EXPECT_EQ(sanitised("cut \xE6\xBC"), "cut \uFFFD\uFFFD");
}

TEST(ScreenText, fits_on_one_line) {
  EXPECT_EQ(on_one_line("  a\n\n\tb   c \n"), "a b c");
  EXPECT_EQ(on_one_line("\n"), "");
}

TEST(ScreenText, is_measured_in_columns) {
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("漢字"), 4U);
  EXPECT_EQ(columns_of("e\u0301"), 1U);  // e and a combining accent
  EXPECT_EQ(columns_of("✓ →"), 3U);
  EXPECT_EQ(columns_of("👍"), 2U);
  EXPECT_EQ(columns_of("👨‍👩‍👧‍👦!"), 3U) << "a family is one picture";
  EXPECT_EQ(columns_of("👍🏽"), 2U);
  EXPECT_EQ(columns_of("❤️‍🔥a\u200Db"), 5U);
}

TEST(ScreenText, is_shortened_to_its_columns_and_never_inside_a_character) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdef", 5), "abcd…");
  EXPECT_EQ(shortened("漢字漢字", 5), "漢字…");
  EXPECT_EQ(shortened("漢字漢字", 4), "漢…");
  EXPECT_EQ(shortened("abc", 1), "…");
  EXPECT_EQ(shortened("abc", 0), "");
  EXPECT_EQ(shortened("a👨‍👩‍👧bcd", 4), "a👨‍👩‍👧…");
  EXPECT_EQ(shortened("a👨‍👩‍👧bcd", 3), "a…");
}

TEST(ScreenText, goes_on_below_the_last_column_of_a_table) {
  EXPECT_EQ(fitted_lines("  name  one two three four\n  x\n", 17),
            "  name  one two\n        three\n        four\n  x\n");
  EXPECT_EQ(fitted_lines("  a, b, c, d, e", 9), "  a, b,\n    c, d,\n    e");
  EXPECT_EQ(fitted_lines("plain words that go on", 12), "plain words\nthat go on");
  EXPECT_EQ(fitted_lines("fits  exactly", 13), "fits  exactly");
  EXPECT_EQ(fitted_lines("\x1b[1mname\x1b[0m  one two", 12), "\x1b[1mname\x1b[0m  one\n      two");
  EXPECT_EQ(fitted_lines("unbreakableword", 4), "unbreakableword");
  EXPECT_EQ(fitted_lines("", 4), "");
}

TEST(ScreenText, is_wrapped_between_words) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two", 7), "one two");
  EXPECT_EQ(wrapped("a\nb c", 3), "a\nb c");
  EXPECT_EQ(wrapped("unbreakable word", 4), "unbreakable\nword");
  EXPECT_EQ(wrapped("漢字 漢字", 5), "漢字\n漢字");
  EXPECT_EQ(wrapped("{\n  \"a\": 1\n}", 8), "{\n  \"a\": 1\n}");
  EXPECT_EQ(wrapped("", 5), "");
}

TEST(ScreenText, is_padded_and_indented) {
  EXPECT_EQ(padded("漢", 4), "漢  ");
  EXPECT_EQ(padded("long", 2), "long");
  EXPECT_EQ(indented("a\n\nb\n", 2), "  a\n\n  b");
}

}  // namespace
}  // namespace wright::app
