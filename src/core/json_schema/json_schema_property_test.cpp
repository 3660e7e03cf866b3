// Random schemas against random values: whatever they are, the two ways of checking agree; and a
// struct's schema agrees with the decoding of the struct.
#include <gtest/gtest.h>

#include <random>

#include "wright/json.h"
#include "wright/schema.h"

namespace ride {

enum class Gait { walk, trot };
WRIGHT_ENUM(Gait, walk, trot)

struct Leg {
  std::string place;
  std::optional<double> hours;
};
WRIGHT_DESCRIBE(Leg, WRIGHT_FIELD(place).min_length(1).max_length(2),
                WRIGHT_FIELD(hours).at_least(0.5))

struct Ride {
  std::vector<Leg> legs;
  int horses = 1;
  Gait gait = Gait::walk;
  bool a = false;
  std::map<std::string, unsigned> b;
};
WRIGHT_DESCRIBE(Ride, WRIGHT_FIELD(legs).min_items(1).max_items(2),
                WRIGHT_FIELD(horses).at_least(1).at_most(2).with_default(), WRIGHT_FIELD(gait),
                WRIGHT_FIELD(a), WRIGHT_FIELD(b).with_default())

}  // namespace ride

namespace wright {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(engine_); }
  bool one_in(int chances) { return below(chances) == 0; }
  template <class... T>
  std::string_view any_of(T... words) {
    const std::array<std::string_view, sizeof...(T)> all{words...};
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }
  std::string_view name() { return any_of("a", "b", "place", "hours", "legs"); }

  Json value(int depth) {
    switch (below(depth > 0 ? 8 : 6)) {
      case 0: return nullptr;
      case 1: return one_in(2);
      case 2: return below(4) - 1;
      case 3: return (below(8) - 2) / 2.0;
      case 4: return Json(any_of("", "a", "ab", "walk", "aé", "abc"));
      case 5: return below(3);
      case 6: {
        JsonArray array;
        for (int i = below(4); i > 0; --i) array.push_back(value(depth - 1));
        return array;
      }
      default: {
        JsonObject object;
        for (int i = below(4); i > 0; --i) object[name()] = value(depth - 1);
        return object;
      }
    }
  }

  Json schema(int depth) {
    if (one_in(12)) return !one_in(3);
    JsonObject schema;
    for (int i = 1 + below(3); i > 0; --i) add_keyword(schema, depth);
    return schema;
  }

 private:
  Json list(int depth) {
    JsonArray array;
    for (int i = 1 + below(2); i > 0; --i) array.push_back(schema(depth - 1));
    return array;
  }
  Json map(int depth) {
    JsonObject object;
    for (int i = 1 + below(3); i > 0; --i) object[name()] = schema(depth - 1);
    return object;
  }
  std::string_view type() {
    return any_of("null", "boolean", "integer", "number", "string", "array", "object");
  }

  void add_keyword(JsonObject& schema, int depth) {
    switch (below(depth > 0 ? 26 : 12)) {
      case 0: schema["type"] = type(); break;
      case 1: schema["type"] = JsonArray{type(), type()}; break;
      case 2: schema["enum"] = JsonArray{value(1), value(1)}; break;
      case 3: schema["const"] = value(1); break;
      case 4: schema["minimum"] = below(3); break;
      case 5: schema["exclusiveMaximum"] = below(3) + 0.5; break;
      case 6: schema["multipleOf"] = 0.5; break;
      case 7: schema["minLength"] = below(3); break;
      case 8: schema["pattern"] = any_of("^a", "b$", "^.?$"); break;
      case 9: schema["maxItems"] = below(3); break;
      case 10: schema["uniqueItems"] = true; break;
      case 11: schema["required"] = JsonArray{name()}; break;
      case 12: schema["properties"] = map(depth); break;
      case 13: schema["patternProperties"] = JsonObject{{"^[a-h]", this->schema(depth - 1)}}; break;
      case 14: schema["additionalProperties"] = this->schema(depth - 1); break;
      case 15: schema["propertyNames"] = this->schema(depth - 1); break;
      case 16: schema["items"] = this->schema(depth - 1); break;
      case 17: schema["prefixItems"] = list(depth); break;
      case 18: schema["contains"] = this->schema(depth - 1); break;
      case 19: schema["allOf"] = list(depth); break;
      case 20: schema["anyOf"] = list(depth); break;
      case 21: schema["oneOf"] = list(depth); break;
      case 22: schema["not"] = this->schema(depth - 1); break;
      case 23:
        schema["if"] = this->schema(depth - 1);
        schema[one_in(2) ? "then" : "else"] = this->schema(depth - 1);
        break;
      case 24: schema["unevaluatedProperties"] = this->schema(depth - 1); break;
      default: schema["unevaluatedItems"] = this->schema(depth - 1); break;
    }
  }

  std::mt19937 engine_;
};

TEST(JsonSchemaProperty, checking_and_explaining_always_agree) {
  int accepted = 0;
  int refused = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    const Json source = random.schema(3);
    const auto schema = JsonSchema::compile(source);
    ASSERT_TRUE(schema) << to_text(source) << schema.error().message;
    for (int i = 0; i < 12; ++i) {
      const Json value = random.value(3);
      const bool is_accepted = schema->accepts(value);
      const auto violations = schema->violations(value);
      ASSERT_EQ(is_accepted, violations.empty())
          << "seed " << seed << ": " << to_text(source) << " of " << to_text(value);
      ASSERT_EQ(is_accepted, schema->violations(value, 1).empty()) << to_text(source);
      ++(is_accepted ? accepted : refused);
    }
  }
  EXPECT_GT(accepted, 2000);
  EXPECT_GT(refused, 2000);
}

TEST(JsonSchemaProperty, a_negated_schema_accepts_what_the_schema_refuses) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const Json source = random.schema(3);
    const auto schema = JsonSchema::compile(source);
    const auto negated = JsonSchema::compile(JsonObject{{"not", source}});
    ASSERT_TRUE(schema && negated);
    for (int i = 0; i < 5; ++i) {
      const Json value = random.value(3);
      ASSERT_NE(schema->accepts(value), negated->accepts(value))
          << to_text(source) << " of " << to_text(value);
    }
  }
}

// Mostly right, sometimes wrong in one place.
Json random_ride(Random& random) {
  JsonArray legs;
  for (int i = random.below(4); i > 0; --i) {
    JsonObject leg{{"place", random.any_of("a", "ab", "é", "abc", "")}};
    if (random.one_in(2)) leg["hours"] = random.below(4) / 2.0;
    if (random.one_in(8)) leg[random.name()] = random.below(2);
    legs.push_back(std::move(leg));
  }
  JsonObject ride{{"legs", std::move(legs)},
                  {"gait", random.any_of("walk", "trot", "trot", "run")},
                  {"a", random.one_in(2)}};
  if (random.one_in(2)) ride["horses"] = random.below(4);
  if (random.one_in(3)) ride["b"] = JsonObject{{"x", random.below(3)}, {"y", random.below(3) - 1}};
  if (random.one_in(6)) ride.erase(random.any_of("legs", "gait", "a"));
  if (random.one_in(6))
    ride[random.any_of("legs", "gait", "a", "b", "horses", "z")] = random.any_of("walk", "5", "");
  return ride;
}

TEST(JsonSchemaProperty, a_structs_schema_accepts_exactly_what_the_struct_decodes) {
  const auto schema = JsonSchema::compile(schema_of<ride::Ride>());
  ASSERT_TRUE(schema);
  int accepted = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const Json value = random_ride(random);
    const auto decoded = decode<ride::Ride>(value);
    ASSERT_EQ(schema->accepts(value), decoded.has_value())
        << to_text(value) << ": " << (decoded ? "decoded" : decoded.error().message);
    if (decoded) ++accepted;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 2900);
}

}  // namespace
}  // namespace wright
