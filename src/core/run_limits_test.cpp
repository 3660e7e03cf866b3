// Limits of a run, calls that repeat themselves, answers to waits, and runs put together again from
// their parts.
#include <gtest/gtest.h>

#include "core/run_testing.h"
#include "wright/run.h"
#include "wright/testing.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::says;

Agent agent_with(Limits limits) {
  return Agent{.name = "limited", .limits = limits};
}

// One turn with one call of `tool`, answered with `content`.
void turn(Run& run, const std::string& content, const std::string& tool = "look") {
  expect_accepts(run, ModelAnswered{calls({call(tool, "{}")}, "Thinking")});
  const ToolCall made = run.open_calls.at(0).call;
  expect_accepts(run, ToolFinished{{made.id, made.name, content, false}});
}

std::string limit_of(const Run& run) {
  const auto limit = wright::limit_of(run.error);
  return limit ? std::string(to_string(*limit)) : "";
}

TEST(RunLimits, runs_the_calls_that_are_left_and_then_stops) {
  wright::Run run = start(agent_with({.max_tool_calls = 2}), "Go");
  turn(run, "one");
  expect_accepts(run, ModelAnswered{calls({call("a", "{}", "a"), call("b", "{}", "b")}, "So far")});
  ASSERT_EQ(run.phase, Phase::tools);
  EXPECT_EQ(std::get<CallTools>(next(Agent{}, run)).calls.size(), 1U);
  expect_accepts(run, ToolFinished{{"a", "a", "done", false}});
  EXPECT_EQ(run.phase, Phase::failed);
  EXPECT_EQ(limit_of(run), "tool_calls");
  const auto failed = std::get<Failed>(next(Agent{}, run));
  EXPECT_EQ(failed.text, "So far");
  EXPECT_EQ(std::get<ToolResult>(run.messages.back().parts[0]).content,
            "Not run: the limit of 2 tool calls was reached");
}

TEST(RunLimits, may_allow_no_tool_call_at_all) {
  wright::Run run = start(agent_with({.max_tool_calls = 0}), "Go");
  expect_accepts(run, ModelAnswered{calls({call("a", "{}", "a")}, "I would look")});
  EXPECT_EQ(run.phase, Phase::failed);
  EXPECT_EQ(limit_of(run), "tool_calls");
  EXPECT_EQ(best_answer(run), "I would look");
}

TEST(RunLimits, of_zero_are_refused_where_that_would_look_like_none) {
  const auto problem_with = [](const Limits& limits) {
    Agent agent = agent_with(limits);
    agent.model = testing::ScriptedModel({}).model();
    const auto checked = check(agent);
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(problem_with({}), "");
  EXPECT_EQ(problem_with({.max_tool_calls = 0, .max_repeats = {}}), "");
  EXPECT_EQ(problem_with({.max_tokens = 0}),
            "max_tokens must be above 0; leave it out for no limit");
  EXPECT_NE(problem_with({.max_cost_usd = 0}), "");
  EXPECT_NE(problem_with({.max_time = std::chrono::milliseconds(0)}), "");
  EXPECT_NE(problem_with({.max_repeats = -1}), "");
  EXPECT_NE(problem_with({.max_tool_calls = -1}), "");
  EXPECT_NE(problem_with({.max_iterations = 0}), "");

  Agent agent = agent_with({});
  agent.model = testing::ScriptedModel({}).model();
  agent.tools = {tool("t", "", [] {}, {.timeout = std::chrono::milliseconds(0)})};
  ASSERT_FALSE(check(agent));
  EXPECT_EQ(check(agent).error().message,
            "The timeout of t must be above 0; leave it out for no limit");
  agent.tools = {tool("t", "", [] {}, {.output_limit = 0})};
  EXPECT_FALSE(check(agent));
  agent.tools = {tool("t", "", [] {}, {.timeout = {}, .output_limit = {}})};
  EXPECT_TRUE(check(agent));
}

TEST(RunLimits, counts_tool_calls_anew_for_every_message) {
  wright::Run run = start(agent_with({.max_tool_calls = 1}), "Go");
  turn(run, "one");
  expect_accepts(run, ModelAnswered{says("Done")});
  expect_accepts(run, UserSaid{Message::user("Again")});
  turn(run, "two");
  EXPECT_EQ(run.phase, Phase::model);
  expect_accepts(run, ModelAnswered{calls({call("look")})});
  EXPECT_EQ(run.error.message, "The limit of 1 tool call was reached");
}

TEST(RunLimits, tells_the_model_that_it_repeats_itself_and_then_stops) {
  wright::Run run = start(agent_with({.max_iterations = 100, .max_repeats = 4}), "Go");
  turn(run, "same");
  EXPECT_EQ(std::get<ToolResult>(run.messages.back().parts[0]).content, "same");
  turn(run, "same");
  EXPECT_EQ(std::get<ToolResult>(run.messages.back().parts[0]).content, "same");
  EXPECT_EQ(std::get<ToolResult>(run.messages.back().parts[0]).notices,
            std::vector{notice(Notice::Kind::same_result)});
  turn(run, "different");
  turn(run, "same");
  EXPECT_EQ(run.phase, Phase::model);
  turn(run, "same");
  EXPECT_EQ(run.phase, Phase::failed);
  EXPECT_EQ(limit_of(run), "repeats");
}

TEST(RunLimits, lets_calls_repeat_where_that_is_allowed) {
  wright::Run run = start(agent_with({.max_iterations = 100, .max_repeats = {}}), "Go");
  for (int i = 0; i < 20; ++i) turn(run, "same");
  EXPECT_EQ(run.phase, Phase::model);
}

TEST(RunLimits, ends_by_a_limit_of_the_driver_with_every_call_answered) {
  wright::Run run = start(agent_with({}), "Go");
  expect_accepts(run, ModelAnswered{calls({call("a", "{}", "a")}, "Half an answer")});
  expect_accepts(run, LimitReached{Limit::time, "Too long"});
  EXPECT_EQ(run.phase, Phase::failed);
  EXPECT_EQ(run.error.code, ErrorCode::limit_reached);
  EXPECT_EQ(limit_of(run), "time");
  EXPECT_EQ(std::get<Failed>(next(Agent{}, run)).text, "Half an answer");
  EXPECT_FALSE(accept(run, LimitReached{Limit::time, "Again"}));
}

TEST(RunWaits, opens_a_call_again_with_what_it_waited_for) {
  wright::Run run = start(agent_with({}), "Go");
  expect_accepts(run, ModelAnswered{calls({call("ask", "{}", "a")})});
  EXPECT_FALSE(accept(run, WaitAnswered{"a", {}}));  // it does not wait
  expect_accepts(run, ToolWaits{"a", Waiting{.shown = Json("May I?")}});
  EXPECT_FALSE(accept(run, WaitAnswered{"b", {}}));
  expect_accepts(run, WaitAnswered{"a", {.approval = Approval{Decision::once, ""}}});
  ASSERT_EQ(run.phase, Phase::tools);
  // It may wait for something else then; both answers stay.
  expect_accepts(run, ToolWaits{"a", Waiting{.shown = Json("Which?")}});
  expect_accepts(run, WaitAnswered{"a", {.answer = Json("blue")}});
  const OpenCall& open = run.open_calls.at(0);
  EXPECT_EQ(open.answers.approval, (Approval{Decision::once, ""}));
  EXPECT_EQ(open.answers.answer, Json("blue"));
  expect_accepts(run, ToolFinished{{"a", "ask", "blue", false}});
  EXPECT_EQ(run.phase, Phase::model);
}

// Only what a store keeps.
wright::Run stored_part(const wright::Run& run) {
  wright::Run stored;
  stored.agent = run.agent;
  stored.limits = run.limits;
  stored.messages = run.messages;
  stored.open_calls = run.open_calls;
  stored.usage = run.usage;
  stored.iterations = run.iterations;
  return stored;
}

TEST(RestoredRun, is_the_same_at_every_step) {
  wright::Run run = start(agent_with({.max_iterations = 100, .max_repeats = 4}), "Go");
  const auto expect_same = [&] {
    const auto again = restored(stored_part(run));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, run);
  };
  expect_same();
  turn(run, "same");
  turn(run, "same");
  turn(run, "same");
  expect_same();
  expect_accepts(run, ModelAnswered{calls({call("a", "{}", "a"), call("b", "{}", "b")})});
  expect_same();
  expect_accepts(run, ToolWaits{"a", Waiting{.shown = Json("Well?")}});
  expect_same();
  expect_accepts(run, ToolFinished{{"b", "b", "B", false}});
  expect_same();
  ASSERT_EQ(run.phase, Phase::waiting);
  expect_accepts(run, WaitAnswered{"a", {.answer = Json(1)}});
  expect_same();
  expect_accepts(run, ToolFinished{{"a", "a", "A", false}});
  expect_accepts(run, ModelAnswered{says("Done")});
  expect_same();
  expect_accepts(run, UserSaid{Message::user("More")});
  expect_same();
}

TEST(RestoredRun, refuses_what_no_run_can_be) {
  EXPECT_FALSE(restored({}));
  wright::Run orphan = start(agent_with({}), "Go");
  orphan.messages.push_back(Message::tool({"x", "x", "from nowhere", false}));
  EXPECT_FALSE(restored(orphan));
  wright::Run unanswered = start(agent_with({}), "Go");
  ASSERT_TRUE(accept(unanswered, ModelAnswered{calls({call("a", "{}", "a")})}));
  unanswered.open_calls.clear();
  EXPECT_FALSE(restored(unanswered));
}

}  // namespace
}  // namespace wright
