// Calls that can reach no tool, because nobody has that name or the arguments are not JSON, pass
// the interceptors like any other.
#include <gtest/gtest.h>

#include "wright/interceptors.h"
#include "wright/testing.h"

namespace wright::intercept {
namespace {

using testing::call;

class UnusableCalls : public ::testing::Test {
 protected:
  Logger logger() {
    return Logger(
        [this](const LogRecord& record) {
          log_.emplace_back(record.message);
          for (const LogField& field : record.fields) {
            if (field.name == "arguments") {
              arguments_.emplace_back(std::get<std::string_view>(field.value));
            }
          }
        },
        LogLevel::debug);
  }

  ToolOutcome run(const ToolCall& call, const std::vector<Interceptor>& list) {
    return execute({&tool_, 1}, list, call, Context{.memory = memory_});
  }

  std::vector<std::string> log_;
  std::vector<std::string> arguments_;
  std::shared_ptr<RunMemory> memory_ = std::make_shared<RunMemory>();
  int runs_ = 0;
  Tool tool_ =
      tool("count", "Counts its runs", [this] { return ++runs_; }, {.effect = Effect::read});
};

TEST_F(UnusableCalls, to_unknown_tools_are_logged) {
  const auto outcome = run(call("sing", R"({"song":"la"})"), conveniences({}, logger()));
  EXPECT_EQ(outcome.error_message(), "Unknown tool: sing. Available tools: count");
  EXPECT_EQ(log_, (std::vector<std::string>{
                      "[TOOL EXECUTION] Starting sing",
                      "[TOOL EXECUTION] Error in sing: Unknown tool: sing. Available tools: count",
                  }));
  EXPECT_EQ(arguments_, (std::vector<std::string>{R"({"song":"la"})"}));
}

TEST_F(UnusableCalls, with_broken_arguments_are_logged_with_their_secrets_hidden) {
  const auto outcome = run(call("count", R"({"key":"hunter22", )"),
                           conveniences({}, logger(), Redactor({"hunter22"})));
  EXPECT_TRUE(outcome.result.is_error);
  EXPECT_EQ(outcome.error_message().find("The arguments are not valid JSON: "), 0U)
      << outcome.error_message();
  ASSERT_EQ(log_.size(), 2U);
  EXPECT_EQ(log_[1], "[TOOL EXECUTION] Error in count: " + outcome.error->message);
  EXPECT_EQ(arguments_, (std::vector<std::string>{R"({"key":"[REDACTED]", )"}));
  EXPECT_EQ(runs_, 0);
}

TEST_F(UnusableCalls, count_against_the_retry_budget_of_their_name) {
  const auto list = conveniences();
  const auto is_told_to_stop = [&](const ToolCall& each) {
    return run(each, list).error_message().find("Do not call") != std::string::npos;
  };
  for (const ToolCall& each : {call("sing"), call("count", "{broken"), call("count", "[1]")}) {
    memory_ = std::make_shared<RunMemory>();
    EXPECT_FALSE(is_told_to_stop(each)) << each.name << each.arguments;
    EXPECT_FALSE(is_told_to_stop(call("dance"))) << "another name";
    EXPECT_FALSE(is_told_to_stop(each)) << each.name << each.arguments;
    EXPECT_TRUE(is_told_to_stop(each)) << each.name << each.arguments;
  }
  EXPECT_FALSE(run(call("count"), list).result.is_error) << "what fits still runs";
  EXPECT_FALSE(is_told_to_stop(call("count", "{broken"))) << "and the count starts again";
}

TEST_F(UnusableCalls, of_one_turn_count_once) {
  const auto is_told_to_stop = [&](std::size_t turn) {
    const auto outcome = execute({&tool_, 1}, {}, call("count", "{broken"),
                                 Context{.memory = memory_, .turn = turn}, {.retry_budget = 1});
    return outcome.error_message().find("Do not call") != std::string::npos;
  };
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(is_told_to_stop(2)) << "nobody has told the model yet";
  EXPECT_TRUE(is_told_to_stop(7));
}

TEST_F(UnusableCalls, of_an_unknown_tool_are_told_so_in_the_end) {
  EXPECT_EQ(execute({&tool_, 1}, {}, call("sing"), Context{.memory = memory_}, {.retry_budget = 0})
                .error_message(),
            "Unknown tool: sing. Available tools: count. This was attempt 1 to call a tool that "
            "does not exist. Do not call sing again: use another tool, or answer without it");
}

TEST_F(UnusableCalls, are_asked_about_by_nobody_but_denied_where_rules_say_so) {
  int asked = 0;
  const auto ask = [&](const Invocation&, const Context&) -> std::optional<Permission> {
    ++asked;
    return Permission::allow;
  };
  const std::vector<Interceptor> asking{permission({.otherwise = Permission::ask, .ask = ask})};
  EXPECT_EQ(run(call("sing"), asking).error_message(),
            "Unknown tool: sing. Available tools: count");
  EXPECT_FALSE(run(call("count", "{broken"), asking).waiting);
  EXPECT_EQ(asked, 0);
  run(call("count"), asking);
  EXPECT_EQ(asked, 1);
  const std::vector<Interceptor> denying{permission({.otherwise = Permission::deny})};
  EXPECT_EQ(run(call("count", "{broken"), denying).error_message(),
            "The tool count is not allowed here. Do not call it again");
}

TEST_F(UnusableCalls, leave_the_guards_as_they_are) {
  const std::vector<Interceptor> list{
      cache(), circuit_breaker({.threshold = 1}),
      retry({.is_transient = [](const Error&) { return true; },
             .pause = [](std::chrono::nanoseconds, std::stop_token) { FAIL() << "tried again"; }}),
      rate_limit({.calls_per_second = 1e-6, .burst = 1})};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(call("count", "{broken"), list).error_message().find("The arguments are not"),
              0U);
    EXPECT_EQ(run(call("sing"), list).error_message().find("Unknown tool"), 0U);
  }
  EXPECT_EQ(run(call("count"), list).response, Json(1));
}

TEST_F(UnusableCalls, tell_the_model_what_is_wrong_whatever_interceptors_do_with_arguments) {
  const std::vector<Interceptor> list{before([](const Invocation& invocation, const Context&) {
    EXPECT_NE(invocation.unusable, nullptr);
    EXPECT_EQ(invocation.arguments, Json(JsonObject{}));
  })};
  EXPECT_EQ(run(call("count", "{broken"), list).error_message().find("The arguments are not"), 0U);
  EXPECT_EQ(run(call("sing"), list).error_message(), "Unknown tool: sing. Available tools: count");
}

TEST_F(UnusableCalls, may_be_put_right_by_an_interceptor) {
  const std::vector<Interceptor> list{
      [](const Invocation& invocation, const Context& context, const Next& next) {
        return next(invocation.with(JsonObject{}), context);
      }};
  EXPECT_EQ(run(call("count", "{broken"), list).response, Json(1));
  EXPECT_EQ(run(call("sing"), list).error_message(), "Unknown tool: sing. Available tools: count")
      << "but there is still no such tool";
}

}  // namespace
}  // namespace wright::intercept
