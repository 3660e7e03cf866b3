// What the settings make of a call, shown by calls.
#include "app/tool_execution.h"

#include <gtest/gtest.h>

#include <thread>

#include "wright/testing.h"

namespace wright::app {
namespace {

using wright::testing::call;

class ToolExecution : public ::testing::Test {
 protected:
  // The outcome of one call of `tool` with these settings; the list stays for further calls.
  ToolOutcome run(const Tool& tool, const std::vector<std::string>& set,
                  const std::string& arguments = "{}") {
    SettingFlags flags;
    flags.set = set;
    const auto settings = load_settings(flags, Environment());
    EXPECT_TRUE(settings) << settings.error().message;
    list_ = make_interceptors("helper", *settings, Logger());
    return again(tool, arguments);
  }

  ToolOutcome again(const Tool& tool, const std::string& arguments = "{}") {
    return execute({&tool, 1}, list_, call(tool.spec.name, arguments), Context{.memory = memory_});
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

  std::vector<Interceptor> list_;
  std::shared_ptr<RunMemory> memory_ = std::make_shared<RunMemory>();
  int calls_ = 0;
};

TEST_F(ToolExecution, may_take_as_long_as_the_setting_says) {
  const Tool slow = tool("slow", "", [](const Context& context) {
    while (!context.stop.stop_requested()) std::this_thread::yield();
    return "stopped";
  });
  EXPECT_EQ(run(slow, {"tool_execution.timeout=1ms"}).error, "slow did not answer within 1 ms");
}

TEST_F(ToolExecution, may_take_as_long_as_the_tool_says_by_default) {
  const Tool slow = tool("slow", "",
                         [](const Context& context) {
                           while (!context.stop.stop_requested()) std::this_thread::yield();
                           return "stopped";
                         },
                         {.timeout = std::chrono::milliseconds(1)});
  EXPECT_EQ(run(slow, {}).error, "slow did not answer within 1 ms");
}

TEST_F(ToolExecution, stays_in_the_thread_of_the_caller_without_a_timeout) {
  const auto caller = std::this_thread::get_id();
  const Tool where = tool("where", "", [caller] { return std::this_thread::get_id() == caller; });
  EXPECT_EQ(run(where, {"tool_execution.timeout=off"}).response, Json(true));
  EXPECT_EQ(run(where, {"tool_execution.timeout=1h"}).response, Json(false));
}

TEST_F(ToolExecution, is_tried_again_as_often_as_the_setting_says) {
  EXPECT_EQ(run(counting(Effect::read, 1), {}).error, "not now") << "once by default";
  calls_ = 0;
  const std::vector<std::string> thrice{"tool_execution.retry_attempts=3",
                                        "tool_execution.retry_pause=1ms"};
  EXPECT_EQ(run(counting(Effect::read, 2), thrice).response, Json(3));
  calls_ = 0;
  EXPECT_EQ(run(counting(Effect::write, 2), thrice).error, "not now");
}

TEST_F(ToolExecution, is_left_alone_after_failures) {
  const Tool failing = counting(Effect::read, 9);
  EXPECT_EQ(run(failing, {"tool_execution.circuit_breaker_failures=2"}).error, "not now");
  EXPECT_EQ(again(failing).error, "not now");
  EXPECT_EQ(again(failing).error.find("count failed 2 times in a row"), 0U) << again(failing).error;
}

TEST_F(ToolExecution, is_refused_above_the_rate) {
  const Tool counted = counting();
  EXPECT_EQ(
      run(counted, {"tool_execution.rate_limit=1/h", "tool_execution.rate_limit_burst=2"}).response,
      Json(1));
  EXPECT_EQ(again(counted).response, Json(2));
  EXPECT_EQ(again(counted).error.find("Too many calls of count"), 0U);
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

TEST_F(ToolExecution, tells_the_model_to_stop_after_the_budget) {
  const auto outcome = run(echo(), {"tool_execution.retry_budget=0"}, R"({"n":"x"})");
  EXPECT_NE(outcome.error.find("Do not call echo again"), std::string::npos) << outcome.error;
}

TEST_F(ToolExecution, has_the_order_of_the_setting) {
  // Outside, the limit cuts what the stamp has made longer; by default it does not see the stamp.
  const Tool object = tool("object", "", [] { return std::map<std::string, int>{{"a", 1}}; });
  const std::string limit = "tool_execution.output_limit=40";
  EXPECT_TRUE(run(object, {limit}).response.as_object().contains("_execution_metadata"));
  EXPECT_FALSE(run(object, {limit, "tool_execution.order=output_limit"}).response.is_object());
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
