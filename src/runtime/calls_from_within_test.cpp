// The runtime is asked by what it runs itself: observers, listeners and tools. One thread of each
// kind has to do for all of it.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>

#include "runtime/runtime_testing.h"

namespace wright {
namespace {

using namespace testing;

AgentPointer answering(std::string text) {
  Model model = model_from(
      "test", "answering",
      [text](const Request&, const ModelCall&) -> Result<Response> { return says(text); });
  return agent_with("answering", std::move(model), {});
}

struct OneThread {
  std::unique_ptr<Store> store = open_memory_store();
  std::unique_ptr<Runtime> runtime = {};

  explicit OneThread(Observer observer = {}) {
    runtime = value_of(Runtime::open({.store = store.get(),
                                      .workers = 1,
                                      .tool_threads = 1,
                                      .grace = std::chrono::milliseconds(50),
                                      .observer = std::move(observer)}));
  }
};

TEST(CallsFromWithin, an_observer_starts_sessions) {
  Runtime* runtime = nullptr;
  std::promise<SessionId> started;
  std::atomic<bool> is_first = true;
  OneThread one([&](const Event& event, const EventOrigin&) {
    if (!std::holds_alternative<RunEnded>(event) || !is_first.exchange(false)) return;
    started.set_value(value_of(runtime->start(answering("second"), "Go")));
  });
  runtime = one.runtime.get();
  const SessionId first = value_of(runtime->start(answering("first"), "Go"));
  const SessionId second = started.get_future().get();
  EXPECT_EQ(value_of(runtime->wait(first)).text, "first");
  EXPECT_EQ(value_of(runtime->wait(second)).text, "second");
}

TEST(CallsFromWithin, an_observer_answers_and_sends) {
  Runtime* runtime = nullptr;
  const auto asks = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  SessionId waiting = 0;
  WaitId wait = 0;
  SessionId resting = 0;
  std::atomic<bool> is_to_act = false;
  OneThread one([&](const Event& event, const EventOrigin&) {
    if (!std::holds_alternative<RunEnded>(event) || !is_to_act.exchange(false)) return;
    EXPECT_TRUE(runtime->answer(wait, Json("yes"), "observer"));
    EXPECT_TRUE(runtime->send(answering("again"), resting, "And now?"));
  });
  runtime = one.runtime.get();
  waiting = value_of(runtime->start(asks, "Go"));
  const auto asked = value_of(runtime->wait(waiting));
  ASSERT_EQ(asked.waits.size(), 1U);
  wait = asked.waits.front().wait_id;
  resting = value_of(runtime->start(answering("once"), "Go"));
  EXPECT_EQ(value_of(runtime->wait(resting)).text, "once");
  is_to_act = true;
  EXPECT_EQ(value_of(runtime->wait(value_of(runtime->start(answering("third"), "Go")))).text,
            "third");
  EXPECT_EQ(value_of(runtime->wait(waiting)).text, "yes;");
  EXPECT_EQ(value_of(runtime->wait(resting)).text, "again");
}

TEST(CallsFromWithin, an_observer_that_waits_is_told_that_it_cannot) {
  Runtime* runtime = nullptr;
  std::promise<Error> refused;
  std::atomic<bool> is_first = true;
  OneThread one([&](const Event&, const EventOrigin& origin) {
    if (!is_first.exchange(false)) return;
    const auto waited = runtime->wait(origin.session_id);
    refused.set_value(waited ? Error{} : waited.error());
  });
  runtime = one.runtime.get();
  const SessionId id = value_of(runtime->start(answering("done"), "Go"));
  const Error error = refused.get_future().get();
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_NE(error.message.find("wait in another thread"), std::string::npos) << error.message;
  EXPECT_EQ(value_of(runtime->wait(id)).text, "done");
}

TEST(CallsFromWithin, a_listener_starts_a_session_and_waits_for_it) {
  OneThread one;
  std::promise<std::string> answer;
  const SessionId first = value_of(one.runtime->start(answering("first"), "Go"));
  std::atomic<bool> is_first = true;
  const auto subscription =
      value_of(one.runtime->subscribe(first, 0, [&](const SessionEvent&) {
        if (!is_first.exchange(false)) return;
        const SessionId second = value_of(one.runtime->start(answering("second"), "Go"));
        answer.set_value(value_of(one.runtime->wait(second)).text);
      }));
  EXPECT_EQ(answer.get_future().get(), "second");
}

// Each waits in the thread that the tool of the next one needs.
TEST(CallsFromWithin, tools_start_sessions_and_wait_for_them_many_deep) {
  OneThread one;
  AgentPointer nesting;
  std::atomic<int> depth = 0;
  const Tool descend = tool("descend", "Goes one down", [&]() -> Result<std::string> {
    if (++depth == 12) return "the ground";
    const SessionId below = value_of(one.runtime->start(nesting, "Go on"));
    const auto result = one.runtime->wait(below);
    if (!result) return std::unexpected(result.error());
    return result->text;
  });
  nesting = agent_with("nesting", calling({call("descend", "{}", "1")}), {descend});
  const auto result = one.runtime->wait(value_of(one.runtime->start(nesting, "Go")));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_NE(result->text.find("the ground"), std::string::npos);
  EXPECT_EQ(depth, 12);
}

}  // namespace
}  // namespace wright
