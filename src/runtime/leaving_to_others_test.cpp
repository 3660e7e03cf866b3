// Sessions that one process may not drive, or not now: what is asked of it counts all the same.
#include <gtest/gtest.h>

#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "runtime/foreign_sessions.h"
#include "runtime/runtime_testing.h"
#include "wright/driver.h"

namespace wright {
namespace {

using testing::agent_with;
using testing::asking;
using testing::call;
using testing::calling;
using testing::open_runtime;
using testing::says;
using testing::value_of;

// A session of the queue that asks for a place, and waits for a person there.
class LeavingToOthers : public ::testing::Test {
 protected:
  LeavingToOthers() {
    id_ = value_of(store_->create_session(
        {.agent_name = "asking", .user_prompt = "Go", .is_queued = true, .labels = {"shop"}}));
    const auto shop = open({"shop"});
    EXPECT_EQ(value_of(shop->claim(1)), std::vector<SessionId>{id_});
    const RunResult waiting = value_of(shop->wait(id_));
    wait_ = waiting.waits.empty() ? 0 : waiting.waits.front().wait_id;
  }

  std::unique_ptr<Runtime> open(std::vector<std::string> labels) {
    return value_of(
        Runtime::open({.store = store_.get(),
                       .agents = [this](const Session&) -> Result<AgentPointer> { return agent_; },
                       .labels = std::move(labels)}));
  }
  SessionStatus status() { return value_of(store_->get_session(id_)).status; }
  void goes_on_in_the_shop() {
    const auto shop = open({"shop"});
    EXPECT_EQ(value_of(shop->resume_abandoned()), std::vector<SessionId>{id_});
    EXPECT_EQ(value_of(shop->wait(id_)).text, "blue;");
  }

  const std::unique_ptr<Store> store_ = open_memory_store();
  const AgentPointer agent_ = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  SessionId id_ = 0;
  WaitId wait_ = 0;
};

TEST_F(LeavingToOthers, takes_an_answer_where_the_place_is_not) {
  const auto door = open({});
  const auto answered = door->answer(wait_, Json("blue"), "Ada");
  ASSERT_TRUE(answered) << answered.error().message;
  EXPECT_EQ(door->running(), 0U);
  EXPECT_TRUE(value_of(door->resume_abandoned()).empty());
  EXPECT_EQ(status(), SessionStatus::waiting);
  goes_on_in_the_shop();
}

TEST_F(LeavingToOthers, takes_an_answer_where_the_agent_is_not) {
  const auto door = value_of(Runtime::open({.store = store_.get(),
                                            .agents = [](const Session&) -> Result<AgentPointer> {
                                              return fail(ErrorCode::not_found, "Not here");
                                            },
                                            .labels = {"shop"}}));
  const auto answered = door->answer(wait_, Json("blue"), "Ada");
  ASSERT_TRUE(answered) << answered.error().message;
  goes_on_in_the_shop();
}

TEST_F(LeavingToOthers, refuses_to_go_on_where_the_place_is_not) {
  const auto door = open({"office"});
  EXPECT_FALSE(door->may_drive(value_of(store_->get_session(id_))));
  const auto resumed = door->resume(agent_, id_);
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(resumed.error().message.contains("shop")) << resumed.error().message;
  EXPECT_EQ(value_of(store_->get_session(id_)).runner_id, std::nullopt);
}

TEST_F(LeavingToOthers, cancels_where_the_place_is_not) {
  const auto door = open({});
  ASSERT_TRUE(door->cancel(id_, "Enough"));
  EXPECT_EQ(status(), SessionStatus::cancelled);
}

// It may have ended while somebody spoke to it: then nobody would go on with it.
TEST_F(LeavingToOthers, puts_what_is_said_to_a_session_that_has_ended_into_the_queue) {
  const auto door = open({});
  ASSERT_TRUE(door->answer(wait_, Json("blue"), "Ada"));
  goes_on_in_the_shop();
  ASSERT_EQ(status(), SessionStatus::completed);
  ASSERT_TRUE(door->steer(agent_, id_, Message::user("One more thing")));
  EXPECT_EQ(status(), SessionStatus::queued);
  EXPECT_TRUE(value_of(untaken_messages(*store_, id_)).empty());
  EXPECT_EQ(value_of(store_->get_messages(id_)).back().message, Message::user("One more thing"));
}

TEST_F(LeavingToOthers, drives_no_more_than_it_may) {
  std::latch let_go(1);
  const auto slow =
      agent_with("slow",
                 model_from("test", "slow",
                            [&](const Request&, const ModelCall&) -> Result<Response> {
                              let_go.wait();
                              return says("Done");
                            }),
                 {});
  const auto runtime = value_of(
      Runtime::open({.store = store_.get(),
                     .agents = [this](const Session&) -> Result<AgentPointer> { return agent_; },
                     .labels = {"shop"},
                     .most_running = 1}));
  const SessionId first = value_of(runtime->start(slow, "Go"));
  const auto second = runtime->start(slow, "Go");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::rate_limited);
  ASSERT_TRUE(runtime->answer(wait_, Json("blue"), "Ada")) << "the answer stands";
  EXPECT_EQ(status(), SessionStatus::waiting);
  EXPECT_TRUE(value_of(runtime->resume_abandoned()).empty());
  EXPECT_TRUE(value_of(runtime->claim(1)).empty());
  let_go.count_down();
  EXPECT_TRUE(runtime->wait(first));
  while (runtime->running() > 0) std::this_thread::yield();
  EXPECT_EQ(value_of(runtime->resume_abandoned()), std::vector<SessionId>{id_});
  EXPECT_EQ(value_of(runtime->wait(id_)).text, "blue;");
  EXPECT_EQ(value_of(store_->list_sessions({})).size(), 2U) << "nothing is left of the second";
}

TEST_F(LeavingToOthers, drives_nothing_when_it_may_drive_none) {
  const auto door = value_of(
      Runtime::open({.store = store_.get(),
                     .agents = [this](const Session&) -> Result<AgentPointer> { return agent_; },
                     .labels = {"shop"},
                     .most_running = 0}));
  EXPECT_FALSE(door->may_drive(Session()));
  ASSERT_TRUE(door->answer(wait_, Json("blue"), "Ada"));
  EXPECT_TRUE(value_of(door->resume_abandoned()).empty());
  EXPECT_FALSE(door->start(agent_, "Go"));
  goes_on_in_the_shop();
}

Tool placed(std::string name, std::vector<std::string> labels) {
  return tool(std::move(name), "", [](const Context&) { return Json(1); },
              {.effect = Effect::read, .labels = std::move(labels)});
}

TEST(LabelsOfAgents, are_their_own_and_those_of_all_their_tools) {
  const Agent below{.name = "below", .labels = {"deep"}};
  const Agent agent{.name = "a",
                    .tools = {placed("x", {"gpu", "fast"}), placed("y", {"gpu"}),
                              delegate_to(below), hand_off_to(Agent{.labels = {"next"}})},
                    .labels = {"own"}};
  EXPECT_EQ(labels_for(agent, {"more", "own"}),
            (std::vector<std::string>{"deep", "fast", "gpu", "more", "next", "own"}));
  EXPECT_TRUE(labels_for(Agent{}).empty());
}

TEST(LabelsOfAgents, are_checked) {
  Agent agent = *agent_with("a", calling({}), {placed("x", {"a b"})});
  const auto refused = check(agent);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("'a b' is no label")) << refused.error().message;
}

TEST(ForeignSessions, that_cannot_be_read_are_left_alone_as_long_as_that_is_so) {
  using Reason = runtime::ForeignSessions::Reason;
  runtime::ForeignSessions foreign(std::chrono::milliseconds(-1));  // the time is over at once
  foreign.add(1, Reason::not_here);
  foreign.add(2, Reason::unreadable);
  foreign.add(3, Reason::unreadable);
  const auto second_only = [](SessionId id) { return id == 2; };
  EXPECT_EQ(foreign.all(second_only), std::vector<SessionId>{2});
  EXPECT_EQ(foreign.all(second_only), std::vector<SessionId>{2});
  EXPECT_TRUE(foreign.all([](SessionId) { return false; }).empty());
}

TEST(LabelsOfAgents, are_asked_for_by_their_sessions) {
  const auto store = open_memory_store();
  const AgentPointer agent = agent_with("a", calling({}), {placed("x", {"gpu"})});
  const auto nowhere = value_of(Runtime::open({.store = store.get(), .labels = {"office"}}));
  const auto refused = nowhere->start(agent, "Go");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(refused.error().message.contains("asks for gpu")) << refused.error().message;
  EXPECT_TRUE(value_of(store->list_sessions({})).empty());

  const auto here = value_of(Runtime::open({.store = store.get(), .labels = {"gpu", "office"}}));
  const SessionId started = value_of(here->start(agent, "Go"));
  value_of(here->wait(started));
  EXPECT_EQ(value_of(store->get_session(started)).labels, std::vector<std::string>{"gpu"});
  const RunResult ran = value_of(run(*store, *agent, "Go"));
  EXPECT_EQ(value_of(store->get_session(ran.session_id)).labels, std::vector<std::string>{"gpu"});
}

}  // namespace
}  // namespace wright
