#include "wright/tool.h"

#include <gtest/gtest.h>

#include "wright/testing.h"

namespace {

struct City {
  std::string city;
};
WRIGHT_DESCRIBE(City, WRIGHT_FIELD(city))

}  // namespace

namespace wright {
namespace {

Result<Json> echo(const Json& arguments, const Context&) {
  return arguments;
}

ToolSpec spec(std::string_view schema) {
  return {.name = "echo", .description = "Says it again", .parameters = *parse_json(schema)};
}

TEST(Tool, from_a_schema_carries_it_compiled) {
  const auto made = tool(spec(R"({"type":"object","required":["a"]})"), echo);
  ASSERT_TRUE(made);
  ASSERT_TRUE(made->schema);
  EXPECT_FALSE(made->schema->accepts(JsonObject{}));
  EXPECT_FALSE(made->check);
}

TEST(Tool, from_a_bad_schema_is_refused_when_it_is_made_naming_the_place) {
  const auto made = tool(spec(R"({"properties":{"city":{"type":"strin"}}})"), echo);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(made.error().message,
            "The schema of the tool 'echo' cannot be used: #/properties/city/type: \"strin\" is "
            "not a type");
}

TEST(Tool, takes_only_objects_as_arguments) {
  EXPECT_FALSE(tool(spec(R"({"type":"string"})"), echo));
  EXPECT_FALSE(tool(spec(R"({"type":["string","null"]})"), echo));
  EXPECT_TRUE(tool(spec(R"({"type":["object","null"]})"), echo));
  EXPECT_TRUE(tool(spec("true"), echo));
  EXPECT_TRUE(tool(spec("{}"), echo));
  EXPECT_FALSE(tool(spec("{}"), nullptr));
}

TEST(Tool, from_a_struct_checks_itself_by_decoding) {
  const Tool made = tool("weather", "", [](const City& c) { return c.city; });
  ASSERT_TRUE(made.check);
  EXPECT_TRUE(made.check(JsonObject{{"city", "Oslo"}}));
  EXPECT_FALSE(made.check(JsonObject{{"city", 5}}));
  ASSERT_TRUE(made.schema);
  EXPECT_TRUE(made.schema->accepts(JsonObject{{"city", "Oslo"}}));
  EXPECT_FALSE(made.schema->accepts(JsonObject{{"city", 5}}));
}

TEST(Tool, as_gives_it_another_name_and_nothing_else) {
  const Tool made = tool("weather", "Weather", [](const City& c) { return c.city; });
  const Tool other = made.as("forecast");
  EXPECT_EQ(other.spec.name, "forecast");
  EXPECT_EQ(other.spec.description, "Weather");
  EXPECT_EQ(made.spec.name, "weather");
  EXPECT_EQ(testing::answer_of(other, JsonObject{{"city", "Oslo"}}), Json("Oslo"));
}

TEST(Tool, stays_the_same_tool_when_it_is_copied) {
  const Tool first = tool("count", "", [n = 0]() mutable { return ++n; });
  const Tool second = first;
  EXPECT_EQ(testing::answer_of(first, JsonObject{}), Json(1));
  EXPECT_EQ(testing::answer_of(second, JsonObject{}), Json(2));
}

TEST(Tool, may_be_a_callable_that_cannot_be_copied) {
  const Tool made =
      tool("held", "", [held = std::make_unique<std::string>("kept")] { return *held; });
  EXPECT_EQ(testing::answer_of(made, JsonObject{}), Json("kept"));
}

// An answer may have megabytes.
TEST(Tool, does_not_copy_the_json_that_it_returns) {
  const char* written = nullptr;
  const auto made = tool(spec("{}"), [&](const Json&, const Context&) -> Result<Json> {
    Json answer(std::string(1000, 'x'));
    written = answer.get_string().data();
    return answer;
  });
  ASSERT_TRUE(made);
  const auto reply = made->function(JsonObject{}, Context{});
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<Output>(*reply).value.get_string().data(), written);
}

TEST(RunMemory, counts_by_name_until_it_forgets) {
  RunMemory memory;
  EXPECT_EQ(memory.add_one("a"), 1);
  EXPECT_EQ(memory.add_one("a"), 2);
  EXPECT_EQ(memory.add_one("b"), 1);
  memory.forget("a");
  memory.forget("never there");
  EXPECT_EQ(memory.add_one("a"), 1);
}

TEST(RefusedArguments, are_recognised_by_their_detail) {
  const auto decoded = decode<City>(JsonObject{{"city", 5}, {"x", 1}});
  ASSERT_FALSE(decoded);
  EXPECT_TRUE(is_refused_arguments(decoded.error()));
  EXPECT_EQ(decoded.error().detail.at("violations").as_array().size(), 2U);
  EXPECT_FALSE(is_refused_arguments(Error{ErrorCode::invalid_argument, "no such wall", {}}));
}

}  // namespace
}  // namespace wright
