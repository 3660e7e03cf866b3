// Many threads through one set of interceptors. Most telling under ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "wright/interceptors.h"
#include "wright/testing.h"

namespace {

struct Number {
  int n = 0;
};
WRIGHT_DESCRIBE(Number, WRIGHT_FIELD(n))

struct Square {
  int n = 0;
  int square = 0;
};
WRIGHT_DESCRIBE(Square, WRIGHT_FIELD(n), WRIGHT_FIELD(square))

}  // namespace

namespace wright {
namespace {

TEST(Concurrency, one_set_of_interceptors_serves_many_threads) {
  std::atomic<int> lines = 0;
  const Logger logger = line_logger(LogFormat::json, LogLevel::debug, [&](std::string_view line) {
    EXPECT_TRUE(line.ends_with("}\n"));
    ++lines;
  });
  std::vector<Interceptor> list = conveniences({}, logger, Redactor({"hunter2"}));
  list.push_back(intercept::permission({.rules = {{"forbidden", intercept::Permission::deny}}}));
  list.push_back(intercept::rate_limit({.calls_per_second = 1e9, .burst = 1e9}));
  list.push_back(intercept::circuit_breaker({.threshold = 1'000'000}));
  list.push_back(intercept::retry());
  list.push_back(intercept::cache({.max_entries = 8}));
  list.push_back(intercept::output_limit(10'000));
  list.push_back(intercept::redaction(Redactor({"hunter2"})));
  const std::vector<Tool> tools{
      tool("square", "",
           [](const Number& number) {
             return Square{number.n, number.n * number.n};
           },
           {.effect = Effect::read}),
      tool("fail", "", []() -> Result<int> { return fail(ErrorCode::tool_failed, "always"); })};
  const auto memory = std::make_shared<RunMemory>();
  constexpr int kThreads = 6;
  constexpr int kCalls = 60;
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        const std::string agent = "agent_" + std::to_string(t);
        for (int i = 0; i < kCalls; ++i) {
          const int n = i % 20;
          const bool is_failing = i % 7 == 0;
          const std::string arguments = is_failing ? "{}" : to_text(JsonObject{{"n", n}});
          const auto outcome =
              execute(tools, list, testing::call(is_failing ? "fail" : "square", arguments),
                      Context{.agent_name = agent, .memory = memory});
          const bool is_right =
              is_failing
                  ? outcome.error_message() == "always"
                  : outcome.response.at("square") == Json(n * n) &&
                        outcome.response.at("_execution_metadata").at("agent_name") == Json(agent);
          if (is_right) ++right;
        }
      });
    }
  }
  EXPECT_EQ(right, kThreads * kCalls);
  EXPECT_EQ(lines, kThreads * kCalls * 2);
}

TEST(Concurrency, a_circuit_that_opens_meanwhile_confuses_nobody) {
  const Interceptor breaker = intercept::circuit_breaker({.threshold = 3});
  const std::vector<Interceptor> list{breaker};
  const std::vector<Tool> tools{
      tool("fail", "", []() -> Result<int> { return fail(ErrorCode::tool_failed, "always"); })};
  std::atomic<int> answered = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          if (execute(tools, list, testing::call("fail"), {}).result.is_error) ++answered;
        }
      });
    }
  }
  EXPECT_EQ(answered, 200);
}

}  // namespace
}  // namespace wright
