#include "app/terminal/person/line_editor.h"

#include <gtest/gtest.h>

#include "app/terminal/screen_text.h"

namespace wright::app {
namespace {

void type(LineEditor& line, std::string_view bytes) {
  KeyDecoder decoder;
  decoder.feed(bytes);
  while (auto key = decoder.next()) line.apply(*key);
}

TEST(LineEditor, moves_and_erases_by_what_a_person_sees_as_a_character) {
  LineEditor line;
  type(line, "ae\xCC\x81語");  // é as two code points
  type(line, "\x1b[D\x7f");
  EXPECT_EQ(line.text(), "a語");
  type(line, "\x1b[3~b\x01z");
  EXPECT_EQ(line.text(), "zab");
}

TEST(LineEditor, erases_words_lines_and_rests) {
  LineEditor line;
  type(line, "one two  three");
  type(line, "\x17");
  EXPECT_EQ(line.text(), "one two  ");
  type(line, "\x17");
  EXPECT_EQ(line.text(), "one ");
  type(line, "\x01\x06\x0b");
  EXPECT_EQ(line.text(), "o");
  type(line, "\x15");
  EXPECT_TRUE(line.is_empty());
}

TEST(LineEditor, shows_the_part_around_the_cursor_and_never_more_than_there_is_room_for) {
  LineEditor line;
  type(line, "漢字かな交じり文と plain text");
  for (std::size_t columns = 2; columns < 40; ++columns) {
    for (const char* move : {"", "\x01", "\x06", "\x06", "\x05", "\x02"}) {
      type(line, move);
      const VisibleLine visible = line.visible(columns);
      EXPECT_LT(columns_of(visible.text), columns);
      EXPECT_LE(visible.cursor, columns_of(visible.text));
    }
  }
  type(line, "\x05");
  EXPECT_EQ(line.visible(6).text, " text");
  EXPECT_EQ(line.visible(6).cursor, 5U);
}

TEST(LineEditor, moves_by_words_and_puts_back_what_was_cut) {
  LineEditor line;
  type(line, "one two three\x1b[1;5D\x1b[1;5D!\x1b[1;5C?");
  EXPECT_EQ(line.text(), "one !two? three");
  type(line,
       "\x1b"
       "d");
  EXPECT_EQ(line.text(), "one !two?");
  type(line, "\x01\x19");
  EXPECT_EQ(line.text(), " threeone !two?");
  EXPECT_EQ(line.before_cursor(), " three");
}

TEST(LineEditor, breaks_into_rows_with_the_cursor_in_one_of_them) {
  LineEditor line;
  line.replace("abcd\nef");
  const VisibleRows rows = line.rows(5, 2);
  EXPECT_EQ(rows.rows, (std::vector<std::string>{"ab", "cd", "ef"}));
  EXPECT_EQ(rows.cursor_row, 2U);
  EXPECT_EQ(rows.cursor_column, 2U);
  line.apply({KeyKind::home});
  EXPECT_EQ(line.rows(5, 2).cursor_row, 0U);
  EXPECT_EQ(line.rows(5, 2).cursor_column, 2U);
  for (std::size_t columns = 4; columns < 12; ++columns) {
    line.replace("漢字かな交じり文と plain text\n");
    for (const std::string& row : line.rows(columns, 1).rows) EXPECT_LT(columns_of(row), columns);
    EXPECT_LT(line.rows(columns, 1).cursor_column, columns);
  }
}

TEST(LineEditor, shows_line_breaks_and_hostile_bytes_harmlessly) {
  LineEditor line;
  line.apply({KeyKind::text, "a\nb\x1b[2J\xFF"});
  EXPECT_EQ(line.visible(40).text, "a↵b␛[2J\xEF\xBF\xBD");
  EXPECT_EQ(line.text(), "a\nb\x1b[2J\xFF");
}

TEST(LineEditor, takes_no_more_than_its_most) {
  LineEditor line;
  line.apply({KeyKind::text, std::string(LineEditor::kMostBytes, 'x')});
  line.apply({KeyKind::text, "y"});
  EXPECT_EQ(line.text().size(), LineEditor::kMostBytes);
}

}  // namespace
}  // namespace wright::app
