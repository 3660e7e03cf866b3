#include "wright/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace wright {
namespace {

TEST(Json, round_trips_text) {
  const std::string text =
      R"({"b":1,"a":[true,false,null,-7,1.5,18446744073709551615,"x\n\"\\\u0001é"],"o":{},"l":[]})";
  const auto value = parse_json(text);
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(to_text(*value), text);
}

TEST(Json, prints_numbers_as_people_write_them) {
  EXPECT_EQ(to_text(Json(0.7)), "0.7");
  EXPECT_EQ(to_text(Json(100.0)), "100");
  EXPECT_EQ(to_text(Json(-0.25)), "-0.25");
  EXPECT_EQ(to_text(Json(1e100)), "1e+100");
  EXPECT_EQ(to_text(Json(std::numeric_limits<double>::infinity())), "null");
  EXPECT_EQ(to_text(Json(std::numeric_limits<double>::quiet_NaN())), "null");
}

TEST(Json, prints_indented_for_people) {
  EXPECT_EQ(to_pretty_text(*parse_json(R"({"a":[1,{}],"b":"c"})")),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"c\"\n}");
}

TEST(Json, refuses_what_is_not_json_and_says_where) {
  for (const std::string text :
       {"", "{", "{\"a\":}", "[1,]", "nul", "{} {}", "'a'", "{\"a\":1,}"}) {
    const auto value = parse_json(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, ErrorCode::invalid_json);
  }
  EXPECT_EQ(parse_json("[1, x]").error().message.rfind("Invalid JSON at byte 4", 0), 0U);
  EXPECT_TRUE(parse_json(" {} \n"));
}

TEST(Json, refuses_invalid_utf8_and_bottomless_nesting) {
  EXPECT_FALSE(parse_json("\"\xFF\""));
  EXPECT_TRUE(parse_json(std::string(200, '[') + std::string(200, ']')));
  EXPECT_FALSE(parse_json(std::string(100'000, '[') + std::string(100'000, ']')));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
}

TEST(Json, always_writes_valid_utf8) {
  EXPECT_EQ(to_text(Json("a\xFFz")), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(to_text(Json(JsonObject{{"\xC0", 1}})), "{\"\xEF\xBF\xBD\":1}");
}

TEST(Utf8, tells_valid_from_invalid) {
  for (const std::string valid : {"", "a", "é", "€", "😀", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_valid_utf8(valid)) << valid;
    EXPECT_EQ(to_valid_utf8(valid), valid);
  }
  for (const std::string invalid :
       {"\x80", "\xC0\x80", "\xC3", "\xE2\x82", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "ok\xC3(", "\xE0\x80\x80"}) {
    EXPECT_FALSE(is_valid_utf8(invalid));
    EXPECT_TRUE(is_valid_utf8(to_valid_utf8(invalid)));
  }
  EXPECT_EQ(to_valid_utf8("a\xC3(b\xFF"), "a\xEF\xBF\xBD(b\xEF\xBF\xBD");
}

TEST(Utf8, cuts_between_characters_only) {
  const std::string text = "aé€😀";
  EXPECT_EQ(utf8_prefix(text, 100), text);
  EXPECT_EQ(utf8_prefix(text, 10), text);
  EXPECT_EQ(utf8_prefix(text, 9), "aé€");
  EXPECT_EQ(utf8_prefix(text, 3), "aé");
  EXPECT_EQ(utf8_prefix(text, 2), "a");
  EXPECT_EQ(utf8_prefix(text, 0), "");
}

}  // namespace
}  // namespace wright
