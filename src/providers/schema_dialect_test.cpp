#include "providers/schema_dialect.h"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>

namespace wright::providers {
namespace {

Json dialect_json(std::string_view text) {
  auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : Json();
}

std::string strict(std::string_view text) {
  const auto schema = strict_schema(dialect_json(text));
  return schema ? to_text(*schema) : "not strict";
}

TEST(WithoutRefs, writes_references_out) {
  EXPECT_EQ(to_text(without_refs(dialect_json(
                R"({"properties":{"a":{"$ref":"#/$defs/x","description":"d"}},
                    "$defs":{"x":{"type":"string","description":"e"}}})"))),
            R"({"properties":{"a":{"type":"string","description":"d"}}})");
  EXPECT_EQ(
      to_text(without_refs(dialect_json(
          R"({"items":{"$ref":"#/definitions/a~1b%20c"},"definitions":{"a/b c":{"type":"null"}}})"))),
      R"({"items":{"type":"null"}})");
}

TEST(WithoutRefs, cuts_a_schema_that_contains_itself) {
  EXPECT_EQ(to_text(without_refs(
                dialect_json(R"({"type":"object","properties":{"next":{"$ref":"#"}}})"))),
            R"({"type":"object","properties":{"next":{"type":"object","properties":{"next":)"
            R"({"type":"object","description":"Nested further in the same way"}}}}})");
  EXPECT_EQ(to_text(without_refs(dialect_json(R"({"$ref":"#"})"))),
            R"({"type":"object","description":"Nested further in the same way"})");
}

TEST(WithoutRefs, bounds_a_schema_that_doubles_with_every_reference) {
  std::string text = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "{\"$ref\":\"#/$defs/d" + std::to_string(i + 1) + "\"}";
    text +=
        "\"d" + std::to_string(i) + "\":{\"properties\":{\"a\":" + next + ",\"b\":" + next + "}},";
  }
  text += R"("d40":{"type":"string"}}})";
  EXPECT_LT(to_text(without_refs(dialect_json(text))).size(), 2'000'000U);
}

TEST(WithoutRefs, takes_no_property_or_value_for_a_reference) {
  const std::string_view text =
      R"({"properties":{"$ref":{"type":"string"},"$defs":{"type":"string"}},"enum":[{"$ref":"#"}]})";
  EXPECT_EQ(to_text(without_refs(dialect_json(text))), to_text(dialect_json(text)));
  EXPECT_EQ(to_text(without_refs(dialect_json(R"({"$ref":"http://elsewhere","title":"t"})"))),
            R"({"title":"t"})");
  EXPECT_EQ(to_text(without_refs(dialect_json(R"({"$ref":7})"))), "{}");
  EXPECT_EQ(to_text(without_refs(dialect_json("true"))), "true");
}

TEST(StrictSchema, requires_everything_and_lets_the_optional_be_null) {
  EXPECT_EQ(
      strict(R"({"type":"object","properties":{"a":{"type":"string","minLength":2},
                       "b":{"type":"integer","default":3},"c":{"enum":["x","y"]},
                       "d":{"anyOf":[{"type":"string"},{"type":"number"}]}},"required":["a"]})"),
      R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"]},)"
      R"("c":{"enum":["x","y",null],"type":["string","null"]},)"
      R"("d":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"null"}]}},)"
      R"("required":["a","b","c","d"],"additionalProperties":false})");
}

TEST(StrictSchema, is_given_to_a_tool_without_parameters) {
  EXPECT_EQ(strict(R"({"type":"object"})"),
            R"({"type":"object","properties":{},"required":[],"additionalProperties":false})");
}

TEST(StrictSchema, is_not_given_where_it_would_mean_something_else) {
  for (const std::string_view schema :
       {R"({"type":"object","additionalProperties":{"type":"string"}})",
        R"({"type":"object","additionalProperties":true})", R"({"anyOf":[{"type":"object"}]})",
        R"({"type":"string"})", R"({"type":"object","properties":{"map":{"type":"object"}}})",
        R"({"type":"object","properties":{"any":{}}})",
        R"({"type":"object","properties":{"any":true}})",
        R"({"type":"object","properties":{"list":{"type":"array"}}})",
        R"({"type":"object","properties":{"both":{"allOf":[{"type":"string"}]}}})",
        R"({"type":"object","properties":{"ref":{"$ref":"http://elsewhere"}}})",
        R"({"type":"object","properties":{"mixed":{"enum":["a",1]}}})",
        R"({"type":"object","properties":7})",
        R"({"type":"object","patternProperties":{"^a":{"type":"string"}}})"}) {
    EXPECT_EQ(strict(schema), "not strict") << schema;
  }
}

TEST(StrictSchema, gives_up_on_depth_beyond_the_dialect) {
  std::string text = R"({"type":"string"})";
  for (int i = 0; i < 12; ++i) text = R"({"type":"array","items":)" + text + "}";
  EXPECT_EQ(strict(R"({"type":"object","properties":{"deep":)" + text + "}}"), "not strict");
}

TEST(ToolSchema, always_has_properties) {
  const ToolSchema schema = tool_schema(dialect_json("{}"), {});
  EXPECT_EQ(to_text(schema.parameters), R"({"type":"object","properties":{}})");
  EXPECT_FALSE(schema.is_strict);
}

TEST(AddedNulls, are_removed_where_only_strictness_asked_for_them) {
  const Json schema = dialect_json(
      R"({"properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"type":"null"},
          "in":{"properties":{"d":{"type":"integer"}}},
          "list":{"items":{"$ref":"#/$defs/x"}}},"required":["c"],
          "$defs":{"x":{"properties":{"e":{"type":"string"}}}}})");
  EXPECT_EQ(
      without_added_nulls(
          R"({"a":null,"b":null,"c":null,"in":{"d":null},"list":[{"e":null}],"f":null})", schema),
      R"({"b":null,"c":null,"in":{},"list":[{}],"f":null})");
  EXPECT_EQ(without_added_nulls(R"({ "a" : "null" })", schema), R"({ "a" : "null" })");
  EXPECT_EQ(without_added_nulls(R"({"a":null)", schema), R"({"a":null)");
}

}  // namespace
}  // namespace wright::providers
