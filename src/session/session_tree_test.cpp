// A session and the specialists below it: who may end, wait or go away before whom.
#include "session/session_tree.h"

#include <gtest/gtest.h>

#include "session/tree_testing.h"
#include "wright/agent.h"

namespace wright::session {
namespace {

using testing::TreeByHand;
using wright::testing::calls;
using wright::testing::says;

Agent named(std::string name) {
  return {.name = std::move(name), .model = wright::testing::ScriptedModel({says("Hm")}).model()};
}

// Each asks the next one; the last has a tool that asks a person.
Agent chain_of(std::vector<std::string> names) {
  Agent agent = named(names.back());
  agent.tools.push_back(tool("ask", "", [] { return "ok"; }));
  names.pop_back();
  while (!names.empty()) {
    Agent above = named(names.back());
    above.tools.push_back(delegate_to(std::move(agent)));
    agent = std::move(above);
    names.pop_back();
  }
  return agent;
}

// The model of this node asks the specialist; up to the batch in which the session waits for it.
void delegate_from(TreeByHand& hand, NodeId node, const std::string& specialist) {
  hand.answer_model(node,
                    calls({{.id = "a", .name = specialist, .arguments = R"({"message":"?"})"}}));
  hand.write_all();
  const auto run = hand.take<RunCall>();
  ASSERT_TRUE(run);
  ToolOutcome outcome{.result = {.call_id = "a", .name = specialist}, .delegate = Delegate{"?"}};
  hand.input(node, CallEnded{"a", run->second.attempt, std::move(outcome)});
}

// Up to the moment in which the model of the specialist is asked; its node.
NodeId begin_below(TreeByHand& hand, NodeId node, const std::string& specialist) {
  delegate_from(hand, node, specialist);
  hand.write_all();
  const auto asked = hand.take<AskModel>();
  EXPECT_TRUE(asked);
  return asked ? asked->first : kRoot;
}

void begin_root(TreeByHand& hand) {
  hand.begin();
  hand.write_all();
  ASSERT_TRUE(hand.take<AskModel>());
}

TEST(SessionTree, a_specialist_begins_only_under_the_lease_of_the_session_above) {
  TreeByHand hand(chain_of({"worker", "expert"}));
  begin_root(hand);
  delegate_from(hand, kRoot, "expert");
  hand.write();  // the session above waits for it
  ASSERT_TRUE(hand.is_writing());
  ASSERT_TRUE(hand.batch().create);
  const HoldLease* held = nullptr;
  for (const Write& write : hand.batch().writes) {
    if (held == nullptr) held = std::get_if<HoldLease>(&write);
  }
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(held->session_id, hand.session());
  EXPECT_EQ(held->epoch, 1);
  // Somebody has taken the session above meanwhile.
  ASSERT_TRUE(hand.store().end_runner(hand.runner()));
  hand.write();
  EXPECT_FALSE(hand.wants<AskModel>());
  EXPECT_EQ(hand.store().list_sessions({})->size(), 1U);
}

TEST(SessionTree, a_session_cannot_be_cancelled_above_one_that_was_lost) {
  TreeByHand hand(chain_of({"worker", "expert"}));
  begin_root(hand);
  const NodeId expert = begin_below(hand, kRoot, "expert");
  const SessionId below = hand.session(expert);
  hand.answer_model(expert, says("Well"));
  ASSERT_TRUE(hand.is_writing());
  hand.refuse({ErrorCode::storage, "The disk is full"});
  hand.input(kRoot, Cancel{"Enough"});
  hand.write_all();
  const auto root = hand.store().get_session(hand.session());
  EXPECT_EQ(root->status, SessionStatus::running);
  EXPECT_FALSE(root->runner_id);
  EXPECT_EQ(hand.store().get_session(below)->status, SessionStatus::running);
}

TEST(SessionTree, a_session_does_not_wait_for_a_specialist_that_was_not_begun) {
  TreeByHand hand(chain_of({"worker", "expert"}));
  begin_root(hand);
  delegate_from(hand, kRoot, "expert");
  hand.input(kRoot, Suspend{});  // while it is written that the call is delegated
  hand.write_all();
  const auto root = hand.store().get_session(hand.session());
  EXPECT_EQ(root->status, SessionStatus::running);
  EXPECT_FALSE(root->runner_id);
  EXPECT_EQ(hand.store().list_sessions({.needs_driver = true})->size(), 1U);
}

TEST(SessionTree, one_that_waits_below_a_lost_one_is_not_driven_any_more) {
  TreeByHand hand(chain_of({"worker", "expert", "helper"}));
  begin_root(hand);
  const NodeId expert = begin_below(hand, kRoot, "expert");
  const NodeId helper = begin_below(hand, expert, "helper");
  hand.answer_model(helper, calls({{.id = "q", .name = "ask", .arguments = "{}"}}));
  hand.write_all();
  const auto run = hand.take<RunCall>();
  ASSERT_TRUE(run);
  hand.let_wait(helper, run->second, {.kind = WaitKind::question, .shown = {{"text", "Which?"}}});
  // The helper waits; the expert cannot write so.
  hand.write();
  while (hand.is_writing()) hand.refuse({ErrorCode::storage, "The disk is full"});
  hand.input(kRoot, TimerFired{.kind = TimerKind::grace});  // the ended ones are forgotten here
  hand.input(helper, Answered{"q", {.answer = Json(JsonObject())}});
  EXPECT_FALSE(hand.wants<RunCall>());
  EXPECT_FALSE(hand.is_writing());
}

// Whoever drives it must not take the end of the root for the end of all.
TEST(SessionTree, is_not_at_rest_while_one_works_that_was_woken_as_the_session_above_ended) {
  Agent agent = chain_of({"worker", "expert"});
  agent.tools.push_back(delegate_to(named("other")));
  TreeByHand hand(std::move(agent));
  begin_root(hand);
  const std::string message = R"({"message":"?"})";
  hand.answer_model(kRoot, calls({{.id = "e", .name = "expert", .arguments = message},
                                  {.id = "o", .name = "other", .arguments = message}}));
  hand.write_all();
  const auto first = hand.take<RunCall>();
  const auto second = hand.take<RunCall>();
  ASSERT_TRUE(first && second);
  const auto begin_specialist = [&](const RunCall& run) {
    ToolOutcome outcome{.result = {.call_id = run.call->id, .name = run.call->name},
                        .delegate = Delegate{"?"}};
    hand.input(kRoot, CallEnded{run.call->id, run.attempt, std::move(outcome)});
    hand.write_all();
    return hand.take<AskModel>().value().first;
  };
  const NodeId expert = begin_specialist(first->second);
  const NodeId other = begin_specialist(second->second);
  hand.answer_model(expert, calls({{.id = "q", .name = "ask", .arguments = "{}"}}));
  hand.write_all();
  hand.let_wait(expert, hand.take<RunCall>().value().second,
                {.kind = WaitKind::question, .shown = {{"text", "Which?"}}});
  hand.write_all();

  hand.answer_model(other, says("Well"));
  hand.refuse({ErrorCode::storage, "The disk is full"});
  ASSERT_TRUE(hand.is_writing());  // that the root is suspended, since one below it was lost
  const auto wait = hand.store().get_waits({})->front();
  const Json answer(JsonObject{{"text", "This"}});
  ASSERT_TRUE(hand.store().answer_wait(wait.id, {.answer = answer, .answered_by = "me"}));
  hand.input(expert, Answered{"q", {.answer = answer}});
  hand.write_first(expert);
  hand.write_all();
  ASSERT_TRUE(hand.tree().at(kRoot).has_ended());
  EXPECT_FALSE(hand.tree().is_at_rest());
  const auto again = hand.take<RunCall>();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->first, expert);

  hand.end_call(expert, again->second, "This one");
  hand.write_all();
  EXPECT_TRUE(hand.tree().is_at_rest());
  const auto below = hand.store().get_session(wait.session_id);
  EXPECT_EQ(below->status, SessionStatus::running);
  EXPECT_FALSE(below->runner_id);
}

}  // namespace
}  // namespace wright::session
