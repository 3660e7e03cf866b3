// The machine of a session, moment by moment: what is written before what is done, and what becomes
// of inputs that come while something is being written.
#include "session/session_machine.h"

#include <gtest/gtest.h>

#include "session/machine_testing.h"
#include "wright/agent.h"

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

// Of a call that has begun to act.
Waiting question_in_the_middle() {
  return {.kind = WaitKind::question, .shown = {{"tool", "act"}}, .state = {{"has_begun", true}}};
}

TEST(SessionMachine, does_nothing_before_it_is_written) {
  TreeByHand hand(with_tools({"act"}));
  hand.begin();
  ASSERT_TRUE(hand.is_writing());
  EXPECT_FALSE(hand.wants<AskModel>());
  hand.write();
  ASSERT_TRUE(hand.take<AskModel>());
  hand.answer_model(kRoot, calls({call("a", "act")}));
  ASSERT_TRUE(hand.is_writing());
  EXPECT_FALSE(hand.wants<RunCall>());
  hand.write();
  const auto run = hand.take<RunCall>();
  ASSERT_TRUE(run);
  hand.end_call(kRoot, run->second, "done");
  EXPECT_FALSE(hand.wants<AskModel>());
  hand.write();
  ASSERT_TRUE(hand.take<AskModel>());
  hand.answer_model(kRoot, says("Well"));
  EXPECT_FALSE(hand.wants<Ended>());
  hand.write();
  const auto ended = hand.take<Ended>();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->second.ending.text, "Well");
  EXPECT_EQ(hand.store().get_session(hand.session())->status, SessionStatus::completed);
}

TEST(SessionMachine, starts_nothing_when_the_lease_is_lost) {
  TreeByHand hand(with_tools({"act"}));
  hand.begin();
  hand.write_all();
  hand.answer_model(kRoot, calls({call("a", "act")}));
  hand.refuse({ErrorCode::unavailable, "Somebody else drives it"});
  EXPECT_FALSE(hand.wants<RunCall>());
  EXPECT_FALSE(hand.is_writing());  // not even that it has failed
  const auto ended = hand.take<Ended>();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->second.ending.kind, Ending::Kind::lost);
  EXPECT_EQ(hand.store().get_session(hand.session())->status, SessionStatus::running);
}

TEST(SessionMachine, names_the_call_whose_result_could_not_be_stored) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  hand.end_call(kRoot, run, "done");
  ASSERT_TRUE(hand.is_writing());
  hand.refuse({ErrorCode::storage, "The disk is full"});
  const auto ended = hand.take<Ended>();
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->second.ending.error.message.starts_with("The disk is full. What came of act"))
      << ended->second.ending.error.message;
}

TEST(SessionMachine, every_batch_holds_the_lease_with_its_epoch) {
  TreeByHand hand(with_tools({"act"}));
  hand.begin();
  hand.write_all();
  hand.answer_model(kRoot, calls({call("a", "act")}));
  const auto* held = find_write<HoldLease>(hand.batch());
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(held->runner_id, hand.runner());
  EXPECT_EQ(held->epoch, 1);
}

TEST(SessionMachine, asks_the_store_before_a_fenced_call_starts) {
  TreeByHand hand(with_tools({"act"}, {.max_tool_calls = 1}));
  const RunCall first = begin_call(hand);
  hand.input(kRoot, CallFenced{first.call->id, first.attempt});
  EXPECT_FALSE(hand.wants<RunCall>());
  ASSERT_TRUE(hand.is_writing());
  ASSERT_NE(find_write<HoldLease>(hand.batch()), nullptr);
  hand.write();
  const auto second = hand.take<RunCall>();
  ASSERT_TRUE(second);
  EXPECT_GT(second->second.attempt, first.attempt);
  // What comes of the first attempt does not count any more.
  hand.end_call(kRoot, first, "stale");
  EXPECT_FALSE(hand.is_writing());
  hand.end_call(kRoot, second->second, "fresh");
  hand.write_all();
  EXPECT_TRUE(hand.wants<AskModel>());
}

TEST(SessionMachine, keeps_a_cancellation_that_comes_while_it_begins_to_wait) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  hand.let_wait(kRoot, run, approval());
  ASSERT_TRUE(hand.is_writing());  // that it waits
  hand.input(kRoot, Cancel{"Enough"});
  hand.write_all();
  EXPECT_FALSE(hand.take<NowWaits>());
  const auto session = hand.store().get_session(hand.session());
  EXPECT_EQ(session->status, SessionStatus::cancelled);
  EXPECT_EQ(session->error, "Enough");
  EXPECT_EQ(hand.store().get_waits({})->front().status, WaitStatus::cancelled);
}

TEST(SessionMachine, keeps_an_answer_that_comes_while_it_begins_to_wait) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  hand.let_wait(kRoot, run, approval());
  hand.input(kRoot, Answered{"a", {.approval = Approval{Decision::once}}});
  hand.write_all();
  const auto again = hand.take<RunCall>();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->second.answers.approval, (Approval{Decision::once}));
  EXPECT_EQ(hand.store().get_session(hand.session())->status, SessionStatus::running);
}

TEST(SessionMachine, is_cancelled_while_it_rests) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  hand.let_wait(kRoot, run, approval());
  hand.write_all();
  ASSERT_TRUE(hand.take<NowWaits>());
  hand.input(kRoot, Cancel{"Enough"});
  hand.write_all();
  ASSERT_TRUE(hand.take<Ended>());
  EXPECT_EQ(hand.store().get_session(hand.session())->status, SessionStatus::cancelled);
}

// A record that says `cancelled` or `failed` says that nothing was done.
TEST(SessionMachine,
     what_a_call_that_had_begun_did_is_not_known_when_it_is_cancelled_while_it_waits) {
  for (const bool has_begun : {true, false}) {
    TreeByHand hand(with_tools({"act"}));
    const RunCall run = begin_call(hand);
    hand.let_wait(kRoot, run, has_begun ? question_in_the_middle() : approval());
    hand.write_all();
    ASSERT_TRUE(hand.take<NowWaits>());
    hand.input(kRoot, Cancel{"Enough"});
    hand.write_all();
    ASSERT_TRUE(hand.take<Ended>());
    EXPECT_EQ(hand.store().get_tool_calls(hand.session())->front().status,
              has_begun ? CallStatus::unknown : CallStatus::cancelled);
    EXPECT_EQ(hand.store().get_waits({})->front().status, WaitStatus::cancelled);
  }
}

TEST(SessionMachine, what_only_reads_is_cancelled_though_it_had_begun) {
  Agent agent = with_tools({"act"});
  agent.tools.front().spec.options.effect = Effect::read;
  TreeByHand hand(std::move(agent));
  const RunCall run = begin_call(hand);
  hand.let_wait(kRoot, run, question_in_the_middle());
  hand.write_all();
  hand.input(kRoot, Cancel{"Enough"});
  hand.write_all();
  EXPECT_EQ(hand.store().get_tool_calls(hand.session())->front().status, CallStatus::cancelled);
}

TEST(SessionMachine, a_call_that_had_begun_is_told_that_nobody_answers_and_says_what_came_of_it) {
  TreeByHand hand(with_tools({"act"}), People::nobody);
  const RunCall run = begin_call(hand);
  hand.let_wait(kRoot, run, question_in_the_middle());
  hand.write_all();
  const auto again = hand.take<RunCall>();
  ASSERT_TRUE(again);
  ASSERT_TRUE(again->second.answers.answer);
  EXPECT_EQ(again->second.answers.answer->at("completed"), Json(false));
  EXPECT_EQ(again->second.answers.state, question_in_the_middle().state);
  hand.end_call(kRoot, again->second, "paid, and nobody has confirmed it");
  hand.write_all();
  EXPECT_TRUE(hand.wants<AskModel>());
  const auto rows = hand.store().get_tool_calls(hand.session());
  EXPECT_EQ(rows->front().status, CallStatus::completed);
  EXPECT_EQ(rows->front().response, Json("paid, and nobody has confirmed it"));
  EXPECT_TRUE(hand.store().get_waits({})->empty());
}

TEST(SessionMachine, a_call_that_had_begun_and_asks_without_end_has_an_outcome_that_is_not_known) {
  TreeByHand hand(with_tools({"act"}), People::nobody);
  RunCall run = begin_call(hand);
  constexpr int kEnough = 1'000;
  for (int i = 0; i < kEnough && !hand.wants<AskModel>(); ++i) {
    hand.let_wait(kRoot, run, question_in_the_middle());
    hand.write_all();
    if (hand.wants<AskModel>()) break;
    auto again = hand.take<RunCall>();
    ASSERT_TRUE(again);
    run = std::move(again->second);
  }
  EXPECT_TRUE(hand.wants<AskModel>());
  EXPECT_EQ(hand.store().get_tool_calls(hand.session())->front().status, CallStatus::unknown);
}

TEST(SessionMachine, a_call_that_has_not_begun_fails_where_nobody_answers) {
  TreeByHand hand(with_tools({"act"}), People::nobody);
  const RunCall run = begin_call(hand);
  hand.let_wait(kRoot, run, approval());
  hand.write_all();
  EXPECT_FALSE(hand.wants<RunCall>());
  EXPECT_EQ(hand.store().get_tool_calls(hand.session())->front().status, CallStatus::failed);
}

TEST(SessionMachine, a_call_that_starts_after_a_rest_has_the_new_epoch) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  EXPECT_EQ(run.lease_epoch, 1);
  hand.let_wait(kRoot, run, approval());
  hand.write_all();
  ASSERT_TRUE(hand.take<NowWaits>());
  hand.input(kRoot, Answered{"a", {.approval = Approval{Decision::once}}});
  hand.write_all();
  const auto again = hand.take<RunCall>();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->second.lease_epoch, 2);
  EXPECT_EQ(hand.store().get_session(hand.session())->lease_epoch, 2);
}

TEST(SessionMachine, does_not_go_on_after_a_rest_when_somebody_else_has) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  hand.let_wait(kRoot, run, approval());
  hand.write_all();
  const auto other = hand.store().register_runner("other", std::chrono::hours(1));
  ASSERT_TRUE(hand.store().apply_one(ClaimLease{hand.session(), *other, {}}));
  hand.input(kRoot, Answered{"a", {.approval = Approval{Decision::once}}});
  hand.write_all();
  EXPECT_FALSE(hand.wants<RunCall>());
  const auto ended = hand.take<Ended>();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->second.ending.kind, Ending::Kind::lost);
}

TEST(SessionMachine, starts_no_call_that_was_planned_when_it_is_cancelled) {
  TreeByHand hand(with_tools({"act"}));
  hand.begin();
  hand.write_all();
  hand.answer_model(kRoot, calls({call("a", "act")}));
  hand.input(kRoot, Cancel{"Enough"});
  hand.write_all();
  EXPECT_FALSE(hand.wants<RunCall>());
  const auto rows = hand.store().get_tool_calls(hand.session());
  EXPECT_EQ(rows->front().status, CallStatus::cancelled);
  EXPECT_EQ(hand.store().get_session(hand.session())->status, SessionStatus::cancelled);
}

TEST(SessionMachine, hears_of_a_wish_to_cancel_with_its_next_write) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  ASSERT_TRUE(hand.store().request_cancel(hand.session(), "From afar"));
  hand.end_call(kRoot, run, "done");
  hand.write_all();
  EXPECT_FALSE(hand.wants<AskModel>());
  const auto session = hand.store().get_session(hand.session());
  EXPECT_EQ(session->status, SessionStatus::cancelled);
  EXPECT_EQ(session->error, "From afar");
}

TEST(SessionMachine, marks_calls_that_do_not_stop_as_unknown) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  hand.input(kRoot, Cancel{"Enough"});
  ASSERT_TRUE(hand.take<StopWork>());
  ASSERT_TRUE(hand.take<SetTimer>());
  hand.input(kRoot, TimerFired{.kind = TimerKind::grace});
  const auto given_up = hand.take<GiveUpCall>();
  ASSERT_TRUE(given_up);
  hand.input(kRoot, CallGivenUp{"a", run.attempt, true, 60});
  hand.write_all();
  EXPECT_EQ(hand.store().get_tool_calls(hand.session())->front().status, CallStatus::unknown);
  EXPECT_EQ(hand.store().get_session(hand.session())->status, SessionStatus::cancelled);
}

TEST(SessionMachine, releases_what_it_suspends) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  hand.input(kRoot, Suspend{});
  EXPECT_FALSE(hand.wants<Ended>());  // what a tool does cannot be undone
  hand.end_call(kRoot, run, "done");
  hand.write_all();
  const auto ended = hand.take<Ended>();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->second.ending.kind, Ending::Kind::suspended);
  const auto session = hand.store().get_session(hand.session());
  EXPECT_EQ(session->status, SessionStatus::running);
  EXPECT_FALSE(session->runner_id);
}

TEST(SessionMachine, does_not_wait_for_ever_for_tools_when_it_suspends) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  hand.input(kRoot, Suspend{});
  EXPECT_FALSE(hand.wants<StopWork>());
  hand.input(kRoot, TimerFired{.kind = TimerKind::grace});
  ASSERT_TRUE(hand.take<StopWork>());
  EXPECT_FALSE(hand.wants<GiveUpCall>());
  hand.input(kRoot, TimerFired{.kind = TimerKind::grace});
  ASSERT_TRUE(hand.take<GiveUpCall>());
  hand.input(kRoot, CallGivenUp{"a", run.attempt, true, 60});
  hand.write_all();
  EXPECT_EQ(hand.take<Ended>()->second.ending.kind, Ending::Kind::suspended);
  EXPECT_EQ(hand.store().get_tool_calls(hand.session())->front().status, CallStatus::unknown);
}

TEST(SessionMachine, asks_tools_to_stop_at_once_when_they_have_little_time_left) {
  TreeByHand hand(with_tools({"act"}));
  const RunCall run = begin_call(hand);
  hand.input(kRoot, Suspend{std::chrono::milliseconds(250)});
  ASSERT_TRUE(hand.take<StopWork>());
  const auto timer = hand.take<SetTimer>();
  ASSERT_TRUE(timer);
  EXPECT_EQ(timer->second.after, std::chrono::milliseconds(250));
  hand.input(kRoot, TimerFired{.kind = TimerKind::grace});
  ASSERT_TRUE(hand.take<GiveUpCall>());
  hand.input(kRoot, CallGivenUp{"a", run.attempt, true, 60});
  hand.write_all();
  EXPECT_EQ(hand.take<Ended>()->second.ending.kind, Ending::Kind::suspended);
}

TEST(SessionMachine, makes_a_model_read_nothing_that_suspending_did_to_a_call) {
  for (const Effect effect : {Effect::read, Effect::idempotent, Effect::write}) {
    Agent agent = with_tools({"act"});
    agent.tools.front().spec.options.effect = effect;
    TreeByHand hand(agent);
    const RunCall run = begin_call(hand);
    hand.input(kRoot, Suspend{});
    hand.input(kRoot, TimerFired{.kind = TimerKind::grace});
    ToolOutcome outcome{
        .result = {.call_id = "a", .name = "act", .content = "Stopped", .is_error = true},
        .error = Error{ErrorCode::cancelled, "Stopped", {}}};
    hand.input(kRoot, CallEnded{"a", run.attempt, std::move(outcome)});
    hand.write_all();
    EXPECT_EQ(hand.take<Ended>()->second.ending.kind, Ending::Kind::suspended);
    // What may be repeated is as after a crash; of the rest it is known how it ended.
    EXPECT_EQ(hand.store().get_tool_calls(hand.session())->front().status,
              effect == Effect::write ? CallStatus::failed : CallStatus::executing);
  }
}

}  // namespace
}  // namespace wright::session
