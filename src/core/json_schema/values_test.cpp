#include "core/json_schema/values.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/text.h"

namespace wright::json_schema {
namespace {

Json parsed(std::string_view text) {
  return parse_json(text).value();
}

TEST(JsonValues, compare_numbers_exactly_across_kinds) {
  const Json largest_unsigned = std::numeric_limits<std::uint64_t>::max();
  const Json smallest = std::numeric_limits<std::int64_t>::min();
  EXPECT_TRUE(compare_numbers(Json(1), Json(1.0)) == 0);
  EXPECT_TRUE(compare_numbers(Json(1), Json(1.5)) < 0);
  EXPECT_TRUE(compare_numbers(Json(-1.5), Json(-1)) < 0);
  EXPECT_TRUE(compare_numbers(smallest, largest_unsigned) < 0);
  EXPECT_TRUE(compare_numbers(largest_unsigned, Json(-1)) > 0);
  // 2^64 as a double is one more than the largest unsigned integer.
  EXPECT_TRUE(compare_numbers(largest_unsigned, Json(18446744073709551616.0)) < 0);
  EXPECT_TRUE(compare_numbers(smallest, Json(-9223372036854775808.0)) == 0);
  EXPECT_TRUE(compare_numbers(Json(9007199254740993), Json(9007199254740992.0)) > 0);
  EXPECT_TRUE(compare_numbers(Json(1e300), largest_unsigned) > 0);
}

TEST(JsonValues, are_equal_as_json_schema_says) {
  EXPECT_TRUE(equal(parsed("1"), parsed("1.0")));
  EXPECT_TRUE(equal(parsed("-0.0"), parsed("0")));
  EXPECT_TRUE(equal(parsed(R"({"a":1,"b":[1,2]})"), parsed(R"({"b":[1.0,2],"a":1})")));
  EXPECT_FALSE(equal(parsed("0"), parsed("false")));
  EXPECT_FALSE(equal(parsed("\"1\""), parsed("1")));
  EXPECT_FALSE(equal(parsed("null"), parsed("false")));
  EXPECT_FALSE(equal(parsed("[1,2]"), parsed("[2,1]")));
  EXPECT_FALSE(equal(parsed(R"({"a":1})"), parsed(R"({"a":1,"b":1})")));
  EXPECT_FALSE(equal(parsed(R"({"a":1})"), parsed(R"({"b":1})")));
}

TEST(JsonValues, hash_alike_when_they_are_equal) {
  EXPECT_EQ(hash_of(parsed("1")), hash_of(parsed("1.0")));
  EXPECT_EQ(hash_of(parsed(R"({"a":1,"b":2})")), hash_of(parsed(R"({"b":2.0,"a":1})")));
  EXPECT_NE(hash_of(parsed("[1,2]")), hash_of(parsed("[2,1]")));
  EXPECT_NE(hash_of(parsed("true")), hash_of(parsed("1")));
}

TEST(JsonValues, know_multiples_as_decimal_numbers) {
  const auto is_multiple = [](std::string_view value, std::string_view divisor) {
    return is_multiple_of(parsed(value), parsed(divisor));
  };
  EXPECT_TRUE(is_multiple("0.0075", "0.0001"));
  EXPECT_FALSE(is_multiple("0.00751", "0.0001"));
  EXPECT_TRUE(is_multiple("19.99", "0.01"));
  EXPECT_TRUE(is_multiple("4.02", "0.01"));
  EXPECT_TRUE(is_multiple("-6", "3"));
  EXPECT_FALSE(is_multiple("-7", "3"));
  EXPECT_TRUE(is_multiple("1e308", "0.5"));
  EXPECT_TRUE(is_multiple("1e308", "1e-308"));
  EXPECT_TRUE(is_multiple("0", "0.3"));
  EXPECT_TRUE(is_multiple("18446744073709551615", "5"));
  EXPECT_FALSE(is_multiple("18446744073709551615", "2"));
  EXPECT_TRUE(is_multiple("4.5", "1.5"));
  EXPECT_FALSE(is_multiple_of(Json(std::numeric_limits<double>::infinity()), Json(1)));
}

TEST(JsonValues, are_integers_without_a_fraction) {
  EXPECT_TRUE(is_integer(parsed("5.0")));
  EXPECT_TRUE(is_integer(parsed("1e300")));
  EXPECT_FALSE(is_integer(parsed("5.5")));
  EXPECT_FALSE(is_integer(parsed("\"5\"")));
  EXPECT_FALSE(is_integer(Json(std::numeric_limits<double>::quiet_NaN())));
}

TEST(JsonValues, find_duplicates_in_small_and_large_arrays) {
  EXPECT_TRUE(has_duplicates(parsed("[1,2,1.0]").as_array()));
  EXPECT_FALSE(has_duplicates(parsed("[1,true,\"1\",[1],{\"a\":1}]").as_array()));
  JsonArray many;
  for (int i = 0; i < 5000; ++i) many.emplace_back(i);
  EXPECT_FALSE(has_duplicates(many));
  many.emplace_back(2500.0);
  EXPECT_TRUE(has_duplicates(many));
}

TEST(JsonValues, count_characters_not_bytes) {
  EXPECT_EQ(count_characters("naïve 💩"), 7U);
  EXPECT_EQ(count_characters(""), 0U);
}

TEST(JsonValues, know_how_deep_they_are) {
  EXPECT_FALSE(is_deeper_than(parsed("1"), 0));
  EXPECT_TRUE(is_deeper_than(parsed("[]"), 0));
  EXPECT_FALSE(is_deeper_than(parsed(R"([{"a":1}])"), 2));
  EXPECT_TRUE(is_deeper_than(parsed(R"([1,{"a":[]}])"), 2));
}

}  // namespace
}  // namespace wright::json_schema
