// A clock that jumps: a runner that lives goes on when nobody has taken its session, and is shut
// out when somebody has.
#include <gtest/gtest.h>

#include <atomic>

#include "faults/evidence.h"
#include "store/store_testing.h"
#include "wright/testing.h"

namespace wright::faults {
namespace {

using wright::testing::call;
using wright::testing::calls;
using wright::testing::says;

constexpr std::int64_t kHour = 3'600'000;

class JumpingClock : public ::testing::Test {
 protected:
  // Calls `jump`, which moves the clock by `by` and then does `meanwhile`, twice.
  AgentPointer jumping(std::int64_t by, std::function<void()> meanwhile = {}) {
    const Tool jump = tool("jump", "",
                           [this, by, meanwhile] {
                             now_ += by;
                             ++jumps_;
                             if (meanwhile) meanwhile();
                             return std::to_string(jumps_);
                           },
                           {.effect = Effect::write});
    return std::make_shared<const Agent>(
        Agent{.name = "jumping",
              .model = model_from("test", "m",
                                  [](const Request& request, const ModelCall&) -> Result<Response> {
                                    if (request.messages.size() == 1)
                                      return calls({call("jump", "{}", "1")});
                                    if (request.messages.size() == 3)
                                      return calls({call("jump", "{}", "2")});
                                    return says("Done");
                                  }),
              .tools = {jump}});
  }

  std::atomic<std::int64_t> now_ = 1'700'000'000'000;
  std::atomic<int> jumps_ = 0;
  const std::unique_ptr<Store> store_ = open_memory_store([this] { return now_.load(); });
};

TEST_F(JumpingClock, forward_does_not_end_a_session_that_nobody_else_wants) {
  const auto answer = run(*store_, *jumping(kHour), "Go");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "Done");
  EXPECT_EQ(jumps_, 2);
}

TEST_F(JumpingClock, forward_does_not_keep_a_runtime_from_working) {
  const auto runtime = store::value_of(Runtime::open({.store = store_.get()}));
  now_ += kHour;
  const SessionId id = store::value_of(runtime->start(jumping(kHour), "Go"));
  now_ += kHour;
  EXPECT_EQ(store::value_of(runtime->wait(id)).text, "Done");
  now_ += kHour;
  EXPECT_TRUE(runtime->send(jumping(kHour), id, "More"));
}

TEST_F(JumpingClock, backward_breaks_nothing) {
  const auto answer = run(*store_, *jumping(-kHour), "Go");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "Done");
  const auto messages = store::value_of(store_->get_messages(answer->session_id));
  EXPECT_EQ(messages.size(), 6U);
  std::vector<Message> transcript;
  for (const StoredMessage& stored : messages) transcript.push_back(stored.message);
  EXPECT_EQ(flaw_of(transcript), "");
}

TEST_F(JumpingClock, forward_lets_another_runner_take_the_session_and_shuts_the_first_one_out) {
  std::optional<Result<RunResult>> second;
  const AgentPointer other = jumping(0);
  const AgentPointer first_agent = jumping(kHour, [&] {
    if (!second) second = resume(*store_, *other, 1);
  });
  const auto first = run(*store_, *first_agent, "Go");
  ASSERT_TRUE(second && *second) << (second ? second->error().message : "");
  EXPECT_EQ((*second)->text, "Done");
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, ErrorCode::unavailable) << first.error().message;
  // The first jump was under way when the second runner came, and only the second one ran again.
  EXPECT_EQ(jumps_, 2);
  const auto rows = store::value_of(store_->get_tool_calls(1));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].status, CallStatus::unknown);
  EXPECT_EQ(rows[1].status, CallStatus::completed);
  EXPECT_EQ(store::value_of(store_->get_session(1)).status, SessionStatus::completed);
  EXPECT_EQ(store::value_of(store_->get_messages(1)).size(), 6U);
}

}  // namespace
}  // namespace wright::faults
