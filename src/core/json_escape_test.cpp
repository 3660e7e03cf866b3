#include "core/json_escape.h"

#include <gtest/gtest.h>

#include "wright/json.h"

namespace wright {
namespace {

std::string escaped(std::string_view text, EscapeDelete escape_delete = EscapeDelete::no) {
  std::string out = ">";
  append_escaped(out, text, escape_delete);
  return out;
}

TEST(JsonEscape, leaves_plain_text_as_it_is) {
  EXPECT_EQ(escaped(""), ">");
  EXPECT_EQ(escaped("plain / text"), ">plain / text");
  EXPECT_EQ(escaped("é漢💩"), ">é漢💩");
}

TEST(JsonEscape, escapes_quotes_backslashes_and_controls) {
  EXPECT_EQ(escaped("a\"b\\c\n\r\t"), R"(>a\"b\\c\n\r\t)");
  EXPECT_EQ(escaped(std::string_view("\0\x1f", 2)), R"(>\u0000\u001f)");
}

TEST(JsonEscape, escapes_delete_where_asked) {
  EXPECT_EQ(escaped("a\x7F"), ">a\x7F");
  EXPECT_EQ(escaped("a\x7F", EscapeDelete::yes), R"(>a\u007f)");
}

TEST(JsonEscape, repairs_what_is_not_utf8) {
  EXPECT_EQ(escaped("a\xFF\"b"), ">a\xEF\xBF\xBD\\\"b");
}

TEST(JsonEscape, keeps_long_texts_whole_at_every_length) {
  for (std::size_t length = 250; length < 520; ++length) {
    std::string text(length, '\x01');
    text += "é\"";
    std::string quoted = "\"";
    append_escaped(quoted, text, EscapeDelete::no);
    quoted += '"';
    EXPECT_EQ(parse_json(quoted), Json(text)) << length;
  }
}

TEST(JsonEscape, finds_every_byte_at_every_place) {
  for (int byte = 0; byte < 0x80; ++byte) {
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text = "all of this is plain";
      text[at] = static_cast<char>(byte);
      std::string quoted = "\"";
      append_escaped(quoted, text, EscapeDelete::yes);
      quoted += '"';
      EXPECT_EQ(parse_json(quoted), Json(text)) << byte << " at " << at;
      const bool is_plain = byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
      EXPECT_EQ(quoted.size() == text.size() + 2, is_plain) << byte << " at " << at;
    }
  }
}

}  // namespace
}  // namespace wright
