#include "providers/utf8_joiner.h"

#include <gtest/gtest.h>

#include <vector>

#include "wright/json.h"

namespace wright::providers {
namespace {

std::string joined(const std::vector<std::string>& pieces) {
  std::string text;
  Utf8Joiner joiner;
  for (const std::string& piece : pieces) {
    joiner.append(text, piece);
    EXPECT_TRUE(is_valid_utf8(text));
  }
  joiner.finish(text);
  EXPECT_TRUE(is_valid_utf8(text));
  return text;
}

TEST(Utf8Joiner, joins_a_character_wherever_it_is_cut) {
  const std::string text = "a€😀ü";
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      EXPECT_EQ(
          joined({text.substr(0, first), text.substr(first, second - first), text.substr(second)}),
          text);
    }
  }
}

TEST(Utf8Joiner, joins_the_halves_of_a_surrogate_pair) {
  EXPECT_EQ(joined({"x\xED\xA0\xBD", "\xED\xB8\x80y"}), "x😀y");
  EXPECT_EQ(joined({"\xED\xA0\xBD\xED\xB8\x80"}), "😀");
  EXPECT_EQ(joined({"\xED", "\xA0", "\xBD", "\xED", "\xB8", "\x80"}), "😀");
}

TEST(Utf8Joiner, replaces_what_can_never_be_a_character) {
  EXPECT_EQ(joined({"a\xFF", "b"}), "a\uFFFDb");
  EXPECT_EQ(joined({"\xED\xA0\xBD", "b"}), "\uFFFDb");  // half a pair
  EXPECT_EQ(joined({"\xED\xB8\x80", "b"}), "\uFFFDb");  // the other half
  EXPECT_EQ(joined({"\xED\xA0\xBD\xED\xA0\xBD\xED\xB8\x80"}), "\uFFFD😀");
  EXPECT_EQ(joined({"\xE2\x82"}), "\uFFFD");        // never continued
  EXPECT_EQ(joined({"\xC0\xAF"}), "\uFFFD\uFFFD");  // overlong
}

}  // namespace
}  // namespace wright::providers
