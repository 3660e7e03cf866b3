#include "project/json_in_words.h"

#include <gtest/gtest.h>

#include <string>

namespace wright::project {
namespace {

// Each as it is written, with `$` behind those at the end and `|` behind those with their own
// lines.
std::string found_in(std::string_view text) {
  std::string all;
  for (const JsonInWords& found : json_in_words(text)) {
    EXPECT_EQ(parse_json(found.written), found.value);
    all += found.written;
    if (found.is_at_end) all += '$';
    if (found.has_own_lines) all += '|';
  }
  return all;
}

TEST(JsonInWords, are_found_whole_and_in_order) {
  EXPECT_EQ(found_in(""), "");
  EXPECT_EQ(found_in("no {such} thing [x]"), "");
  EXPECT_EQ(found_in(R"(a {"b": {"c": [1]}} d [2] e)"), R"({"b": {"c": [1]}}[2])");
  EXPECT_EQ(found_in(R"(broken {"a": {"b": 1})"), R"({"b": 1}$)");
}

TEST(JsonInWords, say_where_they_stand) {
  EXPECT_EQ(found_in("{} a {} []\n"), "{}{}$[]$");
  EXPECT_EQ(found_in("a\n  {\"b\":\n1} \nc\n{} d\ne {}"), "{\"b\":\n1}|{}{}$");
  EXPECT_EQ(found_in("a\n{}"), "{}$|");
}

TEST(JsonInWords, are_found_in_much_that_is_broken) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += R"({"a":[)";
  EXPECT_EQ(found_in(text + "1]} "), R"({"a":[1]}$)");
}

}  // namespace
}  // namespace wright::project
