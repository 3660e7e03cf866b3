#include "wright/schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "wright/people.h"
#include "wright/testing.h"
#include "wright/tool.h"

namespace trip {

enum class Unit { celsius, fahrenheit };
WRIGHT_ENUM(Unit, celsius, fahrenheit)

struct Place {
  std::string city;
  std::optional<std::string> country;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city").min_length(1).max_length(5),
                WRIGHT_FIELD(country))

struct Trip {
  std::vector<Place> stops;
  Unit unit = Unit::celsius;
  int days = 3;
  std::uint8_t people = 1;
  double budget = 0;
  bool is_quick = false;
  std::map<std::string, std::int64_t> prices;
  wright::Json note;
  std::optional<bool> ignore_case;
};
WRIGHT_DESCRIBE(Trip, WRIGHT_FIELD(stops, "Where to").min_items(1).max_items(2),
                WRIGHT_FIELD(unit, "Of temperatures").with_default(),
                WRIGHT_FIELD(days).at_least(1).at_most(7).with_default(),
                WRIGHT_FIELD(people).with_default(), WRIGHT_FIELD(budget).at_least(0.5),
                WRIGHT_FIELD(is_quick).with_default(), WRIGHT_FIELD(prices).with_default(),
                WRIGHT_FIELD(note).with_default(), WRIGHT_FIELD(ignore_case).named("-i"))

struct Tree {
  std::string name;
  std::vector<Tree> children;
};
WRIGHT_DESCRIBE(Tree, WRIGHT_FIELD(name), WRIGHT_FIELD(children).with_default())

struct Forest {
  Tree tallest;
  std::unordered_map<std::string, Tree> others;
};
WRIGHT_DESCRIBE(Forest, WRIGHT_FIELD(tallest), WRIGHT_FIELD(others).with_default())

struct Wide {
  std::int64_t low = 0;
  std::uint64_t high = 0;
  std::int8_t tiny = 0;
};
WRIGHT_DESCRIBE(Wide, WRIGHT_FIELD(low).with_default(), WRIGHT_FIELD(high).with_default(),
                WRIGHT_FIELD(tiny).with_default())

}  // namespace trip

namespace wright {
namespace {

using trip::Forest;
using trip::Place;
using trip::Tree;
using trip::Trip;
using trip::Unit;
using trip::Wide;

std::string error_of(std::string_view text) {
  const auto trip = decode<Trip>(*parse_json(text));
  return trip ? std::string() : trip.error().message;
}

TEST(Schema, says_names_types_bounds_defaults_and_what_is_required) {
  EXPECT_EQ(
      to_text(schema_of<Trip>()),
      R"({"type":"object","properties":{)"
      R"("stops":{"type":"array","items":{"type":"object","properties":{)"
      R"("city":{"type":"string","description":"Name of the city","minLength":1,"maxLength":5},)"
      R"("country":{"type":"string"}},"required":["city"],"additionalProperties":false},)"
      R"("description":"Where to","minItems":1,"maxItems":2},)"
      R"("unit":{"type":"string","enum":["celsius","fahrenheit"],)"
      R"("description":"Of temperatures","default":"celsius"},)"
      R"("days":{"type":"integer","minimum":1,"maximum":7,"default":3},)"
      R"("people":{"type":"integer","minimum":0,"default":1},)"
      R"("budget":{"type":"number","minimum":0.5},)"
      R"("is_quick":{"type":"boolean","default":false},)"
      R"("prices":{"type":"object","additionalProperties":{"type":"integer"},"default":{}},)"
      R"("note":{"default":null},"-i":{"type":"boolean"}},)"
      R"("required":["stops","budget"],"additionalProperties":false})");
}

TEST(Schema, refers_to_types_that_contain_themselves) {
  EXPECT_EQ(to_text(schema_of<Tree>()),
            R"({"type":"object","properties":{"name":{"type":"string"},)"
            R"("children":{"type":"array","items":{"$ref":"#"},"default":[]}},)"
            R"("required":["name"],"additionalProperties":false})");
  const Json forest = schema_of<Forest>();
  EXPECT_EQ(forest.at("properties").at("tallest"), (Json{{"$ref", "#/$defs/Tree"}}));
  EXPECT_EQ(forest.at("$defs").at("Tree").at("properties").at("children").at("items"),
            (Json{{"$ref", "#/$defs/Tree"}}));
}

TEST(Decode, reads_everything_a_struct_may_hold) {
  const auto trip = decode<Trip>(*parse_json(
      R"({"stops":[{"city":"Oslo","country":"NO"},{"city":"Rom","country":null}],
          "unit":"fahrenheit","days":5.0,"people":2,"budget":7,"is_quick":true,
          "prices":{"bus":3},"note":[1,"x"],"-i":true})"));
  ASSERT_TRUE(trip) << trip.error().message;
  EXPECT_EQ(trip->stops[0].country, "NO");
  EXPECT_EQ(trip->stops[1].country, std::nullopt);
  EXPECT_EQ(trip->unit, Unit::fahrenheit);
  EXPECT_EQ(trip->days, 5);
  EXPECT_EQ(trip->people, 2);
  EXPECT_EQ(trip->budget, 7.0);
  EXPECT_TRUE(trip->is_quick);
  EXPECT_EQ(trip->prices.at("bus"), 3);
  EXPECT_EQ(to_text(trip->note), R"([1,"x"])");
  EXPECT_EQ(trip->ignore_case, true);
}

TEST(Decode, keeps_defaults_of_absent_fields) {
  const auto trip = decode<Trip>(*parse_json(R"({"stops":[{"city":"Oslo"}],"budget":1})"));
  ASSERT_TRUE(trip) << trip.error().message;
  EXPECT_EQ(trip->days, 3);
  EXPECT_EQ(trip->unit, Unit::celsius);
}

TEST(Decode, names_every_problem_with_its_path) {
  EXPECT_EQ(error_of("{}"),
            "Missing required parameter: stops; Missing required parameter: budget");
  EXPECT_EQ(error_of(R"({"stops":[{"city":1},{}],"budget":"much"})"),
            "Parameter stops[0].city must be a string, not an integer; "
            "Missing required parameter: stops[1].city; "
            "Parameter budget must be a number, not a string");
  EXPECT_EQ(error_of("[]"), "The arguments must be an object, not an array");
}

TEST(Decode, checks_types_bounds_and_choices) {
  const auto with = [](std::string_view field) {
    return error_of(R"({"stops":[{"city":"Oslo"}],"budget":1,)" + std::string(field) + "}");
  };
  EXPECT_EQ(with(R"("days":0)"), "Parameter days must be at least 1, not 0");
  EXPECT_EQ(with(R"("days":8)"), "Parameter days must be at most 7, not 8");
  EXPECT_EQ(with(R"("days":1.5)"), "Parameter days must be an integer, not a number");
  EXPECT_EQ(with(R"("days":null)"), "Parameter days must be an integer, not null");
  EXPECT_EQ(with(R"("days":1e30)"), "Parameter days must be from 1 to 7");
  EXPECT_EQ(with(R"("days":3000000000)"), "Parameter days must be from 1 to 7");
  EXPECT_EQ(with(R"("people":256)"), "Parameter people must be from 0 to 255");
  EXPECT_EQ(with(R"("people":-1)"), "Parameter people must be from 0 to 255");
  EXPECT_EQ(with(R"("is_quick":"yes")"), "Parameter is_quick must be a boolean, not a string");
  EXPECT_EQ(with(R"("unit":"kelvin")"), "Parameter unit must be one of: celsius, fahrenheit");
  EXPECT_EQ(with(R"("unit":{})"), "Parameter unit must be a string, not an object");
  EXPECT_EQ(with(R"("prices":[])"), "Parameter prices must be an object, not an array");
  EXPECT_EQ(with(R"("prices":{"bus":true})"),
            "Parameter prices.bus must be an integer, not a boolean");
  EXPECT_EQ(error_of(R"({"stops":{},"budget":1})"),
            "Parameter stops must be an array, not an object");
  EXPECT_EQ(error_of(R"({"stops":[],"budget":1})"),
            "Parameter stops must have at least 1 item, not 0");
  EXPECT_EQ(error_of(R"({"stops":[{"city":""}],"budget":0.25})"),
            "Parameter stops[0].city must have at least 1 character, not 0; "
            "Parameter budget must be at least 0.5, not 0.25");
  EXPECT_EQ(error_of(R"({"stops":[{"city":"éééééé"}],"budget":1})"),
            "Parameter stops[0].city must have at most 5 characters, not 6");
  EXPECT_EQ(error_of(R"({"stops":[{"city":"a"},{"city":"a"},{"city":"a"}],"budget":1})"),
            "Parameter stops must have at most 2 items, not 3");
}

TEST(Decode, refuses_unknown_fields_and_lists_the_known_ones) {
  EXPECT_EQ(error_of(R"({"stops":[{"city":"Oslo","zip":1}],"budget":1})"),
            "Unknown parameter: stops[0].zip (known: city, country)");
}

// What a model sends may be of any size; what it is told goes into its history.
TEST(Decode, tells_of_a_few_problems_where_there_are_thousands) {
  std::string many = R"({"stops":[],"budget":1)";
  for (int i = 0; i < 10'000; ++i) many += fmt::format(R"(,"x{}":1)", i);
  const std::string told = error_of(many + "}");
  EXPECT_LT(told.size(), 50'000U);
  EXPECT_NE(told.find("Unknown parameter: x0 "), std::string::npos) << told;
  EXPECT_TRUE(told.ends_with("; and 9981 more")) << told;
  const std::string name(1'000'000, 'y');
  EXPECT_LT(error_of(fmt::format(R"({{"stops":[],"budget":1,"{}":1}})", name)).size(), 3'000U);
}

TEST(Decode, reads_integers_of_every_width_exactly) {
  const auto wide = decode<Wide>(
      *parse_json(R"({"low":-9223372036854775808,"high":18446744073709551615,"tiny":-128})"));
  ASSERT_TRUE(wide) << wide.error().message;
  EXPECT_EQ(wide->low, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(wide->high, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(wide->tiny, -128);
  EXPECT_FALSE(decode<Wide>(*parse_json(R"({"low":18446744073709551615})")));
  EXPECT_FALSE(decode<Wide>(*parse_json(R"({"tiny":-129})")));
  for (const char* number : {"99999999999999999999", "-1e300"}) {
    for (const auto& [field, range] :
         {std::pair("low", "-9223372036854775808 to 9223372036854775807"),
          std::pair("high", "0 to 18446744073709551615")}) {
      const auto wide = decode<Wide>(*parse_json(fmt::format(R"({{"{}":{}}})", field, number)));
      ASSERT_FALSE(wide) << number;
      EXPECT_NE(wide.error().message.find(fmt::format("{} must be from {}", field, range)),
                std::string::npos)
          << wide.error().message;
    }
  }
  const auto asked = decode<AskUserRequest>(*parse_json(R"({"questions":[
      {"id":"a","question":"A?"}],"timeout_secs":99999999999})"));
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().message, "Parameter timeout_secs must be from 1 to 2147483647")
      << "the schema's own bound, not the type's";
}

TEST(Encode, is_the_inverse_of_decode) {
  const Forest forest{{"oak", {{"branch", {}}}}, {{"b", {"birch", {}}}}};
  const Json json = encode(forest);
  EXPECT_EQ(to_text(json),
            R"({"tallest":{"name":"oak","children":[{"name":"branch","children":[]}]},)"
            R"("others":{"b":{"name":"birch","children":[]}}})");
  EXPECT_EQ(encode(*decode<Forest>(json)), json);
  EXPECT_EQ(to_text(encode(Place{"Oslo", std::nullopt})), R"({"city":"Oslo"})");
  EXPECT_EQ(encode(std::optional<int>()), Json(nullptr));
  EXPECT_EQ(encode(std::string_view("x")), Json("x"));
  EXPECT_EQ(encode(Unit::fahrenheit), Json("fahrenheit"));
  EXPECT_EQ(encode(static_cast<Unit>(9)), Json(9));
  EXPECT_EQ(to_text(encode(std::vector<bool>{true, false})), "[true,false]");
}

Result<Json> call(const Tool& tool, std::string_view arguments) {
  return testing::answer_of(tool, *parse_json(arguments));
}

TEST(ToolFromFunction, takes_every_documented_shape) {
  const auto echo = [](const Place& place) { return place.city; };
  EXPECT_EQ(*call(tool("t", "", echo), R"({"city":"Oslo"})"), Json("Oslo"));
  EXPECT_EQ(
      *call(tool("t", "", [](Place place, const Context&) { return place; }), R"({"city":"x"})"),
      (Json{{"city", "x"}}));
  EXPECT_EQ(*call(tool("t", "", [] { return 7; }), "{}"), Json(7));
  EXPECT_EQ(*call(tool("t", "", [](const Context& c) { return c.session_id; }), "{}"), Json(0));
  EXPECT_EQ(*call(tool("t", "", [](const Json& json) { return json; }), R"({"any":1})"),
            (Json{{"any", 1}}));
  EXPECT_EQ(*call(tool("t", "", [] {}), "{}"), (Json{{"success", true}}));
  EXPECT_EQ(*call(tool("t", "", [] { return "literal"; }), "{}"), Json("literal"));
  EXPECT_EQ(*call(tool("t", "", []() -> Result<Unit> { return Unit::celsius; }), "{}"),
            Json("celsius"));
  EXPECT_EQ(*call(tool("t", "", []() -> Result<void> { return {}; }), "{}"),
            (Json{{"success", true}}));
  EXPECT_EQ(
      call(tool("t", "", []() -> Result<int> { return fail(ErrorCode::timeout, "slow"); }), "{}")
          .error()
          .message,
      "slow");
  int count = 0;
  const Tool counter = tool("t", "", [&count]() mutable noexcept { return ++count; });
  EXPECT_EQ(*call(counter, "{}"), Json(1));
  int (*plain)() = [] { return 3; };
  EXPECT_EQ(*call(tool("t", "", plain), "{}"), Json(3));
}

TEST(ToolFromFunction, carries_its_spec) {
  const Tool made = tool("weather", "Weather in a city", [](const Place&) {},
                         {.effect = Effect::read, .output_limit = 10});
  EXPECT_EQ(made.spec.name, "weather");
  EXPECT_EQ(made.spec.description, "Weather in a city");
  EXPECT_EQ(made.spec.parameters, schema_of<Place>());
  EXPECT_EQ(made.spec.options.effect, Effect::read);
  EXPECT_EQ(tool("t", "", [] {}).spec.options.effect, Effect::write);
  EXPECT_EQ(to_text(tool("t", "", [] {}).spec.parameters),
            R"({"type":"object","properties":{},"additionalProperties":false})");
}

TEST(ToolFromFunction, refuses_bad_arguments_by_path) {
  const auto result = call(tool("t", "", [](const Place&) {}), R"({"country":5})");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "Missing required parameter: city; Parameter country must be a string, not an integer");
}

}  // namespace
}  // namespace wright
