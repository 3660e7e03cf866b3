#include "wright/runtime.h"

#include <gtest/gtest.h>

#include <latch>
#include <mutex>
#include <thread>

#include "wright/run.h"
#include "wright/testing.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::says;
using testing::ScriptedModel;

Agent agent_of(Model model) {
  return Agent{.name = "two",
               .model = std::move(model),
               .tools = {tool("weather", "Weather", [] { return "sunny"; })}};
}

Message result_of(const ToolCall& call, std::string content) {
  return Message::tool({call.id, call.name, std::move(content), false});
}

TEST(TwoPhase, streams_text_when_no_tool_is_needed) {
  const ScriptedModel script({says("Hello")});
  TwoPhaseAgent agent(agent_of(script.model()));
  auto response = agent.process("Hi").get();
  ASSERT_NE(text_of(response), nullptr);
  EXPECT_FALSE(needs_tools(response));
  TextStream stream = *text_of(response);
  EXPECT_EQ(stream.next(), "Hello");
  EXPECT_EQ(stream.next(), std::nullopt);
  EXPECT_EQ(stream.all(), "Hello");
}

TEST(TwoPhase, asks_for_tools_for_any_number_of_rounds) {
  const ScriptedModel script({calls({call("weather", "{}", "a"), call("weather", "{}", "b")}),
                              calls({call("weather", "{}", "c")}, "One more"), says("All sunny")});
  TwoPhaseAgent agent(agent_of(script.model()));
  auto response = agent.process("Weather?").get();
  int rounds = 0;
  while (const auto needs = needs_tools(response)) {
    ++rounds;
    std::vector<Message> messages = needs->messages;
    // In the wrong order, as parallel executions may end.
    for (auto each = needs->tool_calls.rbegin(); each != needs->tool_calls.rend(); ++each) {
      messages.push_back(result_of(*each, "sunny " + each->id));
    }
    response = agent.process_with_results(std::move(messages)).get();
  }
  EXPECT_EQ(rounds, 2);
  ASSERT_NE(text_of(response), nullptr);
  EXPECT_EQ(text_of(response)->all(), "All sunny");
  const auto last = script.requests().back();
  EXPECT_EQ(last[2], result_of(call("weather", "{}", "a"), "sunny a"));
  EXPECT_EQ(last[3], result_of(call("weather", "{}", "b"), "sunny b"));
}

TEST(TwoPhase, traces_its_way_in_the_log_of_its_debug_options) {
  std::mutex mutex;
  std::vector<std::string> messages;
  const Logger logger(
      [&](const LogRecord& record) {
        const std::scoped_lock lock(mutex);
        messages.emplace_back(record.message);
      },
      LogLevel::debug);
  const ScriptedModel script({calls({call("weather", "{}", "a")}), says("Sunny")});
  Agent traced = agent_of(script.model());
  traced.debug = DebugOptions{.logger = logger};
  {
    TwoPhaseAgent agent(std::move(traced));
    const auto needs = needs_tools(agent.process("Weather?").get());
    ASSERT_TRUE(needs);
    std::vector<Message> conversation = needs->messages;
    conversation.push_back(result_of(needs->tool_calls.front(), "sunny"));
    auto response = agent.process_with_results(std::move(conversation)).get();
    ASSERT_NE(text_of(response), nullptr);
    EXPECT_EQ(text_of(response)->all(), "Sunny");
  }
  EXPECT_EQ(messages, (std::vector<std::string>{
                          "Processing message with tools enabled", "Tool calls detected: 1 call",
                          "Tool result: weather", "Follow-up request with tool results",
                          "No tool calls detected: the response is final"}));
}

TEST(TwoPhase, has_text_before_the_model_has_said_everything) {
  std::latch may_end(1);
  TwoPhaseAgent agent(agent_of(
      model_from("test", "m", [&](const Request&, const ModelCall& how) -> Result<Response> {
        how.on_text("Once ");
        may_end.wait();
        how.on_text("upon");
        return says("Once upon");
      })));
  auto response = agent.process("A tale").get();
  ASSERT_NE(text_of(response), nullptr);
  EXPECT_EQ(text_of(response)->next(), "Once ");
  may_end.count_down();
  EXPECT_EQ(text_of(response)->all(), "Once upon");
}

TEST(TwoPhase, refuses_conversations_that_cannot_go_on) {
  const ScriptedModel script({calls({call("weather", "{}", "a"), call("weather", "{}", "b")})});
  TwoPhaseAgent agent(agent_of(script.model()));
  auto response = agent.process("Weather?").get();
  const auto needs = needs_tools(response);
  ASSERT_TRUE(needs);
  auto half = needs->messages;
  half.push_back(result_of(needs->tool_calls[0], "sunny"));
  const auto missing = agent.process_with_results(half).get();
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("'b'"), std::string::npos) << missing.error().message;
  half.push_back(result_of(needs->tool_calls[1], "sunny"));
  half.push_back(result_of(call("weather", "{}", "x"), "sunny"));
  EXPECT_FALSE(agent.process_with_results(half).get());
  EXPECT_FALSE(agent.process_with_results({}).get());
  EXPECT_FALSE(
      agent.process_with_results({Message::user("Hi"), Message::assistant("Hello")}).get());
}

TEST(TwoPhase, tells_what_goes_wrong_before_and_within_the_text) {
  const ScriptedModel script({fail(ErrorCode::overloaded, "Too much")});
  TwoPhaseAgent failing(agent_of(script.model()));
  const auto before = failing.process("Hi").get();
  ASSERT_FALSE(before);
  EXPECT_EQ(before.error().code, ErrorCode::overloaded);

  TwoPhaseAgent breaking(agent_of(
      model_from("test", "m", [&](const Request&, const ModelCall& how) -> Result<Response> {
        how.on_text("Half");
        throw std::runtime_error("gone");
      })));
  auto within = breaking.process("Hi").get();
  ASSERT_NE(text_of(within), nullptr);
  const auto all = text_of(within)->all();
  ASSERT_FALSE(all);
  EXPECT_NE(all.error().message.find("gone"), std::string::npos);
}

TEST(TwoPhase, stops_at_the_limit_of_iterations) {
  const ScriptedModel script({calls({call("weather", "{}", "a")}), says("never")});
  Agent limited = agent_of(script.model());
  limited.limits.max_iterations = 1;
  TwoPhaseAgent agent(limited);
  const auto needs = needs_tools(agent.process("Hi").get());
  ASSERT_TRUE(needs);
  auto messages = needs->messages;
  messages.push_back(result_of(needs->tool_calls[0], "sunny"));
  const auto stopped = agent.process_with_results(std::move(messages)).get();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(limit_of(stopped.error()), Limit::iterations);
}

TEST(TwoPhase, serves_many_threads_at_once) {
  TwoPhaseAgent agent(
      agent_of(model_from("test", "m", [](const Request& request, const ModelCall&) {
        return Result<Response>(says(request.messages.back().text()));
      })));
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 20; ++n) {
        const std::string said = std::to_string(i) + "." + std::to_string(n);
        auto response = agent.process(said).get();
        ASSERT_NE(text_of(response), nullptr);
        EXPECT_EQ(text_of(response)->all(), said);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace wright
