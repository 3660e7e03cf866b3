// What the settings make of a call, shown by calls.
#include "app/wiring/tool_execution.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json/object.hpp>

#include <chrono>

#include "app/wiring/shipped.h"
#include "core/temporary_folder_testing.h"
#include "wright/testing.h"

namespace wright::app {
namespace {

using wright::testing::call;

class ToolExecution : public ::testing::Test {
 protected:
  // The outcome of one call of `tool` with these settings; the agent stays for further calls.
  ToolOutcome run(const Tool& tool, const std::vector<std::string>& set,
                  const std::string& arguments = "{}") {
    SettingFlags flags;
    flags.set = set;
    const auto settings = load_settings(flags, Environment());
    EXPECT_TRUE(settings) << settings.error().message;
    agent_ = Agent{.name = "helper", .tools = {tool}};
    set_up_calls(agent_, *settings, Logger());
    return again(tool, arguments);
  }

  ToolOutcome again(const Tool& tool, const std::string& arguments = "{}") {
    return execute(agent_, call(tool.spec.name, arguments), Context{.memory = memory_});
  }

  // Says how often it was called, after failing `failures` times.
  Tool counting(Effect effect = Effect::read, int failures = 0) {
    return tool("count", "",
                [this, failures]() -> Result<int> {
                  if (++calls_ <= failures) return fail(ErrorCode::unavailable, "not now");
                  return calls_;
                },
                {.effect = effect});
  }

  static Tool echo() {
    return *tool({.name = "echo",
                  .parameters = parse_json(R"({"type":"object","properties":{"n":
                                               {"type":"integer"}}})")
                                    .value()},
                 [](const Json& arguments, const Context&) -> Result<Json> { return arguments; });
  }

  Agent agent_;
  std::shared_ptr<RunMemory> memory_ = std::make_shared<RunMemory>();
  int calls_ = 0;
};

TEST_F(ToolExecution, may_take_as_long_as_the_setting_or_else_the_tool_says) {
  const Tool slow = tool("slow", "", [] { return 1; }, {.timeout = std::chrono::milliseconds(7)});
  const auto limit_with = [&](const std::vector<std::string>& set) {
    run(slow, set);
    return agent_.tools.at(0).spec.options.timeout;
  };
  EXPECT_EQ(limit_with({}), std::chrono::milliseconds(7));
  EXPECT_EQ(limit_with({"tool_execution.timeout=3s"}), std::chrono::seconds(3));
  EXPECT_EQ(limit_with({"tool_execution.timeout=off"}), std::nullopt);
}

TEST_F(ToolExecution, is_tried_again_as_often_as_the_setting_says) {
  EXPECT_EQ(run(counting(Effect::read, 1), {}).error_message(), "not now") << "once by default";
  calls_ = 0;
  const std::vector<std::string> thrice{"tool_execution.retry_attempts=3",
                                        "tool_execution.retry_pause=1ms"};
  EXPECT_EQ(run(counting(Effect::read, 2), thrice).response, Json(3));
  calls_ = 0;
  EXPECT_EQ(run(counting(Effect::write, 2), thrice).error_message(), "not now");
}

TEST_F(ToolExecution, is_left_alone_after_failures) {
  const Tool failing = counting(Effect::read, 9);
  EXPECT_EQ(run(failing, {"tool_execution.circuit_breaker_failures=2"}).error_message(), "not now");
  EXPECT_EQ(again(failing).error_message(), "not now");
  EXPECT_EQ(again(failing).error_message().find("count failed 2 times in a row"), 0U)
      << again(failing).error_message();
}

TEST_F(ToolExecution, is_refused_above_the_rate) {
  const Tool counted = counting();
  EXPECT_EQ(
      run(counted, {"tool_execution.rate_limit=1/h", "tool_execution.rate_limit_burst=2"}).response,
      Json(1));
  EXPECT_EQ(again(counted).response, Json(2));
  EXPECT_EQ(again(counted).error_message().find("Too many calls of count"), 0U);
}

TEST_F(ToolExecution, waits_above_the_rate_where_that_is_asked_for) {
  const Tool counted = counting();
  run(counted, {"tool_execution.rate_limit=1000/s", "tool_execution.rate_limit_burst=1",
                "tool_execution.rate_limit_action=wait"});
  EXPECT_EQ(again(counted).response, Json(2));
}

TEST_F(ToolExecution, remembers_results_where_that_is_asked_for) {
  const Tool counted = counting();
  run(counted, {});
  EXPECT_EQ(again(counted).response, Json(2));
  calls_ = 0;
  run(counted, {"tool_execution.cache_entries=4", "tool_execution.cache_age=1h"});
  EXPECT_EQ(again(counted).response, Json(1));
}

TEST_F(ToolExecution, cuts_results_at_the_limit) {
  const Tool talking = tool("talk", "", [] { return std::string(500, 'x'); });
  EXPECT_EQ(run(talking, {}).result.content.size(), 500U);
  EXPECT_LT(run(talking, {"tool_execution.output_limit=10"}).result.content.size(), 100U);
}

TEST_F(ToolExecution, hides_keys_unless_told_not_to) {
  const Tool leaking = tool("leak", "", [] { return "sk-0123456789abcdef0123"; });
  EXPECT_EQ(run(leaking, {}).result.content, "[REDACTED]");
  EXPECT_EQ(run(leaking, {"tool_execution.redaction=false"}).result.content,
            "sk-0123456789abcdef0123");
}

TEST_F(ToolExecution, is_strict_or_lenient_or_corrects) {
  const std::string wrong = R"({"n":"5"})";
  EXPECT_TRUE(run(echo(), {}, wrong).result.is_error);
  EXPECT_EQ(run(echo(), {"tool_execution.strictness=lenient"}, wrong).response.at("n"), Json("5"));
  EXPECT_EQ(run(echo(), {"tool_execution.coercion=true"}, wrong).response.at("n"), Json(5));
  EXPECT_FALSE(run(echo(), {"tool_execution.enable_validation=false"}, wrong).result.is_error);
}

// What a model must not do even where nothing is checked: make a shipped tool count past the end of
// a type, or without end.
class ShippedNumbers : public ToolExecution {
 protected:
  void look_at(const Tool& tool, const Json& schema, const std::string& setting) {
    for (const auto& [name, property] : schema.at("properties").as_object()) {
      const JsonObject& rules = property.as_object();
      if (rules.contains("type") && rules.at("type") == Json("integer")) {
        EXPECT_TRUE(rules.contains("minimum")) << tool.spec.name << "." << name;
      }
      refuses(tool, name, rules, "minimum", -1, setting);
      refuses(tool, name, rules, "maximum", 1, setting);
    }
  }

  void refuses(const Tool& tool, std::string_view name, const JsonObject& rules,
               std::string_view bound, int beyond, const std::string& setting) {
    if (!rules.contains(bound)) return;
    ++seen_;
    const Json given{{name, rules.at(bound).to_number<std::int64_t>() + beyond}};
    const auto outcome = run(tool, {setting}, to_text(given));
    EXPECT_NE(outcome.error_message().find(fmt::format("Parameter {} must be at ", name)),
              std::string::npos)
        << tool.spec.name << " " << to_text(given) << ": " << outcome.result.content;
  }

  int seen_ = 0;
};

TEST_F(ShippedNumbers, keep_their_bounds_however_arguments_are_checked) {
  const TemporaryFolder folder;
  SettingFlags flags;
  flags.set = {"web.fetch=true",     "web.search=https://search.example/search",
               "sessions.search=on", "entities.index=true",
               "agent.writable=.",   "agent.base_path=" + folder.path().string()};
  const Environment environment(Environment::Variables{{"HOME", folder.path().string()}});
  const auto settings = load_settings(flags, environment);
  ASSERT_TRUE(settings) << settings.error().message;
  const auto tools = make_tools(*settings);
  ASSERT_TRUE(tools) << tools.error().message;
  EXPECT_EQ(tools->size(), tool_names().size());
  for (const Tool& tool : *tools) {
    for (const char* const setting :
         {"tool_execution.strictness=lenient", "tool_execution.enable_validation=false"}) {
      look_at(tool, tool.spec.parameters, setting);
    }
  }
  EXPECT_GT(seen_, 40);
}

TEST_F(ToolExecution, tells_the_model_to_stop_after_the_budget) {
  const auto outcome = run(echo(), {"tool_execution.retry_budget=0"}, R"({"n":"x"})");
  EXPECT_NE(outcome.error_message().find("Do not call echo again"), std::string::npos)
      << outcome.error_message();
}

TEST_F(ToolExecution, stamps_what_is_left_of_a_result_that_was_cut) {
  const Tool object = tool("object", "", [] {
    return std::map<std::string, std::string>{{"a", std::string(500, 'x')}};
  });
  const Json cut = run(object, {"tool_execution.output_limit=100"}).response;
  EXPECT_TRUE(cut.as_object().contains("_execution_metadata"));
  EXPECT_LT(cut.at("a").as_string().size(), 120U);
}

TEST_F(ToolExecution, is_each_agents_own) {
  const std::string wrong = R"({"n":"5"})";
  EXPECT_FALSE(
      run(echo(), {"agents.helper.tool_execution.strictness=lenient"}, wrong).result.is_error);
  EXPECT_TRUE(
      run(echo(), {"agents.other.tool_execution.strictness=lenient"}, wrong).result.is_error);
}

}  // namespace
}  // namespace wright::app
