#include "wright/runtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/runtime_testing.h"

namespace wright {
namespace {

using testing::agent_with;
using testing::asking;
using testing::call;
using testing::calling;
using testing::open_runtime;
using testing::says;
using testing::value_of;

TEST(Runtime, answers_many_sessions_at_once) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with("echoing", calling({call("echo", "{}", "1")}),
                                {tool("echo", "", [] { return "echoed"; })});
  std::vector<SessionId> ids;
  for (int i = 0; i < 200; ++i) ids.push_back(value_of(runtime->start(agent, "Go")));
  for (const SessionId id : ids) {
    const Answer answer = value_of(runtime->wait(id));
    EXPECT_EQ(answer.text, "echoed;");
    EXPECT_EQ(store->get_session(id)->status, SessionStatus::completed);
  }
  EXPECT_EQ(runtime->running(), 0U);
}

TEST(Runtime, refuses_an_agent_that_cannot_run) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  EXPECT_FALSE(runtime->start(std::make_shared<const Agent>(), "Hi"));
  EXPECT_EQ(runtime->running(), 0U);
}

TEST(Runtime, runs_the_calls_of_a_turn_beside_each_other_and_keeps_their_order) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::barrier meeting(3);  // nobody passes before all three are there
  const Tool meet = tool("meet", "", [&](const Context& context) {
    meeting.arrive_and_wait();
    return std::string(context.call_id);
  });
  const auto agent = agent_with(
      "meeting",
      calling({call("meet", "{}", "a"), call("meet", "{}", "b"), call("meet", "{}", "c")}), {meet});
  EXPECT_EQ(value_of(runtime->wait(value_of(runtime->start(agent, "Go")))).text, "a;b;c;");
}

TEST(Runtime, runs_serial_calls_alone_and_in_order) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<int> inside = 0;
  std::string order;
  const auto enter = [&](const Context& context) {
    EXPECT_EQ(++inside, 1);
    order += std::string(context.call_id);
    std::this_thread::yield();
    --inside;
  };
  const auto agent = agent_with(
      "serial", calling({call("one", "{}", "a"), call("one", "{}", "b"), call("one", "{}", "c")}),
      {tool("one", "", enter, {.concurrency = Concurrency::serial})});
  ASSERT_TRUE(runtime->wait(value_of(runtime->start(agent, "Go"))));
  EXPECT_EQ(order, "abc");
}

TEST(Runtime, runs_one_exclusive_call_at_a_time_among_all_sessions) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<int> inside = 0;
  std::atomic<int> ran = 0;
  const auto enter = [&] {
    EXPECT_EQ(++inside, 1);
    ++ran;
    std::this_thread::yield();
    --inside;
  };
  const auto agent = agent_with("exclusive", calling({call("one", "{}", "a")}),
                                {tool("one", "", enter, {.concurrency = Concurrency::exclusive})});
  std::vector<SessionId> ids;
  for (int i = 0; i < 30; ++i) ids.push_back(value_of(runtime->start(agent, "Go")));
  for (const SessionId id : ids) EXPECT_TRUE(runtime->wait(id));
  EXPECT_EQ(ran, 30);
}

TEST(Runtime, refuses_a_session_that_another_one_drives) {
  const auto store = open_memory_store();
  const auto first = open_runtime(*store);
  const auto second = open_runtime(*store);
  std::latch begun(1);
  std::latch let_go(1);
  const auto agent = agent_with("busy", calling({call("busy", "{}", "1")}), {tool("busy", "", [&] {
                                  begun.count_down();
                                  let_go.wait();
                                })});
  const SessionId id = value_of(first->start(agent, "Go"));
  begun.wait();
  const auto refused = second->resume(id, agent);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable) << refused.error().message;
  EXPECT_FALSE(first->resume(id, agent));
  let_go.count_down();
  EXPECT_TRUE(first->wait(id));
}

TEST(Runtime, suspends_what_runs_when_it_ends_and_the_next_one_resumes_it) {
  const auto store = open_memory_store();
  std::atomic<int> asked = 0;
  std::latch begun(1);
  const auto agent =
      agent_with("slow",
                 model_from("test", "m",
                            [&](const Request&, const ModelCall& call) -> Result<Response> {
                              if (++asked > 1) return says("Done");
                              begun.count_down();
                              std::mutex mutex;
                              std::condition_variable_any stopped;
                              std::unique_lock lock(mutex);
                              stopped.wait(lock, call.stop, [] { return false; });
                              return fail(ErrorCode::cancelled, "stopped");
                            }),
                 {});
  SessionId id = 0;
  {
    const auto runtime = open_runtime(*store);
    id = value_of(runtime->start(agent, "Go"));
    begun.wait();
  }
  EXPECT_EQ(store->get_session(id)->status, SessionStatus::running);
  EXPECT_EQ(value_of(store->list_sessions({.is_abandoned = true})).size(), 1U);
  const auto later = value_of(
      Runtime::open({.store = store.get(),
                     .agents = [&](const Session&) -> Result<AgentPointer> { return agent; }}));
  EXPECT_EQ(value_of(later->resume_abandoned()), std::vector{id});
  EXPECT_EQ(value_of(later->wait(id)).text, "Done");
}

TEST(Runtime, takes_the_next_message_to_a_session) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with(
      "chat",
      model_from("test", "m",
                 [](const Request& request, const ModelCall&) {
                   return Result<Response>(says(std::to_string(request.messages.size())));
                 }),
      {});
  const SessionId id = value_of(runtime->start(agent, "One"));
  EXPECT_EQ(value_of(runtime->wait(id)).text, "1");
  ASSERT_TRUE(runtime->send(id, agent, "Two"));
  while (runtime->running() > 0) std::this_thread::yield();  // its answer is there before we ask
  EXPECT_EQ(value_of(runtime->wait(id)).text, "3");
  EXPECT_EQ(store->get_messages(id)->size(), 4U);
  EXPECT_FALSE(runtime->resume(id, agent));
}

TEST(Runtime, tells_its_events_in_order_and_again_to_those_who_come_late) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  const WaitId wait = value_of(runtime->wait(id)).waits.at(0).wait_id;
  std::mutex mutex;
  std::vector<std::string> types;
  std::vector<std::uint64_t> numbers;
  const auto listen = [&](const SessionEvent& event) {
    const std::lock_guard lock(mutex);
    types.push_back(event.type);
    numbers.push_back(event.sequence);
  };
  {
    const Subscription all = value_of(runtime->subscribe(id, 0, listen));
    EXPECT_EQ(types, (std::vector<std::string>{"session_started", "model_started", "model_ended",
                                               "tool_started", "tool_ended", "run_parked"}));
  }
  const std::uint64_t seen = numbers.at(3);
  types.clear();
  numbers.clear();
  const Subscription rest = value_of(runtime->subscribe(id, seen, listen));
  EXPECT_EQ(types, (std::vector<std::string>{"tool_ended", "run_parked"}));
  ASSERT_TRUE(runtime->answer(wait, Json("blue"), "Ada"));
  ASSERT_TRUE(runtime->wait(id));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(types.back(), "run_ended");
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
}

}  // namespace
}  // namespace wright
