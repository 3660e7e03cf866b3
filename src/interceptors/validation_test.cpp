#include <gtest/gtest.h>

#include "core/coercion.h"
#include "wright/interceptors.h"
#include "wright/testing.h"

namespace {

struct Point {
  int x = 0;
  std::vector<std::string> tags;
};
WRIGHT_DESCRIBE(Point, WRIGHT_FIELD(x), WRIGHT_FIELD(tags).with_default())

}  // namespace

namespace wright::intercept {
namespace {

using testing::call;

Json parsed(std::string_view text) {
  return parse_json(text).value();
}

Tool echo_tool(std::string_view schema) {
  return *tool({.name = "echo", .parameters = parsed(schema)},
               [](const Json& arguments, const Context&) -> Result<Json> { return arguments; });
}

constexpr std::string_view kSchema = R"({"type":"object","properties":{
  "n":{"type":"integer"},"r":{"type":"number"},"b":{"type":"boolean"},
  "list":{"type":"array","items":{"type":"integer"}},
  "names":{"type":"array","items":{"type":"string"}},
  "inner":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},
  "maybe":{"anyOf":[{"type":"integer"},{"type":"null"}]},
  "ref":{"$ref":"#/$defs/count"}, "text":{"type":"string"}, "either":{"type":["integer","string"]}
  },"additionalProperties":false,"$defs":{"count":{"type":"integer","minimum":0}}})";

ToolOutcome run(const Tool& tool, const std::string& arguments, ValidationOptions options = {},
                std::shared_ptr<RunMemory> memory = nullptr) {
  return execute({&tool, 1}, {}, call(tool.spec.name, arguments), Context{.memory = memory},
                 options);
}

TEST(Validation, refuses_strictly_by_default) {
  const auto outcome = run(echo_tool(kSchema), R"({"n":"5","z":1})");
  EXPECT_TRUE(outcome.result.is_error);
  EXPECT_EQ(outcome.error_message().find(
                "Parameter n must be an integer, not a string; Unknown parameter: z"),
            0U)
      << outcome.error_message();
}

TEST(Validation, lenient_warns_and_goes_on) {
  std::vector<std::string> warnings;
  const Logger logger([&](const LogRecord& record) {
    EXPECT_EQ(record.level, LogLevel::warning);
    warnings.emplace_back(std::get<std::string_view>(record.fields[1].value));
  });
  const auto outcome = run(echo_tool(kSchema), R"({"n":"5"})",
                           {.strictness = Strictness::lenient, .logger = logger});
  EXPECT_EQ(outcome.response, parsed(R"({"n":"5"})"));
  const std::vector<std::string> expected{"Parameter n must be an integer, not a string"};
  EXPECT_EQ(warnings, expected);
  EXPECT_EQ(outcome.notes, expected);
}

TEST(Validation, says_once_which_rules_nobody_enforces) {
  std::vector<std::string> rules;
  const Logger logger([&](const LogRecord& record) {
    rules.emplace_back(std::get<std::string_view>(record.fields[1].value));
  });
  Agent agent{.tools = {echo_tool(
                  R"json({"properties":{"name":{"type":"string","pattern":"^(?!x)"}}})json")}};
  add_conveniences(agent, {.enable_logging = false}, logger);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(execute(agent, call("echo", R"({"name":"x"})"), {}).result.is_error);
  }
  EXPECT_EQ(rules, (std::vector<std::string>{"#/properties/name/pattern: '^(?!x)' cannot be used: "
                                             "it uses lookaround"}));
}

TEST(Validation, leaves_tools_without_a_schema_alone) {
  const Tool bare{.spec = {.name = "echo"},
                  .function = [](const Json& arguments, const Context&) -> Result<ToolReply> {
                    return Output{.value = arguments};
                  }};
  EXPECT_FALSE(run(bare, R"({"anything":1})").result.is_error);
}

TEST(Coercion, puts_unambiguous_mistakes_right) {
  const auto coerced = [](std::string_view value) {
    return coerce(parsed(kSchema), parsed(value)).value;
  };
  EXPECT_EQ(coerced(R"({"n":"5"})"), parsed(R"({"n":5})"));
  EXPECT_EQ(coerced(R"({"n":"-5"})"), parsed(R"({"n":-5})"));
  EXPECT_EQ(coerced(R"({"r":"1.5"})"), parsed(R"({"r":1.5})"));
  EXPECT_EQ(coerced(R"({"r":"2"})"), parsed(R"({"r":2})"));
  EXPECT_EQ(coerced(R"({"b":"true"})"), parsed(R"({"b":true})"));
  EXPECT_EQ(coerced(R"({"b":"False"})"), parsed(R"({"b":false})"));
  EXPECT_EQ(coerced(R"({"list":7})"), parsed(R"({"list":[7]})"));
  EXPECT_EQ(coerced(R"({"list":"7"})"), parsed(R"({"list":[7]})"));
  EXPECT_EQ(coerced(R"({"list":["1",2]})"), parsed(R"({"list":[1,2]})"));
  EXPECT_EQ(coerced(R"({"list":"[1,2]"})"), parsed(R"({"list":[1,2]})"));
  EXPECT_EQ(coerced(R"({"names":"a"})"), parsed(R"({"names":["a"]})"));
  EXPECT_EQ(coerced(R"({"inner":"{\"n\":\"3\"}"})"), parsed(R"({"inner":{"n":3}})"));
  EXPECT_EQ(coerced(R"({"maybe":"4"})"), parsed(R"({"maybe":4})"));
  EXPECT_EQ(coerced(R"({"ref":"4"})"), parsed(R"({"ref":4})"));
  EXPECT_EQ(coerced(R"("{\"n\":1}")"), parsed(R"({"n":1})"));
}

TEST(Coercion, leaves_everything_else_as_it_is) {
  for (const char* value :
       {R"({"n":"5 apples"})", R"({"n":"5.5"})", R"({"n":""})", R"({"n":null})", R"({"b":"yes"})",
        R"({"b":1})", R"({"text":"5"})", R"({"text":5})", R"({"either":"5"})", R"({"n":1.0})",
        R"({"list":null})", R"({"inner":"[1]"})", R"({"n":true})", R"({"unknown":"5"})", "[]"}) {
    const Coerced coerced = coerce(parsed(kSchema), parsed(value));
    EXPECT_EQ(coerced.value, parsed(value)) << value;
    EXPECT_TRUE(coerced.notes.empty()) << value;
  }
}

TEST(Coercion, ends_on_schemas_that_refer_to_themselves) {
  const Json schema = parsed(R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}})");
  EXPECT_EQ(coerce(schema, parsed(R"({"a":1})")).value, parsed(R"({"a":1})"));
}

TEST(Coercion, is_off_by_default_and_recorded_when_it_happened) {
  const Tool tool = echo_tool(kSchema);
  EXPECT_TRUE(run(tool, R"({"n":"5"})").result.is_error);
  const auto outcome = run(tool, R"({"n":"5","b":"true"})", {.coercion = Coercion::on});
  EXPECT_EQ(outcome.response, parsed(R"({"n":5,"b":true})"));
  EXPECT_EQ(outcome.notes,
            (std::vector<std::string>{"n: \"5\" was taken as 5", "b: \"true\" was taken as true"}));
}

TEST(Coercion, shows_the_model_its_own_mistakes_when_it_cannot_put_all_right) {
  const auto outcome =
      run(echo_tool(kSchema), R"({"n":"5","b":"maybe"})", {.coercion = Coercion::on});
  EXPECT_EQ(outcome.error_message(),
            "Parameter n must be an integer, not a string; Parameter b must be a boolean, not a "
            "string");
  EXPECT_TRUE(outcome.notes.empty());
}

TEST(Coercion, works_for_tools_of_structs_too) {
  const Tool typed =
      tool("point", "", [](const Point& p) { return p.x + static_cast<int>(p.tags.size()); });
  EXPECT_EQ(run(typed, R"({"x":"40","tags":"one"})", {.coercion = Coercion::on}).response,
            Json(41));
  EXPECT_EQ(run(typed, R"("{\"x\": 2}")", {.coercion = Coercion::on}).response, Json(2));
  EXPECT_EQ(run(typed, R"("{\"x\": 2}")").error_message(), "The arguments must be a JSON object");
}

TEST(RetryBudget, tells_the_model_to_stop_when_it_is_used_up) {
  const auto memory = std::make_shared<RunMemory>();
  const Tool tool = echo_tool(kSchema);
  for (int i = 0; i < 3; ++i) {
    const std::string error(run(tool, R"({"n":"x"})", {}, memory).error_message());
    const bool is_told = error.find("Do not call echo again") != std::string::npos;
    EXPECT_EQ(is_told, i == 2) << error;
  }
  EXPECT_NE(run(tool, R"({"n":"x"})", {}, memory).error_message().find("attempt 4"),
            std::string::npos);
  EXPECT_FALSE(run(tool, R"({"n":1})", {}, memory).result.is_error) << "right arguments still run";
  EXPECT_EQ(run(tool, R"({"n":"x"})", {}, memory).error_message(),
            "Parameter n must be an integer, not a string")
      << "and the count starts again";
}

TEST(RetryBudget, counts_tools_that_check_themselves_but_not_their_other_failures) {
  const auto memory = std::make_shared<RunMemory>();
  const Tool typed = tool("point", "", [](const Point& p) -> Result<int> {
    return fail(ErrorCode::invalid_argument, "no such point " + std::to_string(p.x));
  });
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(run(typed, R"({"x":1})", {.retry_budget = 0}, memory).error_message(),
              "no such point 1");
  }
  EXPECT_NE(
      run(typed, "{}", {.retry_budget = 0}, memory).error_message().find("Do not call point again"),
      std::string::npos);
}

TEST(RetryBudget, is_each_runs_own) {
  const Tool tool = echo_tool(kSchema);
  for (int i = 0; i < 5; ++i) {
    const std::string error(
        run(tool, R"({"n":"x"})", {}, std::make_shared<RunMemory>()).error_message());
    EXPECT_EQ(error.find("Do not call"), std::string::npos);
  }
}

}  // namespace
}  // namespace wright::intercept
