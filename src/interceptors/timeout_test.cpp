#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <thread>

#include "wright/interceptors.h"
#include "wright/testing.h"

namespace wright::intercept {
namespace {

using std::chrono::milliseconds;
using testing::call;

constexpr milliseconds kShort{1};
constexpr milliseconds kLong{60'000};

// Ends when it is asked to, and says so.
Tool patient_tool(std::atomic<bool>& was_stopped) {
  return tool("wait", "", [&was_stopped](Context& context) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, context.stop, [] { return false; });
    was_stopped = context.stop.stop_requested();
    return std::string("too late");
  });
}

TEST(Timeout, lets_a_quick_tool_through_with_everything_it_did) {
  const Tool quick = tool("quick", "", [](Context& context) {
    context.notes.emplace_back("from the tool");
    return std::string(context.agent_name) + "/" + std::string(context.call_id) + "/" +
           std::string(context.idempotency_key);
  });
  const std::vector<Interceptor> list{timeout({.limit = kLong})};
  const auto outcome = execute({&quick, 1}, list, call("quick"),
                               Context{.agent_name = "a", .call_id = "c", .idempotency_key = "k"});
  EXPECT_EQ(outcome.response, Json("a/c/k"));
  EXPECT_EQ(outcome.notes, std::vector<std::string>{"from the tool"});
}

TEST(Timeout, gives_up_triggers_the_stop_token_and_drops_the_late_result) {
  std::atomic<bool> was_stopped = false;
  {
    const Tool tool = patient_tool(was_stopped);
    Error error;
    const std::vector<Interceptor> list{
        after([&](const ToolCall&, Context&, Result<Json>& result) { error = result.error(); }),
        timeout({.limit = kShort})};
    const auto outcome = execute({&tool, 1}, list, call("wait"), {});
    EXPECT_EQ(outcome.error, "wait did not answer within 1 ms");
    EXPECT_EQ(error.code, ErrorCode::timeout);
  }
  EXPECT_TRUE(was_stopped) << "the thread was joined when the interceptor ended";
}

TEST(Timeout, uses_the_tools_own_limit_unless_told_otherwise) {
  std::atomic<bool> was_stopped = false;
  Tool tool = patient_tool(was_stopped);
  tool.spec.options.timeout = kShort;
  const std::vector<Interceptor> list{timeout()};
  EXPECT_TRUE(execute({&tool, 1}, list, call("wait"), {}).result.is_error);
}

TEST(Timeout, of_zero_means_none) {
  const Tool quick =
      tool("quick", "", [] { return std::this_thread::get_id() == std::thread::id(); });
  const std::vector<Interceptor> list{timeout({.limit = milliseconds(0)})};
  EXPECT_EQ(execute({&quick, 1}, list, call("quick"), {}).response, Json(false));
}

TEST(Timeout, passes_the_runs_stop_on_to_the_tool) {
  std::atomic<bool> was_stopped = false;
  const Tool tool = patient_tool(was_stopped);
  std::stop_source stop;
  stop.request_stop();
  const std::vector<Interceptor> list{timeout({.limit = kLong})};
  const auto outcome = execute({&tool, 1}, list, call("wait"), Context{.stop = stop.get_token()});
  EXPECT_EQ(outcome.response, Json("too late"));
  EXPECT_TRUE(was_stopped);
}

TEST(Timeout, a_late_tool_may_outlive_the_agent_that_called_it) {
  std::latch may_go(1);
  std::atomic<int> sum = 0;
  Interceptor guard = timeout({.limit = kShort});
  {
    // Everything the call refers to is gone when the tool goes on.
    const std::string agent_name = "an agent with a name that is not short";
    const std::vector<Tool> tools{
        tool("slow", "", [&, held = std::make_unique<int>(7)](Context& c) {
          may_go.wait();
          sum = *held + static_cast<int>(c.agent_name.size()) +
                static_cast<int>(c.tool->spec.name.size());
          return 0;
        })};
    const auto stamped = std::make_shared<int>(1);
    const std::vector<Interceptor> list{guard, before([stamped](const ToolCall& c, Context&) {
                                          EXPECT_EQ(*stamped, 1);
                                          EXPECT_EQ(c.name, "slow");
                                        })};
    EXPECT_TRUE(
        execute(tools, list, call("slow"), Context{.agent_name = agent_name}).result.is_error);
  }
  may_go.count_down();
  guard = nullptr;  // joins
  EXPECT_EQ(sum, 7 + 38 + 4);
}

TEST(Timeout, refuses_further_calls_when_too_many_hang) {
  std::latch may_go(1);
  const Tool stuck = tool("stuck", "", [&] { may_go.wait(); });
  const std::vector<Interceptor> list{timeout({.limit = kShort, .max_abandoned = 2})};
  for (int i = 0; i < 2; ++i) execute({&stuck, 1}, list, call("stuck"), {});
  EXPECT_EQ(execute({&stuck, 1}, list, call("stuck"), {}).error,
            "2 earlier calls took too long and still run. Try again later");
  may_go.count_down();
}

TEST(Timeout, may_stand_twice_on_the_way) {
  std::atomic<bool> was_stopped = false;
  const Tool tool = patient_tool(was_stopped);
  Interceptor same = timeout({.limit = kShort});
  {
    const std::vector<Interceptor> list{same, same};
    same = nullptr;
    EXPECT_TRUE(execute({&tool, 1}, list, call("wait"), {}).result.is_error);
  }
  EXPECT_TRUE(was_stopped) << "the tool has ended before the interceptor did";
}

TEST(Timeout, may_stand_inside_another_one) {
  std::atomic<bool> was_stopped = false;
  {
    const Tool tool = patient_tool(was_stopped);
    const std::vector<Interceptor> list{timeout({.limit = kShort}), timeout({.limit = kLong})};
    EXPECT_TRUE(execute({&tool, 1}, list, call("wait"), {}).result.is_error);
  }
  EXPECT_TRUE(was_stopped);
}

TEST(Timeout, turns_exceptions_into_results_like_every_call) {
  const Tool boom = tool("boom", "", []() -> int { throw std::runtime_error("kaboom"); });
  const std::vector<Interceptor> list{timeout({.limit = kLong})};
  EXPECT_EQ(execute({&boom, 1}, list, call("boom"), {}).error, "kaboom");
}

}  // namespace
}  // namespace wright::intercept
