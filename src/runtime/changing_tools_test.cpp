// Tools that come and go while a session runs, and tools that ask models by themselves.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <string>
#include <vector>

#include "runtime/runtime_testing.h"
#include "wright/agent.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::open_runtime;
using testing::says;
using testing::value_of;

Tool saying(std::string name) {
  return tool(std::move(name), "", [] { return "done"; });
}

TEST(ChangingTools, AreOfferedFromTheNextQuestionOn) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<bool> has_changed = false;
  std::vector<std::vector<std::string>> offered;
  std::vector<std::string> told;
  const Model model =
      model_from("test", "m", [&](const Request& request, const ModelCall&) -> Result<Response> {
        std::vector<std::string> names;
        for (const Tool& each : request.tools) names.push_back(each.spec.name);
        offered.push_back(std::move(names));
        if (offered.size() == 1) return calls({call("change", "{}", "1")});
        if (offered.size() == 2) return calls({call("later", "{}", "2"), call("old", "{}", "3")});
        for (const Message& message : request.messages) {
          for (const Part& part : message.parts) {
            if (const auto* result = std::get_if<ToolResult>(&part))
              told.push_back(result->content);
          }
        }
        return says("over");
      });
  Agent agent{.name = "a", .model = model};
  agent.tools = {tool("change", "", [&] { has_changed = true; }), saying("old")};
  agent.tools_now = [&](std::span<const Tool> had) -> std::optional<std::vector<Tool>> {
    if (!has_changed || had.back().spec.name == "later") return std::nullopt;
    return std::vector<Tool>{had.front(), saying("later")};
  };
  // The agent is held by another object: what its tools refer to lives on with the session.
  struct Holder {
    Agent agent;
    std::shared_ptr<int> resource = std::make_shared<int>(1);
  };
  auto holder = std::make_shared<Holder>(std::move(agent));
  const std::weak_ptr<int> resource = holder->resource;
  AgentPointer pointer(holder, &holder->agent);
  holder.reset();
  const SessionId id = value_of(runtime->start(std::move(pointer), "Go"));
  EXPECT_EQ(value_of(runtime->wait(id)).text, "over");
  ASSERT_EQ(offered.size(), 3U);
  EXPECT_EQ(offered[0], (std::vector<std::string>{"change", "old"}));
  EXPECT_EQ(offered[1], (std::vector<std::string>{"change", "later"}));
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[1], "done");
  EXPECT_NE(told[2].find("Unknown tool: old"), std::string::npos) << told[2];
}

// What could never run is not taken.
TEST(ChangingTools, ThatCannotBeUsedAreNotTaken) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::size_t count = 0;
  Agent agent{.name = "a",
              .model = model_from("test", "m", [&](const Request& request, const ModelCall&) {
                count = request.tools.size();
                return Result<Response>(says("over"));
              })};
  agent.tools = {saying("one")};
  agent.tools_now = [](std::span<const Tool>) {
    return std::optional(std::vector<Tool>{saying("twice"), saying("twice"), saying("x")});
  };
  const auto made = std::make_shared<const Agent>(std::move(agent));
  EXPECT_EQ(value_of(runtime->wait(value_of(runtime->start(made, "Go")))).text, "over");
  EXPECT_EQ(count, 1U);
}

// Its server adds one tool and changes another while the session runs. Both need approval.
Agent changing_agent() {
  const auto has_changed = std::make_shared<std::atomic<bool>>(false);
  const auto approved = [](std::string name, std::string definition) {
    Tool made =
        tool(std::move(name), "", [definition] { return definition; }, {.needs_approval = true});
    made.spec.definition = definition;
    return made;
  };
  const auto turns = std::make_shared<std::atomic<int>>(0);
  Agent agent{.name = "changing"};
  const auto telling = [turns](const Request& request, const ModelCall&) -> Result<Response> {
    const int turn = ++*turns;
    if (turn == 1) return calls({call("change", "{}", "1")});
    if (turn == 2) return calls({call("later", "{}", "2"), call("act", "{}", "3")});
    std::string text;
    for (const Message& message : request.messages) {
      for (const Part& part : message.parts) {
        if (const auto* result = std::get_if<ToolResult>(&part)) text += result->content + ";";
      }
    }
    return says(text);
  };
  agent.model = model_from("test", "m", telling);
  agent.tools = {tool("change", "", [has_changed] { *has_changed = true; }),
                 approved("act", "act v1")};
  agent.tools_now = [has_changed,
                     approved](std::span<const Tool> had) -> std::optional<std::vector<Tool>> {
    if (!*has_changed || had.back().spec.name == "later") return std::nullopt;
    return std::vector<Tool>{had.front(), approved("act", "act v2"), approved("later", "later v1")};
  };
  return agent;
}

// Who waits for an approval is loaded again when it is there, from the agent as it was made.
TEST(ChangingTools, ThatCameLaterAreThereAfterAWait) {
  const Agent changing = changing_agent();
  const Agent below = changing_agent();
  const auto above =
      testing::agent_with("above", testing::calling({call("changing", R"({"message":"Go"})", "1")}),
                          {delegate_to(below)});
  for (const auto& agent : {std::make_shared<const Agent>(changing), above}) {
    const auto store = open_memory_store();
    const auto runtime = open_runtime(*store);
    const SessionId id = value_of(runtime->start(agent, "Go"));
    const RunResult waiting = value_of(runtime->wait(id));
    ASSERT_EQ(waiting.waits.size(), 2U) << agent->name;
    for (const PersonWait& wait : waiting.waits) {
      ASSERT_TRUE(runtime->answer(wait.wait_id, to_json(Approval{Decision::once}), "Ada"));
    }
    const RunResult result = value_of(runtime->wait(id));
    EXPECT_EQ(result.status, RunResult::Status::completed) << agent->name;
    EXPECT_NE(result.text.find(";later v1;act v2;"), std::string::npos) << result.text;
  }
}

TEST(ToolsThatAskModels, SpendTheBudgetTogether) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::latch has_spent(1);
  std::latch has_looked(1);
  std::optional<std::int64_t> left;
  const ToolOptions parallel{.effect = Effect::read, .concurrency = Concurrency::parallel};
  Agent agent{.name = "a",
              .model = testing::calling({call("spend", "{}", "1"), call("look", "{}", "2")})};
  agent.tools = {tool(
                     "spend", "",
                     [&](const Context& context) {
                       context.budget->spend({.input_tokens = 1000, .output_tokens = 1000});
                       has_spent.count_down();
                       has_looked.wait();
                       context.budget->spend({.output_tokens = 7});
                     },
                     parallel),
                 tool(
                     "look", "",
                     [&](const Context& context) {
                       has_spent.wait();
                       left = context.budget->tokens_left();
                       context.budget->spend({.output_tokens = 500});
                       has_looked.count_down();
                     },
                     parallel)};
  agent.limits.max_tokens = 50'000;
  const SessionId id =
      value_of(runtime->start(std::make_shared<const Agent>(std::move(agent)), "Go"));
  EXPECT_TRUE(runtime->wait(id));
  EXPECT_EQ(left, 48'000);
  // Each once, whichever call ended first.
  const Usage usage = value_of(store->get_session(id)).usage;
  EXPECT_EQ(usage.input_tokens, 1000);
  EXPECT_EQ(usage.output_tokens, 1507);
}

TEST(ToolsThatAskModels, HaveSpentItThoughNobodyWaitsForThem) {
  const auto store = open_memory_store();
  const auto begun = std::make_shared<std::latch>(1);
  const auto let_go = std::make_shared<std::latch>(1);
  const auto has_ended = std::make_shared<std::latch>(1);
  const auto runtime = open_runtime(*store);
  const auto agent =
      testing::agent_with("deaf", testing::calling({call("deaf", "{}", "1")}),
                          {tool("deaf", "", [=](const Context& context) {
                            context.budget->spend({.input_tokens = 300, .output_tokens = 40});
                            begun->count_down();
                            let_go->wait();
                            has_ended->count_down();
                          })});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  begun->wait();
  ASSERT_TRUE(runtime->cancel(id));
  EXPECT_FALSE(runtime->wait(id));
  const Session session = value_of(store->get_session(id));
  EXPECT_EQ(session.status, SessionStatus::cancelled);
  EXPECT_EQ(session.usage.input_tokens, 300);
  EXPECT_EQ(session.usage.output_tokens, 40);
  let_go->count_down();
  has_ended->wait();
}

TEST(ToolsThatAskModels, SpendTheBudgetOfTheirSession) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::vector<std::optional<std::int64_t>> left;
  Agent agent{.name = "a"};
  int turn = 0;
  agent.model = model_from("test", "m", [&](const Request&, const ModelCall&) -> Result<Response> {
    Response response = calls({call("spend", "{}", std::to_string(++turn))});
    response.usage = {.input_tokens = 60, .output_tokens = 40};
    return response;
  });
  agent.tools = {tool("spend", "", [&](const Context& context) -> Result<std::string> {
    left.push_back(context.budget->tokens_left());
    context.budget->spend({.input_tokens = 1000, .output_tokens = 1000, .cost_usd = 0.5});
    if (left.size() == 1) return fail(ErrorCode::tool_failed, "it costs all the same");
    return "ok";
  })};
  agent.sampling.max_tokens = 100;
  agent.limits.max_tokens = 5000;
  const auto made = std::make_shared<const Agent>(std::move(agent));
  const SessionId id = value_of(runtime->start(made, "Go"));
  const auto answer = runtime->wait(id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::limit_reached);
  ASSERT_EQ(left.size(), 3U);
  EXPECT_EQ(left[0], 4900);
  EXPECT_EQ(left[1], 2800);
  EXPECT_EQ(left[2], 700);
  const Usage usage = value_of(store->get_session(id)).usage;
  EXPECT_EQ(usage.input_tokens + usage.output_tokens, 3 * 2100);
  EXPECT_DOUBLE_EQ(usage.cost_usd, 1.5);
}

}  // namespace
}  // namespace wright
