#include "providers/response_json.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

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

// What a parser of its own makes of each text, and what one that has seen others before makes of
// it.
void expect_the_same_of(const std::vector<std::string>& texts) {
  ResponseJson alike;
  for (const std::string& text : texts) {
    ResponseJson alone;
    const auto expected = alone.parse(text);
    const auto read = alike.parse_event(text);
    ASSERT_EQ(read.has_value(), expected.has_value()) << text;
    if (read) ASSERT_EQ(**read, **expected) << text;
    if (!read) ASSERT_EQ(read.error().message, expected.error().message) << text;
  }
}

std::string delta(std::string_view piece) {
  return R"({"id":"c1","n":null,"choices":[{"index":0,"delta":{"content":")" + std::string(piece) +
         R"("},"finish_reason":null}]})";
}

TEST(ResponseJson, reads_events_that_differ_in_one_text_as_if_each_were_alone) {
  expect_the_same_of({delta("a"),
                      delta("b"),
                      delta(""),
                      delta("a longer piece, by far"),
                      delta("ü€😀"),
                      delta(R"({\"path\":\"a\\nb\"})"),
                      delta(R"(\b\f\n\r\t\/\\)"),
                      delta(R"(\u00e9)"),
                      delta(R"(\ud83d)"),
                      delta("\xE2\x82"),
                      delta("\xAC"),
                      delta(R"(\x)"),
                      delta("c"),
                      delta("d"),
                      delta("a\nb"),
                      delta("e"),
                      delta(R"(\)"),
                      delta("f"),
                      delta(R"(","x":"y)"),
                      delta("g")});
}

TEST(ResponseJson, reads_events_with_names_that_stand_twice) {
  expect_the_same_of({R"({"a":"1","a":"2"})", R"({"a":"1","a":"3"})", R"({"a":"4","a":"3"})",
                      R"({"a":"5","a":"3"})"});
  expect_the_same_of(
      {R"({"b":{"c":"x"},"b":"2"})", R"({"b":{"c":"y"},"b":"2"})", R"({"b":{"c":"z"},"b":"2"})"});
}

TEST(ResponseJson, reads_events_that_differ_in_a_name_or_a_number) {
  expect_the_same_of({R"({"a":"x","b":1})", R"({"c":"x","b":1})", R"({"d":"x","b":1})",
                      R"({"d":"x","b":2})", R"({"d":"x","b":33})", R"({"d":"y","b":33})",
                      R"({"d":"z","b":33})", R"(["z"])", R"(["y"])", R"("y")", R"("z")", R"("")",
                      R"( "z" )", R"( "yy" )"});
}

TEST(ResponseJson, reads_any_row_of_events_as_if_each_were_alone) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  const std::array<std::string, 4> shapes{
      delta("?"),
      R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"?"}})",
      R"({"a":"?","b":{"a":"?"},"c":["?"]})",
      R"({"model":"m","message":{"content":"?"},"done":false})"};
  const std::array<std::string, 12> pieces{"a",  " and so on", "",     R"(\")",     R"(\\)", "\"",
                                           "\\", "é",          "\xC3", R"(\u0041)", "\t",    "?"};
  for (int row = 0; row < 300; ++row) {
    std::vector<std::string> texts;
    std::string shape = shapes[below(shapes.size())];
    for (int i = 0; i < 30; ++i) {
      if (below(15) == 0) shape = shapes[below(shapes.size())];
      std::string text = shape;
      const std::size_t hole = text.find('?', below(2) * (text.find('?') + 1));
      if (hole != std::string::npos) {
        std::string piece;
        for (std::size_t n = below(4); n > 0; --n) piece += pieces[below(pieces.size())];
        text.replace(hole, 1, piece);
      }
      if (below(10) == 0) text[below(text.size())] = static_cast<char>(below(256));
      if (below(40) == 0) text.resize(below(text.size()));
      texts.push_back(std::move(text));
    }
    ASSERT_NO_FATAL_FAILURE(expect_the_same_of(texts));
  }
}

}  // namespace
}  // namespace wright::providers
