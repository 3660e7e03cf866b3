// The time that a session works: what of it is stored, and when it is over.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "session/machine_testing.h"
#include "wright/model.h"

namespace wright::session {
namespace {

using testing::approval;
using testing::begin_call;
using testing::call;
using testing::find_write;
using testing::TreeByHand;
using testing::with_tools;
using wright::testing::calls;
using wright::testing::says;

TEST(SessionTime, counts_the_time_at_work_and_not_the_time_of_waiting) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  hand.pass(1'000);
  hand.let_wait(kRoot, run, approval());
  hand.write_all();
  hand.pass(3'600'000);  // somebody thinks it over
  hand.input(kRoot, Answered{"a", {.approval = Approval{Decision::once}}});
  hand.write_all();
  hand.pass(500);
  hand.end_call(kRoot, hand.take<RunCall>()->second, "done");
  hand.write_all();
  hand.answer_model(kRoot, says("Well"));
  hand.write_all();
  EXPECT_EQ(hand.store().get_session(hand.session())->worked_ms, 1'500);
}

std::optional<std::int64_t> stored_turn(TreeByHand& hand) {
  return hand.store().get_session(hand.session())->turn_worked_ms;
}

// What is stored is all that a process knows that resumes the session.
TEST(SessionTime, stores_the_time_of_calls_with_their_results) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  hand.pass(700);
  hand.end_call(kRoot, run, "done");
  hand.write_all();
  ASSERT_TRUE(hand.wants<AskModel>());
  EXPECT_EQ(stored_turn(hand), 700);
}

TEST(SessionTime, writes_nothing_more_for_the_time_of_fast_calls) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  hand.pass(2);
  hand.end_call(kRoot, run, "done");
  ASSERT_TRUE(hand.is_writing());
  EXPECT_EQ(find_write<UpdateSession>(hand.batch()), nullptr);
}

TEST(SessionTime, stores_the_time_at_work_when_it_is_suspended) {
  TreeByHand hand(with_tools({}));
  hand.begin();
  hand.write_all();
  ASSERT_TRUE(hand.take<AskModel>());
  hand.pass(60);
  hand.input(kRoot, Suspend{});
  hand.input(kRoot, ModelCame{fail(ErrorCode::cancelled, "Stopped"), 60});
  hand.write_all();
  ASSERT_TRUE(hand.take<Ended>());
  EXPECT_EQ(stored_turn(hand), 60);
}

// The timer of this kind that was set last.
std::optional<SetTimer> last_timer(TreeByHand& hand, TimerKind kind) {
  std::optional<SetTimer> last;
  while (const auto timer = hand.take<SetTimer>()) {
    if (timer->second.kind == kind) last = timer->second;
  }
  return last;
}

TEST(SessionTime, stores_the_time_of_a_limited_run_while_a_model_is_asked) {
  TreeByHand hand(with_tools({}, {.max_time = std::chrono::minutes(1)}));
  hand.begin();
  hand.write_all();
  for (std::int64_t passed = 0; passed < 30'000;) {
    const auto timer = last_timer(hand, TimerKind::count);
    ASSERT_TRUE(timer);
    ASSERT_LE(timer->after, std::chrono::seconds(10));
    hand.pass(timer->after.count());
    hand.input(kRoot, TimerFired{.kind = TimerKind::count});
    hand.write_all();
    EXPECT_EQ(stored_turn(hand), passed += timer->after.count());
  }
  EXPECT_FALSE(hand.wants<Ended>());
  hand.answer_model(kRoot, says("Well"));
  hand.write_all();
  EXPECT_EQ(hand.store().get_session(hand.session())->status, SessionStatus::completed);
}

// While a model is asked.
class AskedForTime : public ::testing::Test {
 protected:
  AskedForTime() {
    hand_.begin();
    hand_.write_all();
    EXPECT_TRUE(hand_.take<AskModel>());
  }
  void count_after(std::int64_t milliseconds) {
    hand_.pass(milliseconds);
    hand_.input(kRoot, TimerFired{.kind = TimerKind::count});
    EXPECT_TRUE(hand_.is_writing());
  }

  TreeByHand hand_{with_tools({}, {.max_time = std::chrono::minutes(1)})};
};

TEST_F(AskedForTime, goes_on_while_the_store_is_away) {
  for (const Error& refusal :
       {Error{ErrorCode::unavailable, "It is away"}, Error{ErrorCode::storage, "The disk is full"},
        // Nobody else has the session.
        Error{ErrorCode::unavailable, "It has not heard of us", {{"lease_epoch", 1}}}}) {
    count_after(1'000);
    hand_.refuse(refusal);
    EXPECT_FALSE(hand_.is_writing());
  }
  EXPECT_FALSE(hand_.wants<StopWork>());
  EXPECT_EQ(stored_turn(hand_), std::nullopt);
  count_after(1'000);
  hand_.write_all();
  EXPECT_EQ(stored_turn(hand_), 4'000);
  hand_.answer_model(kRoot, says("Well"));
  hand_.write_all();
  EXPECT_EQ(hand_.take<Ended>()->second.ending.kind, Ending::Kind::completed);
}

TEST_F(AskedForTime, stores_what_came_while_a_count_was_tried) {
  count_after(1'000);
  hand_.answer_model(kRoot, says("Well"));
  hand_.input(kRoot, TimerFired{.kind = TimerKind::count});
  hand_.refuse({ErrorCode::unavailable, "It is away"});
  hand_.write_all();
  EXPECT_EQ(hand_.take<Ended>()->second.ending.kind, Ending::Kind::completed);
  const auto session = hand_.store().get_session(hand_.session());
  EXPECT_EQ(session->status, SessionStatus::completed);
  EXPECT_EQ(session->result, "Well");
  EXPECT_EQ(session->turn_worked_ms, 1'000);
}

TEST_F(AskedForTime, counts_what_was_not_stored_when_it_is_suspended) {
  count_after(1'000);
  hand_.refuse({ErrorCode::unavailable, "It is away"});
  hand_.input(kRoot, Suspend{});
  hand_.input(kRoot, ModelCame{fail(ErrorCode::cancelled, "Stopped"), 1'000});
  hand_.write_all();
  EXPECT_EQ(hand_.take<Ended>()->second.ending.kind, Ending::Kind::suspended);
  EXPECT_EQ(stored_turn(hand_), 1'000);
}

TEST_F(AskedForTime, breaks_off_when_somebody_else_has_the_session) {
  count_after(1'000);
  hand_.refuse({ErrorCode::unavailable, "Another has it", {{"lease_epoch", 2}, {"runner_id", 7}}});
  EXPECT_TRUE(hand_.wants<StopWork>());
}

TEST_F(AskedForTime, breaks_off_when_somebody_else_has_had_the_session) {
  count_after(1'000);
  hand_.refuse({ErrorCode::unavailable, "It was driven on", {{"lease_epoch", 2}}});
  EXPECT_TRUE(hand_.wants<StopWork>());
}

TEST_F(AskedForTime, breaks_off_when_what_is_more_than_a_count_is_not_stored) {
  hand_.pass(1'000);
  hand_.answer_model(kRoot, says("Well"));
  hand_.input(kRoot, TimerFired{.kind = TimerKind::count});
  hand_.refuse({ErrorCode::unavailable, "It is away"});
  EXPECT_EQ(hand_.take<Ended>()->second.ending.kind, Ending::Kind::lost);
}

// It begins only once the store has said that the session is still held.
TEST(SessionTime, begins_no_call_when_nobody_knows_whose_the_session_is) {
  TreeByHand hand(with_tools({"act"}, {.max_time = std::chrono::minutes(1)}));
  const RunCall run = begin_call(hand);
  hand.pass(1'000);
  hand.input(kRoot, CallFenced{run.call->id, run.attempt});
  hand.refuse({ErrorCode::unavailable, "It is away"});
  EXPECT_FALSE(hand.wants<RunCall>());
  EXPECT_EQ(hand.take<Ended>()->second.ending.kind, Ending::Kind::lost);
}

// The time that the first one took counts for the second.
TEST(SessionTime, has_the_time_of_the_agent_that_it_was_handed_to) {
  const auto timer_after = [](Limits first, Limits second) {
    Agent agent = with_tools({}, first);
    Agent other = with_tools({}, second);
    other.name = "other";
    other.model = model_from("test", "m", [](const Request&, const ModelCall&) {
      return Result<Response>(says("Never asked"));
    });
    agent.tools.push_back(hand_off_to(std::move(other)));
    TreeByHand hand(agent);
    hand.begin();
    hand.write_all();
    EXPECT_TRUE(hand.take<AskModel>());
    hand.pass(400);
    hand.answer_model(kRoot, calls({call("a", "transfer_to_other")}));
    hand.write_all();
    const auto run = hand.take<RunCall>();
    hand.end_call(kRoot, run->second, "moved");
    const auto timer = last_timer(hand, TimerKind::deadline);
    hand.write_all();
    // One that was set for the first.
    hand.input(kRoot, TimerFired{.kind = TimerKind::deadline});
    EXPECT_FALSE(hand.wants<StopWork>());
    const auto again = last_timer(hand, TimerKind::deadline);
    EXPECT_EQ(again.has_value(), second.max_time.has_value());
    if (again) {
      EXPECT_EQ(again->after, timer->after);
      hand.pass(again->after.count());
      hand.input(kRoot, TimerFired{.kind = TimerKind::deadline});
    }
    EXPECT_EQ(hand.wants<StopWork>(), second.max_time.has_value());
    return timer ? std::optional(timer->after.count()) : std::nullopt;
  };
  const Limits none;
  const Limits some{.max_time = std::chrono::seconds(1)};
  EXPECT_EQ(timer_after(some, none), std::nullopt);
  EXPECT_EQ(timer_after(none, some), 600);
  EXPECT_EQ(timer_after({.max_time = std::chrono::minutes(1)}, some), 600);
}

TEST(SessionTime, keeps_a_wait_that_is_written_while_it_counts) {
  TreeByHand hand(with_tools({"act"}, {.max_time = std::chrono::minutes(1)}));
  const RunCall run = begin_call(hand);
  hand.pass(700);
  hand.let_wait(kRoot, run, approval());
  while (hand.is_writing()) {
    hand.input(kRoot, TimerFired{.kind = TimerKind::count});
    hand.write();
  }
  ASSERT_TRUE(hand.take<NowWaits>());
  hand.input(kRoot, TimerFired{.kind = TimerKind::count});
  EXPECT_FALSE(hand.is_writing());
  const auto session = hand.store().get_session(hand.session());
  EXPECT_EQ(session->status, SessionStatus::waiting);
  EXPECT_FALSE(session->runner_id);
  EXPECT_EQ(session->turn_worked_ms, 700);
}

TEST(SessionTime, gives_a_run_only_the_time_that_is_left) {
  TreeByHand hand(with_tools({"act"}, {.max_time = std::chrono::milliseconds(1'000)}));
  const RunCall run = begin_call(hand);
  hand.pass(700);
  hand.let_wait(kRoot, run, approval());
  hand.write_all();
  while (hand.take<SetTimer>()) {
  }
  hand.input(kRoot, Answered{"a", {.approval = Approval{Decision::once}}});
  const auto timer = hand.take<SetTimer>();
  ASSERT_TRUE(timer);
  EXPECT_EQ(timer->second.after, std::chrono::milliseconds(300));
}

}  // namespace
}  // namespace wright::session
