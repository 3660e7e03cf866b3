// Structs that nobody described.
#include <gtest/gtest.h>

#include <array>

#include "wright/schema.h"
#include "wright/testing.h"

namespace garden {

enum class Soil { sand, clay };
WRIGHT_ENUM(Soil, sand, clay)

struct Bed {
  double width;
  std::optional<double> length;
};
struct Garden {
  std::string name;
  Soil soil = Soil::sand;
  std::vector<Bed> beds;
  std::map<std::string, Bed> others;
  wright::Json note;
  std::optional<wright::Json> more;
  std::unordered_map<std::string, std::vector<int>> years;
  std::optional<Bed> best;
  bool is_wet = false;
  unsigned trees = 0;
};

struct Branch {
  int age;
  std::vector<Branch> branches;
};

}  // namespace garden

namespace wright {
namespace {

using garden::Branch;
using garden::Garden;

struct Described {
  int a;
};
WRIGHT_DESCRIBE(Described, WRIGHT_FIELD(a))
struct Derived : Described {
  int b;
};
struct EmptyBase {};
struct OnlyDerived : EmptyBase {
  int b;
};
struct NoDefault {
  explicit NoDefault(int) {}
};
struct Holder {
  int first;
  NoDefault second;
};
class Hidden {
 public:
  int seen = 0;

 private:
  [[maybe_unused]] int hidden_ = 0;
};

TEST(PlainStruct, is_an_aggregate_without_bases_that_nobody_described) {
  static_assert(PlainStruct<Garden> && PlainStruct<garden::Bed> && PlainStruct<Branch>);
  static_assert(!PlainStruct<Described> && JsonStruct<Described>);
  static_assert(!PlainStruct<Derived> && !PlainStruct<OnlyDerived>,
                "its base would be taken for a field");
  static_assert(!PlainStruct<Hidden> && !PlainStruct<std::string> && !PlainStruct<int>);
  static_assert(!PlainStruct<std::array<int, 3>> && !PlainStruct<std::pair<int, int>>);
  static_assert(detail::count_members<Holder>() == 2,
                "a member without a default is one nevertheless");
}

TEST(PlainStruct, has_the_names_of_its_fields) {
  EXPECT_EQ((detail::field_names<Garden>()),
            (std::array<std::string_view, 10>{"name", "soil", "beds", "others", "note", "more",
                                              "years", "best", "is_wet", "trees"}));
  struct Local {
    int a1_;
    std::string größe;
  };
  EXPECT_EQ((detail::field_names<Local>()), (std::array<std::string_view, 2>{"a1_", "größe"}));
}

TEST(PlainStruct, has_a_schema_in_which_all_but_optionals_are_required) {
  EXPECT_EQ(to_text(schema_of<garden::Bed>()),
            R"({"type":"object","properties":{"width":{"type":"number"},)"
            R"("length":{"type":"number"}},"required":["width"],"additionalProperties":false})");
  const Json schema = schema_of<Garden>();
  EXPECT_EQ(schema.at("properties").at("soil").at("enum"), (Json{"sand", "clay"}));
  EXPECT_EQ(to_text(schema.at("required")),
            R"(["name","soil","beds","others","note","years","is_wet","trees"])");
}

TEST(PlainStruct, may_contain_itself) {
  const Json schema = schema_of<Branch>();
  EXPECT_EQ(schema.at("properties").at("branches").at("items"), (Json{{"$ref", "#"}}));
  const Json list = schema_of<std::vector<Branch>>();
  EXPECT_EQ(list.at("items"), (Json{{"$ref", "#/$defs/Branch"}})) << to_text(list);
  EXPECT_EQ(schema_of<std::optional<Branch>>(), schema);
  const auto compiled = JsonSchema::compile(list);
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_TRUE(
      compiled->accepts(*parse_json(R"([{"age":1,"branches":[{"age":2,"branches":[]}]}])")));
  const auto branch =
      decode<Branch>(*parse_json(R"({"age":3,"branches":[{"age":1,"branches":[]}]})"));
  ASSERT_TRUE(branch) << branch.error().message;
  EXPECT_EQ(branch->branches.at(0).age, 1);
}

TEST(PlainStruct, is_read_checked_and_written) {
  const std::string_view text =
      R"({"name":"Kew","soil":"clay","beds":[{"width":1.5}],"others":{"a":{"width":2,"length":3}},)"
      R"("note":[1],"years":{"x":[1,2]},"is_wet":true,"trees":7})";
  const auto garden = decode<Garden>(*parse_json(text));
  ASSERT_TRUE(garden) << garden.error().message;
  EXPECT_EQ(garden->soil, garden::Soil::clay);
  EXPECT_EQ(garden->others.at("a").length, 3);
  EXPECT_EQ(to_text(encode(*garden)), text);
  const auto wrong = decode<Garden>(*parse_json(R"({"name":5,"beds":[{}],"extra":1})"));
  ASSERT_FALSE(wrong);
  for (const char* words : {"name must be a string", "beds[0].width", "soil", "extra"}) {
    EXPECT_NE(wrong.error().message.find(words), std::string::npos) << wrong.error().message;
  }
}

TEST(PlainStruct, is_what_a_tool_takes_and_returns) {
  struct Sum {
    int a;
    int b;
  };
  struct Total {
    int total;
  };
  const Tool add = tool("add", "Adds", [](const Sum& sum) { return Total{sum.a + sum.b}; });
  EXPECT_EQ(testing::answer_of(add, {{"a", 1}, {"b", 2}}).value(), (Json{{"total", 3}}));
  EXPECT_FALSE(testing::answer_of(add, {{"a", 1}}));
}

struct Many {
  int a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20,
      a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32;
};
struct TooMany {
  Many wide;
  int b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16, b17, b18, b19, b20,
      b21, b22, b23, b24, b25, b26, b27, b28, b29, b30, b31, b32;
};

TEST(PlainStruct, has_at_most_32_fields) {
  EXPECT_EQ(detail::field_names<Many>().back(), "a32");
  static_assert(!PlainStruct<TooMany>);
}

}  // namespace
}  // namespace wright
