#include "wright/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>

#include <limits>

namespace wright {
namespace {

Json parsed(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text;
  return value.value_or(Json());
}

JsonSchema compiled(std::string_view text, const SchemaOptions& options = {}) {
  auto schema = JsonSchema::compile(parsed(text), options);
  EXPECT_TRUE(schema) << text << ": " << schema.error().message;
  return *schema;
}

std::string refusal(std::string_view schema) {
  const auto compiled = JsonSchema::compile(parsed(schema));
  if (compiled) return "accepted";
  EXPECT_EQ(compiled.error().code, ErrorCode::invalid_argument);
  return compiled.error().message;
}

std::vector<std::string> messages(std::string_view schema, std::string_view value) {
  const JsonSchema checked = compiled(schema);
  std::vector<std::string> texts;
  for (const Violation& each : checked.violations(parsed(value))) texts.push_back(each.message);
  EXPECT_EQ(texts.empty(), checked.accepts(parsed(value)));
  return texts;
}

using Texts = std::vector<std::string>;

// --- bad schemas -------------------------------------------------------------------------------

TEST(JsonSchemaCompile, names_the_place_of_what_is_wrong) {
  EXPECT_EQ(refusal("5"), "#: a schema is an object, true or false");
  EXPECT_EQ(refusal(R"({"type":"strin"})"), "#/type: \"strin\" is not a type");
  EXPECT_EQ(refusal(R"({"type":[]})"), "#/type: must name at least one type");
  EXPECT_EQ(refusal(R"({"properties":{"city":{"type":7}}})"),
            "#/properties/city/type: 7 is not a type");
  EXPECT_EQ(refusal(R"({"properties":{"a":{"items":{"minimum":"1"}}}})"),
            "#/properties/a/items/minimum: must be a number");
  EXPECT_EQ(refusal(R"({"properties":{"a":3}})"),
            "#/properties/a: a schema is an object, true or false");
  EXPECT_EQ(refusal(R"({"properties":[]})"), "#/properties: must be an object");
  EXPECT_EQ(refusal(R"({"enum":"a"})"), "#/enum: must be an array");
  EXPECT_EQ(refusal(R"({"anyOf":[]})"), "#/anyOf: must be an array of at least one schema");
  EXPECT_EQ(refusal(R"({"minLength":-1})"), "#/minLength: must be a whole number, zero or more");
  EXPECT_EQ(refusal(R"({"maxItems":1.5})"), "#/maxItems: must be a whole number, zero or more");
  EXPECT_EQ(refusal(R"({"multipleOf":0})"), "#/multipleOf: must be greater than zero");
  EXPECT_EQ(refusal(R"({"uniqueItems":"yes"})"), "#/uniqueItems: must be true or false");
  EXPECT_EQ(refusal(R"({"required":"city"})"), "#/required: must be an array of names");
  EXPECT_EQ(refusal(R"({"required":[1]})"), "#/required: must be an array of names");
  EXPECT_EQ(refusal(R"({"pattern":"["})"), "#/pattern: '[' cannot be used: missing ]: [");
  EXPECT_EQ(refusal(R"({"anyOf":[{},{"not":[]}]})"),
            "#/anyOf/1/not: a schema is an object, true or false");
}

TEST(JsonSchemaCompile, explains_draft_3_where_it_meets_it) {
  EXPECT_EQ(refusal(R"({"properties":{"city":{"type":"string","required":true}}})"),
            "#/properties/city/required: must be an array of names, in the schema of the object "
            "that has them");
}

TEST(JsonSchemaCompile, never_fetches_and_says_so) {
  EXPECT_EQ(refusal(R"({"$ref":"https://example.com/x.json"})"),
            "#/$ref: 'https://example.com/x.json': the document 'https://example.com/x.json' is "
            "not known (references are never fetched)");
  EXPECT_EQ(refusal(R"({"$ref":"#/$defs/gone"})"), "#/$ref: '#/$defs/gone': it leads nowhere");
  EXPECT_EQ(refusal(R"({"$ref":"#gone"})"), "#/$ref: '#gone': there is no anchor 'gone'");
}

TEST(JsonSchemaCompile, takes_documents_that_are_handed_in) {
  const SchemaOptions options{
      .documents = {{"https://example.com/x.json", parsed(R"({"type":"integer"})")}}};
  const JsonSchema schema = compiled(R"({"$ref":"https://example.com/x.json"})", options);
  EXPECT_TRUE(schema.accepts(Json(1)));
  EXPECT_FALSE(schema.accepts(Json("1")));
}

TEST(JsonSchemaCompile, warns_of_patterns_that_it_cannot_enforce) {
  const JsonSchema schema = compiled(R"~({"properties":{"a":{"pattern":"^(?!x)"}}})~");
  ASSERT_EQ(schema.warnings().size(), 1U);
  EXPECT_EQ(schema.warnings()[0],
            "#/properties/a/pattern: '^(?!x)' cannot be used: it uses lookaround");
  EXPECT_TRUE(schema.accepts(parsed(R"({"a":"x"})")));
}

// --- the words ---------------------------------------------------------------------------------

constexpr std::string_view kTrip = R"({
  "type": "object",
  "properties": {
    "city": {"type": "string", "minLength": 1, "maxLength": 5},
    "days": {"type": "integer", "minimum": 1, "maximum": 7},
    "budget": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 9.5},
    "quick": {"type": "boolean"},
    "unit": {"enum": ["celsius", "fahrenheit", 1]},
    "stops": {"type": "array", "minItems": 1, "maxItems": 2, "uniqueItems": true,
              "items": {"type": "object", "required": ["city"],
                        "properties": {"city": {"type": "string"}}}},
    "note": {"type": ["string", "null"]},
    "step": {"multipleOf": 0.5},
    "code": {"pattern": "^[A-Z]+$"},
    "kind": {"const": "trip"}
  },
  "required": ["city"],
  "additionalProperties": false
})";

TEST(JsonSchemaWords, are_those_of_the_seed) {
  EXPECT_EQ(messages(kTrip, "{}"), Texts{"Missing required parameter: city"});
  EXPECT_EQ(messages(kTrip, R"({"city":5})"),
            Texts{"Parameter city must be a string, not an integer"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","days":"5"})"),
            Texts{"Parameter days must be an integer, not a string"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","days":1.5})"),
            Texts{"Parameter days must be an integer, not a number"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","budget":null})"),
            Texts{"Parameter budget must be a number, not null"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","quick":[]})"),
            Texts{"Parameter quick must be a boolean, not an array"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","stops":{}})"),
            Texts{"Parameter stops must be an array, not an object"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","stops":[true]})"),
            Texts{"Parameter stops[0] must be an object, not a boolean"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","note":1})"),
            Texts{"Parameter note must be a string or null, not an integer"});
  EXPECT_EQ(messages(kTrip, "[]"), Texts{"The arguments must be an object, not an array"});
}

TEST(JsonSchemaWords, say_what_was_expected_and_what_came) {
  EXPECT_EQ(messages(kTrip, R"({"city":""})"),
            Texts{"Parameter city must have at least 1 character, not 0"});
  EXPECT_EQ(messages(kTrip, R"({"city":"Göteborg"})"),
            Texts{"Parameter city must have at most 5 characters, not 8"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","days":0})"),
            Texts{"Parameter days must be at least 1, not 0"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","days":8})"),
            Texts{"Parameter days must be at most 7, not 8"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","budget":0})"),
            Texts{"Parameter budget must be greater than 0, not 0"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","budget":9.5})"),
            Texts{"Parameter budget must be less than 9.5, not 9.5"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","unit":"kelvin"})"),
            Texts{"Parameter unit must be one of: celsius, fahrenheit, 1"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","stops":[]})"),
            Texts{"Parameter stops must have at least 1 item, not 0"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","stops":[{"city":"b"},{"city":"b"}]})"),
            Texts{"Parameter stops must not hold the same item twice"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","stops":[{"city":"b"},{}]})"),
            Texts{"Missing required parameter: stops[1].city"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","step":0.7})"),
            Texts{"Parameter step must be a multiple of 0.5, not 0.7"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","code":"x"})"),
            Texts{"Parameter code must match the pattern ^[A-Z]+$"});
  EXPECT_EQ(messages(kTrip, R"({"city":"a","kind":"x"})"),
            Texts{"Parameter kind must be \"trip\""});
  EXPECT_EQ(
      messages(R"({"properties":{"a":{},"b":{}},"additionalProperties":false})", R"({"c":1})"),
      Texts{"Unknown parameter: c (known: a, b)"});
  EXPECT_EQ(messages(R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})"),
            Texts{"Missing required parameter: b (needed together with a)"});
  EXPECT_EQ(messages(R"({"properties":{"a":false}})", R"({"a":1})"),
            Texts{"Parameter a is not allowed"});
}

TEST(JsonSchemaWords, list_everything_that_is_wrong_up_to_the_limit) {
  EXPECT_EQ(messages(kTrip, R"({"days":9,"quick":1})").size(), 3U);
  const JsonSchema schema = compiled(R"({"items":{"type":"string"}})");
  EXPECT_EQ(schema.violations(parsed("[1,2,3,4,5]"), 2).size(), 2U);
  EXPECT_EQ(schema.violations(parsed("[1,2,3,4,5]"), 0).size(), 1U);
}

TEST(JsonSchemaWords, carry_path_and_keyword_for_programs) {
  const auto found = compiled(kTrip).violations(parsed(R"({"city":"a","stops":[{"city":1}]})"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (Violation{"stops[0].city", "type",
                                 "Parameter stops[0].city must be a string, not an integer"}));
}

TEST(JsonSchemaWords, explain_the_alternative_that_comes_closest) {
  constexpr std::string_view kShape = R"({"properties":{"shape":{"anyOf":[
    {"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},
     "required":["kind","radius"]},
    {"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},
     "required":["kind","side"]},
    {"type":"string"}]}}})";
  EXPECT_EQ(messages(kShape, R"({"shape":{"kind":"square","side":"1"}})"),
            Texts{"Parameter shape.side must be a number, not a string"});
  EXPECT_EQ(messages(kShape, R"({"shape":4})"),
            Texts{"Parameter shape must be a string or an object, not an integer"});
  EXPECT_EQ(
      messages(R"({"properties":{"a":{"oneOf":[{"minimum":1},{"maximum":5}]}}})", R"({"a":3})"),
      Texts{"Parameter a must fit exactly one alternative, but fits number 1 and 2"});
}

TEST(JsonSchemaWords, shorten_long_values_between_characters) {
  std::string long_text;
  for (int i = 0; i < 100; ++i) long_text += "é";
  const auto found =
      JsonSchema::compile(JsonObject{{"const", long_text}})->violations(Json("short"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LT(found[0].message.size(), 100U);
  EXPECT_TRUE(is_valid_utf8(found[0].message));
}

// --- bounds ------------------------------------------------------------------------------------

// A value in memory that is freed at once: taking it apart level by level would need the stack.
class DeepValue {
 public:
  explicit DeepValue(int depth) : value_(&memory_) {
    value_ = Json(1, &memory_);
    for (int i = 0; i < depth; ++i) {
      Json outer(boost::json::object_kind, &memory_);
      outer.get_object().emplace("a", std::move(value_));
      value_ = std::move(outer);
    }
  }
  const Json& value() const { return value_; }

 private:
  boost::json::monotonic_resource memory_;
  Json value_;
};

TEST(JsonSchemaBounds, deep_values_are_a_violation) {
  const DeepValue deep(100'000);
  const JsonSchema tree = compiled(R"({"properties":{"a":{"$ref":"#"}}})");
  EXPECT_FALSE(tree.accepts(deep.value()));
  ASSERT_FALSE(tree.violations(deep.value()).empty());
  EXPECT_NE(tree.violations(deep.value())[0].message.find("too deeply"), std::string::npos);
  EXPECT_TRUE(compiled(R"({"type":"object"})").accepts(deep.value()));
  EXPECT_FALSE(compiled(R"({"const":{"a":{"a":1}}})").accepts(deep.value()));
}

TEST(JsonSchemaBounds, deep_items_that_must_be_unique_are_a_violation) {
  JsonArray nested;
  Json level = 1;
  for (int i = 0; i < 3000; ++i) level = JsonArray{std::move(level)};
  nested.push_back(level);
  nested.push_back(std::move(level));
  EXPECT_FALSE(compiled(R"({"uniqueItems":true})").accepts(nested));
}

TEST(JsonSchemaBounds, deep_schemas_are_refused) {
  Json schema = JsonObject{};
  for (int i = 0; i < 2000; ++i) schema = JsonObject{{"not", std::move(schema)}};
  const auto compiled = JsonSchema::compile(schema);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().message, "#: the schema is nested too deeply");
}

TEST(JsonSchemaBounds, circular_references_end) {
  for (
      const char* schema :
      {R"({"$ref":"#"})", R"({"allOf":[{"$ref":"#"}]})", R"({"not":{"$ref":"#"}})",
       R"({"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})"}) {
    const JsonSchema circular = compiled(schema);
    const bool is_accepted = circular.accepts(Json(1));
    EXPECT_EQ(is_accepted, circular.violations(Json(1)).empty()) << schema;
  }
}

TEST(JsonSchemaBounds, exponential_alternatives_end) {
  // Each level tries the next one twice: 2^40 without a bound.
  JsonObject definitions;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "#/$defs/" + std::to_string(i + 1);
    definitions[std::to_string(i)] =
        JsonObject{{"anyOf", JsonArray{JsonObject{{"$ref", next}}, JsonObject{{"$ref", next}}}}};
  }
  definitions["40"] = JsonObject{{"type", "string"}};
  const auto schema =
      JsonSchema::compile(JsonObject{{"$ref", "#/$defs/0"}, {"$defs", definitions}});
  ASSERT_TRUE(schema);
  EXPECT_FALSE(schema->accepts(Json(1)));
  EXPECT_FALSE(schema->violations(Json(1)).empty());
}

TEST(JsonSchemaBounds, huge_arrays_are_checked_in_good_time) {
  JsonArray many;
  for (int i = 0; i < 200'000; ++i) many.emplace_back(i);
  const JsonSchema unique = compiled(R"({"uniqueItems":true,"items":{"type":"integer"}})");
  EXPECT_TRUE(unique.accepts(many));
  many.emplace_back(7);
  EXPECT_FALSE(unique.accepts(many));
  JsonArray same(200'000, Json("x"));
  EXPECT_FALSE(unique.accepts(same));
}

TEST(JsonSchemaBounds, catastrophic_patterns_are_linear) {
  const JsonSchema schema = compiled(R"({"pattern":"^(([a-z])+.)+[A-Z]([a-z])+$"})");
  EXPECT_FALSE(schema.accepts(Json(std::string(50'000, 'a'))));
}

TEST(JsonSchemaBounds, numbers_that_are_none_are_refused_not_compared) {
  const Json infinite(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(compiled(R"({"type":"integer"})").accepts(infinite));
  EXPECT_FALSE(compiled(R"({"maximum":5})").accepts(infinite));
  EXPECT_FALSE(compiled(R"({"multipleOf":5})").accepts(infinite));
}

// --- schemas as tool catalogues have them ------------------------------------------------------

TEST(ToolCatalogues, say_nullable_in_three_ways) {
  for (const char* schema :
       {R"({"type":["string","null"]})", R"({"type":"string","nullable":true})",
        R"({"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"Name"})"}) {
    EXPECT_TRUE(compiled(schema).accepts(nullptr)) << schema;
    EXPECT_TRUE(compiled(schema).accepts(Json("x"))) << schema;
    EXPECT_FALSE(compiled(schema).accepts(Json(1))) << schema;
  }
  EXPECT_FALSE(compiled(R"({"type":"string","nullable":false})").accepts(nullptr));
  EXPECT_TRUE(compiled(R"({"nullable":true})").accepts(Json(1)));
}

TEST(ToolCatalogues, leave_out_the_type) {
  const JsonSchema schema = compiled(R"({"properties":{"a":{"minimum":3}},"required":["a"]})");
  EXPECT_TRUE(schema.accepts(parsed(R"({"a":3})")));
  EXPECT_TRUE(schema.accepts(parsed(R"({"a":"text"})")));
  EXPECT_FALSE(schema.accepts(parsed(R"({"a":2})")));
  EXPECT_FALSE(schema.accepts(parsed("{}")));
}

TEST(ToolCatalogues, mix_drafts) {
  const JsonSchema exclusive =
      compiled(R"({"minimum":0,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false})");
  EXPECT_FALSE(exclusive.accepts(Json(0)));
  EXPECT_TRUE(exclusive.accepts(Json(0.1)));
  EXPECT_TRUE(exclusive.accepts(Json(9)));
  const JsonSchema tuple =
      compiled(R"({"items":[{"type":"string"},{"type":"integer"}],"additionalItems":false})");
  EXPECT_TRUE(tuple.accepts(parsed(R"(["a",1])")));
  EXPECT_FALSE(tuple.accepts(parsed(R"(["a","b"])")));
  EXPECT_FALSE(tuple.accepts(parsed(R"(["a",1,2])")));
  const JsonSchema both = compiled(
      R"({"$ref":"#/definitions/a","$defs":{"b":{"type":"string"}},
          "definitions":{"a":{"$ref":"#/$defs/b"}}})");
  EXPECT_TRUE(both.accepts(Json("x")));
  EXPECT_FALSE(both.accepts(Json(1)));
  const JsonSchema dependencies =
      compiled(R"({"dependencies":{"a":["b"],"c":{"required":["d"]}}})");
  EXPECT_FALSE(dependencies.accepts(parsed(R"({"a":1})")));
  EXPECT_FALSE(dependencies.accepts(parsed(R"({"c":1})")));
  EXPECT_TRUE(dependencies.accepts(parsed(R"({"a":1,"b":1,"c":1,"d":1})")));
}

TEST(ToolCatalogues, name_other_drafts_or_none) {
  for (const char* draft :
       {"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/schema#",
        "https://example.com/my-own"}) {
    const auto schema = JsonSchema::compile(
        JsonObject{{"$schema", draft}, {"type", "object"}, {"required", JsonArray{"a"}}});
    ASSERT_TRUE(schema) << draft << schema.error().message;
    EXPECT_FALSE(schema->accepts(JsonObject{})) << draft;
  }
}

TEST(ToolCatalogues, use_keywords_that_nobody_knows) {
  const JsonSchema schema = compiled(
      R"({"type":"object","x-order":1,"example":{"type":5},"strict":true,"deprecated":"yes",
          "properties":{"a":{"type":"string","format":"colour","widget":[]}}})");
  EXPECT_TRUE(schema.accepts(parsed(R"({"a":"red"})")));
}

TEST(ToolCatalogues, have_empty_and_boolean_schemas) {
  for (const char* schema : {"{}", "true", R"({"type":"object","properties":{}})"}) {
    EXPECT_TRUE(compiled(schema).accepts(parsed(R"({"a":[1,null]})"))) << schema;
  }
  EXPECT_FALSE(compiled("false").accepts(parsed("{}")));
}

TEST(ToolCatalogues, refer_to_themselves) {
  const JsonSchema filter = compiled(R"({"$defs":{"filter":{"oneOf":[
      {"type":"object","properties":{"and":{"type":"array","items":{"$ref":"#/$defs/filter"}}},
       "required":["and"],"additionalProperties":false},
      {"type":"object","properties":{"field":{"type":"string"},"value":{}},
       "required":["field","value"],"additionalProperties":false}]}},
      "type":"object","properties":{"where":{"$ref":"#/$defs/filter"}}})");
  EXPECT_TRUE(filter.accepts(parsed(R"({"where":{"and":[{"field":"a","value":1},{"and":[]}]}})")));
  EXPECT_FALSE(filter.accepts(parsed(R"({"where":{"and":[{"field":"a"}]}})")));
}

TEST(JsonSchema, asserts_formats_when_asked) {
  EXPECT_TRUE(compiled(R"({"format":"ipv4"})").accepts(Json("x")));
  const JsonSchema strict = compiled(R"({"format":"ipv4"})", {.formats = Formats::assert});
  EXPECT_FALSE(strict.accepts(Json("x")));
  EXPECT_TRUE(strict.accepts(Json("127.0.0.1")));
  EXPECT_EQ(strict.violations(Json("x"))[0].message, "The arguments must be a valid ipv4");
}

// As many as a hostile server may send, in an order that is not theirs: none costs more than the
// others.
TEST(JsonSchema, takes_very_many_properties) {
  JsonObject properties;
  JsonArray required;
  for (int i = 50'000; i > 0; --i) {
    const std::string name = std::to_string(i);
    properties[name] = JsonObject{{"type", "integer"}};
    if (i % 2 == 0) required.emplace_back(name);
    if (i % 4 == 0) required.emplace_back(std::to_string(i + 1'000'000));  // not a property
  }
  required.resize(25'000);
  const auto schema = JsonSchema::compile(JsonObject{
      {"type", "object"}, {"properties", std::move(properties)}, {"required", required}});
  ASSERT_TRUE(schema) << schema.error().message;
  JsonObject value;
  for (const Json& name : required) value[name.as_string()] = 1;
  EXPECT_TRUE(schema->accepts(value));
  value[required.front().as_string()] = "text";
  EXPECT_FALSE(schema->accepts(value));
  value.erase(required.front().as_string());
  EXPECT_FALSE(schema->accepts(value));
}

// {"allOf": [n, n]} at each of 40 levels: 2^40 ways to what is said of the value.
Json doubling(std::string_view keyword, Json last) {
  JsonObject definitions{{"n0", std::move(last)}};
  constexpr int kLevels = 40;
  for (int i = 1; i <= kLevels; ++i) {
    const JsonObject below{{"$ref", fmt::format("#/$defs/n{}", i - 1)}};
    definitions[fmt::format("n{}", i)] = JsonObject{{keyword, JsonArray{below, below}}};
  }
  return JsonObject{{"$ref", fmt::format("#/$defs/n{}", kLevels)}, {"$defs", definitions}};
}

TEST(JsonSchema, many_ways_to_the_same_schema_are_one) {
  const Json integer =
      JsonObject{{"type", "object"}, {"properties", {{"n", {{"type", "integer"}}}}}};
  const Json good = JsonObject{{"n", 1}};
  const Json bad = JsonObject{{"n", "one"}};
  for (const char* keyword : {"allOf", "anyOf"}) {
    const auto schema = JsonSchema::compile(doubling(keyword, integer));
    ASSERT_TRUE(schema) << schema.error().message;
    EXPECT_TRUE(schema->accepts(good)) << keyword;
    EXPECT_TRUE(schema->violations(good).empty()) << keyword;
    EXPECT_FALSE(schema->accepts(bad)) << keyword;
    for (const std::size_t limit : {std::size_t{1}, std::size_t{20}, std::size_t{1'000'000}}) {
      const auto wrong = schema->violations(bad, limit);
      ASSERT_FALSE(wrong.empty()) << keyword;
      for (const Violation& each : wrong) {
        EXPECT_FALSE(each.message.contains("could not be checked")) << each.message;
      }
    }
  }
}

TEST(JsonSchema, many_ways_to_the_same_schema_look_at_the_same_members) {
  Json schema = doubling("allOf", JsonObject{{"properties", {{"n", {{"type", "integer"}}}}}});
  schema.as_object()["unevaluatedProperties"] = false;
  const auto compiled = JsonSchema::compile(schema);
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_TRUE(compiled->accepts(JsonObject{{"n", 1}}));
  EXPECT_FALSE(compiled->accepts(JsonObject{{"n", 1}, {"m", 1}}));
}

}  // namespace
}  // namespace wright
