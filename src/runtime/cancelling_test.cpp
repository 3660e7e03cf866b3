#include <gtest/gtest.h>

#include <latch>

#include "runtime/runtime_testing.h"
#include "wright/agent.h"

namespace wright {
namespace {

using testing::agent_with;
using testing::call;
using testing::calling;
using testing::calls;
using testing::lasting;
using testing::open_runtime;
using testing::value_of;

TEST(Cancelling, cancels_a_session_with_its_tools_and_specialists) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::latch begun(1);
  const Agent below{.name = "below",
                    .model = calling({call("forever", "{}", "1")}),
                    .tools = {lasting([&] { begun.count_down(); })}};
  const auto above = agent_with("above", calling({call("below", R"({"message":"Go"})", "1")}),
                                {delegate_to(below)});
  const SessionId id = value_of(runtime->start(above, "Go"));
  begun.wait();
  ASSERT_TRUE(runtime->cancel(id, "Enough"));
  const auto answer = runtime->wait(id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::cancelled);
  EXPECT_EQ(answer.error().message, "Enough");
  for (const Session& session : value_of(store->list_sessions({}))) {
    EXPECT_EQ(session.status, SessionStatus::cancelled) << session.agent_name;
  }
}

TEST(Cancelling, is_undone_only_by_who_wants_to_reopen_the_session) {
  const auto store = open_memory_store();
  std::stop_source stop;
  stop.request_stop();
  const Agent agent{.name = "a", .model = calling({})};
  ASSERT_FALSE(run(*store, agent, "Go", {.stop = stop.get_token()}));
  ASSERT_EQ(value_of(store->get_session(1)).status, SessionStatus::cancelled);
  const auto refused = resume(*store, agent, 1, {.reopens = false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(value_of(store->get_session(1)).status, SessionStatus::cancelled);
  EXPECT_TRUE(resume(*store, agent, 1));
  EXPECT_EQ(value_of(store->get_session(1)).status, SessionStatus::completed);
}

TEST(Cancelling, gives_up_a_tool_that_does_not_heed_a_cancellation) {
  const auto store = open_memory_store();
  // Owned by the tool, too: nobody waits for one that was given up.
  const auto begun = std::make_shared<std::latch>(1);
  const auto let_go = std::make_shared<std::latch>(1);
  const auto has_ended = std::make_shared<std::latch>(1);
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with("deaf", calling({call("deaf", "{}", "1")}), {tool("deaf", "", [=] {
                                  begun->count_down();
                                  let_go->wait();
                                  has_ended->count_down();
                                })});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  begun->wait();
  ASSERT_TRUE(runtime->cancel(id));
  EXPECT_FALSE(runtime->wait(id));
  EXPECT_EQ(store->get_tool_calls(id)->front().status, CallStatus::unknown);
  EXPECT_EQ(store->get_session(id)->status, SessionStatus::cancelled);
  let_go->count_down();
  has_ended->wait();
}

TEST(Cancelling, ends_the_calls_of_an_answer_that_came_after_the_cancellation) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::latch asked(1);
  std::latch let_go(1);
  const auto agent =
      agent_with("late",
                 model_from("test", "m",
                            [&](const Request&, const ModelCall&) {
                              asked.count_down();
                              let_go.wait();
                              return Result<Response>(calls({call("never", "{}", "1")}));
                            }),
                 {tool("never", "", [] { ADD_FAILURE() << "it ran"; })});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  asked.wait();
  ASSERT_TRUE(runtime->cancel(id, "Enough"));
  let_go.count_down();
  const auto answer = runtime->wait(id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::cancelled) << answer.error().message;
  const StoredCall row = value_of(store->get_tool_calls(id)).at(0);
  EXPECT_EQ(row.status, CallStatus::cancelled);
  EXPECT_EQ(row.error_details, "Cancelled: Enough");
}

}  // namespace
}  // namespace wright
