#include "tools/text/character_set.h"

#include <gtest/gtest.h>

#include "wright/json.h"

namespace wright::tools {
namespace {

TEST(CharacterSet, is_the_declared_one) {
  EXPECT_EQ(decoded_text("caf\xE9 \x80", "iso-8859-1").text, "café €");
  EXPECT_EQ(decoded_text("caf\xE9", " \"Latin1\" ").text, "café");
  EXPECT_EQ(decoded_text("caf\xC3\xA9", "UTF-8").text, "café");
  EXPECT_EQ(decoded_text(std::string_view("\0h\0i", 4), "utf-16be").text, "hi");
}

TEST(CharacterSet, is_found_where_none_or_nonsense_is_declared) {
  EXPECT_EQ(decoded_text("caf\xC3\xA9", "").character_set, "utf-8");
  EXPECT_EQ(decoded_text("caf\xE9", "").text, "café");
  EXPECT_EQ(decoded_text("caf\xE9", "no-such-set").character_set, "windows-1252");
  EXPECT_EQ(decoded_text("caf\xC3\xA9", "../../x").text, "café");
}

TEST(CharacterSet, of_a_byte_order_mark_wins) {
  EXPECT_EQ(decoded_text("\xEF\xBB\xBF"
                         "caf\xC3\xA9",
                         "iso-8859-1")
                .text,
            "café");
  EXPECT_EQ(decoded_text(std::string_view("\xFF\xFEh\0i\0", 6), "utf-8").text, "hi");
  EXPECT_EQ(decoded_text(std::string_view("\xFE\xFF\xD8\x3D\xDE\x00", 6), "").text, "😀");
}

TEST(CharacterSet, that_the_bytes_do_not_have_leaves_replacement_characters) {
  EXPECT_EQ(decoded_text("caf\xE9!", "utf-8").text, "caf\xEF\xBF\xBD!");
  EXPECT_EQ(decoded_text(std::string_view("\xFF\xFEh\0\x00\xD8x", 7), "").text,
            "h\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(CharacterSet, of_the_c_library_are_used_where_they_are_known_to_be_harmless) {
  EXPECT_EQ(decoded_text("\xCF\xF0\xE8\xE2\xE5\xF2", "windows-1251").text, "Привет");
  EXPECT_EQ(decoded_text("\x93\xFA\x96\x7B", "Shift_JIS").text, "日本");
  const DecodedText broken = decoded_text("\x93", "shift_jis");
  EXPECT_EQ(broken.text, "\xEF\xBF\xBD");
}

TEST(CharacterSet, gives_valid_utf8_whatever_the_bytes_are) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (const char* set : {"", "utf-8", "latin1", "utf-16", "utf-16be", "gb18030", "euc-kr", "big5",
                          "windows-1255", "koi8-r", "x"}) {
    EXPECT_TRUE(is_valid_utf8(decoded_text(all, set).text)) << set;
  }
}

TEST(Utf8, replaces_what_is_no_character) {
  const auto utf8 = [](std::uint32_t point) {
    std::string text;
    append_utf8(text, point);
    return text;
  };
  EXPECT_EQ(utf8('a'), "a");
  EXPECT_EQ(utf8(0xE9), "é");
  EXPECT_EQ(utf8(0x20AC), "€");
  EXPECT_EQ(utf8(0x1F600), "😀");
  EXPECT_EQ(utf8(0xD800), "\xEF\xBF\xBD");
  EXPECT_EQ(utf8(0x110000), "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace wright::tools
