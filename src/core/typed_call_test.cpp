// Calls of tools over C++ types: their arguments are checked and decoded in one pass, and nothing
// that stands around the function is passed by.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/firm_bounds.h"
#include "wright/testing.h"
#include "wright/tool.h"

namespace {

struct Steps {
  int count = 0;
  std::vector<std::string> names;
};
WRIGHT_DESCRIBE(Steps, WRIGHT_FIELD(count).at_most(10), WRIGHT_FIELD(names))

}  // namespace

namespace wright {
namespace {

using testing::call;

const char* const kSteps = R"({"count":3,"names":["a","b"]})";

Tool steps_tool() {
  return tool("steps", "",
              [](const Steps& steps) { return std::to_string(steps.count) + steps.names.at(0); });
}

// Notes for each call whether its arguments come decoded.
Interceptor noting(std::vector<bool>& decoded) {
  return [&](const Invocation& invocation, const Context& context, const Next& next) {
    decoded.push_back(invocation.decoded != nullptr);
    return next(invocation, context);
  };
}

ToolOutcome run(const Tool& tool, const char* arguments, std::vector<Interceptor> list,
                const ValidationOptions& validation = {}) {
  return execute({&tool, 1}, list, call(tool.spec.name, arguments), {}, validation);
}

TEST(TypedCall, decodes_where_it_checks) {
  std::vector<bool> decoded;
  EXPECT_EQ(run(steps_tool(), kSteps, {noting(decoded)}).result.content, "3a");
  EXPECT_EQ(run(steps_tool().as("other"), kSteps, {noting(decoded)}).result.content, "3a");
  EXPECT_EQ(decoded, (std::vector{true, true}));
}

TEST(TypedCall, goes_by_the_types_alone_where_rules_are_not_enforced) {
  const char* const breaks_a_rule = R"({"count":30,"names":["a"],"more":1})";
  std::vector<bool> decoded;
  for (const Strictness strictness : {Strictness::lenient, Strictness::off}) {
    const auto outcome =
        run(steps_tool(), breaks_a_rule, {noting(decoded)}, {.strictness = strictness});
    EXPECT_EQ(outcome.result.content, "30a");
    EXPECT_EQ(outcome.notes.size(), strictness == Strictness::lenient ? 1U : 0U);
  }
  EXPECT_EQ(decoded, (std::vector{false, false}));
  const auto refused = run(steps_tool(), breaks_a_rule, {noting(decoded)});
  EXPECT_EQ(refused.result.content,
            "Parameter count must be at most 10, not 30; Unknown parameter: more (known: count, "
            "names)");
  const auto wrong_type =
      run(steps_tool(), R"({"count":"x","names":[]})", {}, {.strictness = Strictness::off});
  EXPECT_EQ(wrong_type.result.content, "Parameter count must be an integer, not a string");
}

TEST(TypedCall, keeps_firm_bounds_where_rules_are_not_enforced) {
  const Tool firm = with_firm_bounds(steps_tool());
  std::vector<bool> decoded;
  EXPECT_EQ(run(firm, kSteps, {noting(decoded)}).result.content, "3a");
  EXPECT_EQ(decoded, (std::vector{true})) << "decoded where they were checked, as ever";
  const std::string told = run(firm, R"({"count":30,"names":["a"]})", {}).result.content;
  for (const Strictness strictness : {Strictness::lenient, Strictness::off}) {
    const ValidationOptions options{.strictness = strictness};
    EXPECT_EQ(run(firm, R"({"count":30,"names":["a"],"more":1})", {}, options).result.content,
              told);
    EXPECT_EQ(run(firm, R"({"count":3,"names":["a"],"more":1})", {}, options).result.content, "3a");
    EXPECT_EQ(run(firm, R"({"count":"x","names":[]})", {}, options).result.content,
              "Parameter count must be an integer, not a string");
  }
  EXPECT_EQ(told, "Parameter count must be at most 10, not 30");
}

TEST(TypedCall, keeps_firm_bounds_in_lists_maps_and_optional_members) {
  struct Nested {
    std::optional<Steps> one;
    std::vector<Steps> list;
    std::map<std::string, Steps> by_name;
  };
  const Tool firm = with_firm_bounds(tool("nested", "", [](const Nested&) { return "fine"; }));
  const ValidationOptions off{.strictness = Strictness::off};
  EXPECT_EQ(run(firm, R"({"one":null,"list":[],"by_name":{}})", {}, off).result.content, "fine");
  EXPECT_EQ(run(firm,
                R"({"one":{"count":11,"names":[]},"list":[{"count":12,"names":[]}],
                    "by_name":{"x":{"count":13,"names":[]}}})",
                {}, off)
                .result.content,
            "Parameter one.count must be at most 10, not 11; Parameter list[0].count must be at "
            "most 10, not 12; Parameter by_name.x.count must be at most 10, not 13");
}

TEST(TypedCall, sees_the_arguments_that_an_interceptor_put_in_their_place) {
  const Interceptor more = [](const Invocation& invocation, const Context& context,
                              const Next& next) {
    Json other = invocation.arguments;
    other.as_object()["count"] = other.at("count").as_int64() + 4;
    return next(invocation.with(other), context);
  };
  EXPECT_EQ(run(steps_tool(), kSteps, {more}).result.content, "7a");
  EXPECT_EQ(run(steps_tool(), kSteps, {more, more}).result.content,
            "Parameter count must be at most 10, not 11");
}

TEST(TypedCall, goes_through_whatever_stands_around_the_function) {
  Tool wrapped = steps_tool();
  wrapped.function = [inner = wrapped.function](const Json& arguments,
                                                const Context& context) -> Result<ToolReply> {
    if (arguments.at("count") == Json(3)) return fail(ErrorCode::permission_denied, "Not three");
    return inner(arguments, context);
  };
  EXPECT_EQ(run(wrapped, kSteps, {}).result.content, "Not three");
  EXPECT_EQ(run(wrapped, R"({"count":4,"names":["a"]})", {}).result.content, "4a");

  Tool checked = steps_tool();
  checked.check = [](const Json&) -> Result<void> {
    return fail(ErrorCode::invalid_argument, "Never");
  };
  EXPECT_EQ(run(checked, kSteps, {}).result.content, "Never");
}

TEST(TypedCall, has_its_arguments_as_they_were_at_every_attempt) {
  const Tool spoils = tool("spoils", "", [](Steps& steps) {
    steps.names.push_back("c");
    return steps.names.size();
  });
  const Interceptor twice = [](const Invocation& invocation, const Context& context,
                               const Next& next) {
    (void)next(invocation, context);
    return next(invocation, context);
  };
  EXPECT_EQ(run(spoils, kSteps, {twice}).result.content, "3");
}

TEST(TypedCall, finds_members_in_any_order) {
  EXPECT_EQ(run(steps_tool(), R"({"names":["z"],"count":1})", {}).result.content, "1z");
  EXPECT_EQ(run(steps_tool(), R"({"more":1,"names":["z"],"count":1})", {}).result.content,
            "Unknown parameter: more (known: count, names)");
  EXPECT_EQ(run(steps_tool(), R"({"more":1,"count":1})", {}).result.content,
            "Missing required parameter: names; Unknown parameter: more (known: count, names)");
}

}  // namespace
}  // namespace wright
