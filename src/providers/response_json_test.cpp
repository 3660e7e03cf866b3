#include "providers/response_json.h"

#include <gtest/gtest.h>

namespace wright::providers {
namespace {

TEST(ResponseJson, parses_one_document_after_another) {
  ResponseJson json;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = R"({"n":)" + std::to_string(i) + R"(,"t":")" +
                             std::string(static_cast<std::size_t>(i) * 20, 'x') + "\"}";
    const auto document = json.parse(text);
    ASSERT_TRUE(document);
    EXPECT_EQ(count_field(*document, "n"), i);
    EXPECT_EQ(text_field(*document, "t").size(), static_cast<std::size_t>(i) * 20);
  }
}

TEST(ResponseJson, goes_on_after_an_error) {
  ResponseJson json;
  EXPECT_FALSE(json.parse("{\"a\":"));
  EXPECT_FALSE(json.parse("{} {}"));
  EXPECT_FALSE(json.parse(""));
  EXPECT_FALSE(json.parse(std::string(2 * kMaxJsonDepth, '[')));
  ASSERT_TRUE(json.parse(" {\"a\":1} \n"));
}

TEST(ResponseJson, reads_halves_of_surrogate_pairs) {
  ResponseJson json;
  const auto document =
      json.parse(R"({"a":"x\ud83d","b":"\ude00","c":"\ud83d\ude00","d":"\\ud83d"})");
  ASSERT_TRUE(document);
  EXPECT_EQ(text_field(*document, "a"), "x\xED\xA0\xBD");
  EXPECT_EQ(text_field(*document, "b"), "\xED\xB8\x80");
  EXPECT_EQ(text_field(*document, "c"), "😀");
  EXPECT_EQ(text_field(*document, "d"), "\\ud83d");
  EXPECT_EQ(valid_text(text_field(*document, "a")), "x\uFFFD");
}

TEST(ResponseJson, reads_fields_that_are_absent_null_or_of_another_type_as_nothing) {
  ResponseJson json;
  const auto document = json.parse(
      R"({"null":null,"text":"t","big":1e300,"huge":9223372036854775807,"unsigned":18446744073709551615,"minus":-5,"string":"12"})");
  ASSERT_TRUE(document);
  EXPECT_EQ(field(*document, "null"), nullptr);
  EXPECT_EQ(field(nullptr, "null"), nullptr);
  EXPECT_EQ(text_field(*document, "big"), "");
  EXPECT_EQ(text_field(field(*document, "text"), "x"), "");
  EXPECT_EQ(count_field(*document, "big"), 1'000'000'000'000);
  EXPECT_EQ(count_field(*document, "huge"), 1'000'000'000'000);
  EXPECT_EQ(count_field(*document, "unsigned"), 1'000'000'000'000);
  EXPECT_EQ(count_field(*document, "minus"), 0);
  EXPECT_EQ(count_field(*document, "string"), 12);
  EXPECT_EQ(array_in(field(*document, "text")), nullptr);
}

}  // namespace
}  // namespace wright::providers
