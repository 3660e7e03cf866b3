#include "providers/schema_subset.h"

#include <gtest/gtest.h>

namespace wright::providers {
namespace {

Json json(std::string_view text) {
  const auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(Json());
}

std::string answer_schema(std::string_view text) {
  const auto schema = anthropic_answer_schema(json(text));
  return schema ? to_text(*schema) : "nothing";
}

TEST(AnthropicAnswerSchema, closes_objects_at_every_depth) {
  EXPECT_EQ(answer_schema(R"({"type":"object","properties":{"a":{"type":"array","items":
              {"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}}}})"),
            R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"object",)"
            R"("properties":{"b":{"type":"string"}},"required":["b"],)"
            R"("additionalProperties":false}}},"additionalProperties":false})");
}

TEST(AnthropicAnswerSchema, says_limits_in_words_that_cannot_be_enforced) {
  EXPECT_EQ(answer_schema(R"({"type":"integer","description":"Age.","minimum":0,"maximum":9})"),
            R"({"type":"integer","description":"Age. Limits: {\"minimum\":0,\"maximum\":9}"})");
}

TEST(AnthropicAnswerSchema, writes_references_out_and_oneOf_as_anyOf) {
  EXPECT_EQ(answer_schema(R"({"$ref":"#/$defs/x","$defs":{"x":{"oneOf":[{"type":"string"},
              {"type":"null"}]}}})"),
            R"({"anyOf":[{"type":"string"},{"type":"null"}]})");
}

TEST(AnthropicAnswerSchema, is_none_where_the_meaning_would_change) {
  for (const std::string_view text :
       {R"({"type":"object"})", R"({"type":"object","additionalProperties":{"type":"string"}})",
        R"({"type":"object","properties":{"a":{}}})", "true", R"({"description":"anything"})",
        R"({"type":"object","properties":{},"patternProperties":{"^a":{"type":"string"}}})",
        R"({"type":"array","prefixItems":[{"type":"string"}]})"}) {
    EXPECT_EQ(answer_schema(text), "nothing") << text;
  }
}

TEST(AnthropicInputSchema, is_an_object_without_alternatives_at_the_top) {
  EXPECT_EQ(
      to_text(anthropic_input_schema(json(
          R"({"properties":{"a":{"anyOf":[{"type":"string"}]}},"oneOf":[{"required":["a"]}]})"))),
      R"({"properties":{"a":{"anyOf":[{"type":"string"}]}},"type":"object"})");
  EXPECT_EQ(to_text(anthropic_input_schema(json("true"))), R"({"type":"object","properties":{}})");
}

TEST(GeminiSchema, keeps_what_gemini_reads) {
  EXPECT_EQ(to_text(gemini_schema(json(
                R"({"$schema":"x","type":"object","properties":{"pattern":{"type":"string",
                "pattern":"^a","minLength":1},"kind":{"const":"a"}},"required":["kind"],
                "additionalProperties":false,"examples":[{"if":1}]})"))),
            R"({"type":"object","properties":{"pattern":{"type":"string"},"kind":{"enum":["a"]}},)"
            R"("required":["kind"],"additionalProperties":false})");
}

}  // namespace
}  // namespace wright::providers
