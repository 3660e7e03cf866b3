#include "app/terminal/word_wrap.h"

#include <gtest/gtest.h>

#include <random>

#include "app/terminal/markdown_stream.h"

namespace wright::app {
namespace {

std::string wrapped_line(std::string_view text, std::size_t columns, std::size_t taken = 0,
                         std::string margin = {}) {
  WordWrap wrap(columns);
  wrap.begin_line(taken, std::move(margin));
  std::string shown = wrap.add(text);
  return shown + wrap.end_line();
}

TEST(WordWrap, breaks_between_words) {
  EXPECT_EQ(wrapped_line("one two three four", 9), "one two\nthree\nfour");
  EXPECT_EQ(wrapped_line("one two three", 13), "one two three");
  EXPECT_EQ(wrapped_line("  one two", 5), "  one\ntwo");
  EXPECT_EQ(wrapped_line("one  two ", 20), "one  two ");
  EXPECT_EQ(wrapped_line("", 5), "");
}

TEST(WordWrap, goes_on_behind_the_margin) {
  EXPECT_EQ(wrapped_line("one two three", 9, 2, "  "), "one two\n  three");
}

TEST(WordWrap, counts_columns_and_not_bytes) {
  EXPECT_EQ(wrapped_line("日本 日本 日本", 9), "日本 日本\n日本");
  EXPECT_EQ(wrapped_line("\x1b[1mone\x1b[0m \x1b[36mtwo\x1b[0m three", 7),
            "\x1b[1mone\x1b[0m \x1b[36mtwo\x1b[0m\nthree");
}

TEST(WordWrap, leaves_a_word_that_is_longer_than_a_line_in_one_piece) {
  const std::string address = "http://a.example/" + std::string(30, 'x');
  EXPECT_EQ(wrapped_line("see " + address + " now", 20), "see\n" + address + "\nnow");
  WordWrap wrap(20);
  wrap.begin_line(0, "");
  std::string shown;
  for (int i = 0; i < 100; ++i) shown += wrap.add("x");
  EXPECT_GT(shown.size(), 90U) << "it is not held back";
  shown += wrap.end_line();
  EXPECT_EQ(shown, std::string(100, 'x'));
}

TEST(WordWrap, holds_back_only_what_may_not_fit) {
  WordWrap wrap(10);
  wrap.begin_line(0, "");
  EXPECT_EQ(wrap.add("one tw"), "one");
  EXPECT_EQ(wrap.add("o three"), " two");
  EXPECT_EQ(wrap.end_line(), "\nthree");
}

TEST(WordWrap, of_answers_knows_lists_quotes_and_code) {
  EXPECT_EQ(rendered_markdown("- one two three\n  - four five six\n", 12),
            "• one two\n  three\n  • four\n    five six\n");
  EXPECT_EQ(rendered_markdown("12. one two three four", 12), "12. one two\n    three\n    four");
  EXPECT_EQ(rendered_markdown("> one two three", 9),
            "\x1b[2m│ one two\n│ three\x1b[0m");
  EXPECT_EQ(rendered_markdown("```\none two three four\n```\n", 9),
            "\x1b[2m    one two three four\x1b[0m\n");
}

TEST(WordWrap, of_answers_is_the_same_in_whatever_pieces_they_come) {
  const std::string text =
      "# A heading that is long\n\nSome words, *some* of **them bold and long**, and `code in it` "
      "https://a.example/that/is/far/too/long/for/a/line 日本語 日本語 日本語 日本語.\n\n"
      "1. an entry of a list that goes on and on\n> a quote that does so as well\n\n\nThe end";
  for (const std::size_t columns : {20U, 33U, 80U}) {
    const std::string whole = rendered_markdown(text, columns);
    std::mt19937 random(11);
    for (int round = 0; round < 60; ++round) {
      MarkdownStream stream(columns);
      std::string shown;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = 1 + random() % 7;
        shown += stream.add(std::string_view(text).substr(at, length));
        at += length;
      }
      shown += stream.finish();
      ASSERT_EQ(shown, whole) << columns;
    }
  }
}

TEST(WordWrap, of_answers_fits_a_window_that_changes) {
  MarkdownStream stream(80);
  std::string shown = stream.add("one two three four\n");
  stream.fit(10);
  shown += stream.add("one two three four\n");
  shown += stream.finish();
  EXPECT_EQ(shown, "one two three four\none two\nthree four\n");
}

}  // namespace
}  // namespace wright::app
