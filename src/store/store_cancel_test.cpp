// What every store promises about wishes to cancel, what a runner hears of its sessions, and which
// sessions need a driver.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

using Ids = std::set<SessionId>;

class StoreCancelling : public StoreSuite {
 protected:
  SessionId driven_by(RunnerId runner, std::optional<SessionId> parent = {}) {
    NewSession session = session_named("driven");
    session.runner_id = runner;
    session.parent_session_id = parent;
    return value_of(store().create_session(session));
  }
  Ids needing_driver(SessionFilter filter = {}) {
    filter.needs_driver = true;
    Ids ids;
    for (const Session& session : value_of(store().list_sessions(filter))) ids.insert(session.id);
    return ids;
  }
  struct Asked {
    CallId call = 0;
    WaitId wait = 0;
  };
  Asked ask(SessionId session, std::optional<std::int64_t> expires_at = {}) {
    const CallId call = call_in(session, CallStatus::waiting);
    const BatchIds ids = value_of(store().apply_one(
        OpenWait{.session_id = session, .call_id = call, .expires_at = expires_at}));
    return {call, ids.waits.front()};
  }
  std::vector<WaitId> answered_for(RunnerId runner) {
    std::vector<WaitId> ids;
    for (const StoredWait& wait : value_of(store().get_news(runner)).answered) {
      ids.push_back(wait.id);
    }
    return ids;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, StoreCancelling, kEveryStore, name_of_kind);

TEST_P(StoreCancelling, a_wish_stays_until_the_session_has_ended) {
  const SessionId id = new_session();
  expect_ok(store().request_cancel(id, "Enough\xFF"));
  expect_ok(store().request_cancel(id, "Another reason"));
  EXPECT_EQ(value_of(store().get_session(id)).cancel_reason, "Enough\xEF\xBF\xBD");
  EXPECT_EQ(value_of(store().get_session(id)).status, SessionStatus::running);
  for (const SessionStatus status : {SessionStatus::waiting, SessionStatus::running}) {
    set_status(id, status);
    EXPECT_TRUE(value_of(store().get_session(id)).cancel_reason) << to_string(status);
  }
  for (const SessionStatus status :
       {SessionStatus::cancelled, SessionStatus::completed, SessionStatus::failed}) {
    set_status(id, status);
    EXPECT_EQ(value_of(store().get_session(id)).cancel_reason, std::nullopt) << to_string(status);
    const auto late = store().request_cancel(id, "Too late");
    EXPECT_EQ(code_of(late), ErrorCode::already_exists);
    EXPECT_EQ(*late.error().find("status"), Json(to_string(status)));
    set_status(id, SessionStatus::running);
    expect_ok(store().request_cancel(id, ""));
    EXPECT_EQ(value_of(store().get_session(id)).cancel_reason, "") << "a wish without a reason";
  }
  EXPECT_EQ(code_of(store().request_cancel(4711, "x")), ErrorCode::not_found);
}

TEST_P(StoreCancelling, a_wish_is_not_kept_when_its_batch_fails) {
  const SessionId id = new_session();
  const std::vector<Write> writes{RequestCancel{id, "x"}, UpdateCall{.call_id = 4711}};
  EXPECT_FALSE(store().apply(writes));
  EXPECT_EQ(value_of(store().get_session(id)).cancel_reason, std::nullopt);
}

TEST_P(StoreCancelling, whoever_holds_the_session_hears_of_the_wish_with_its_next_write) {
  const RunnerId runner = new_runner("host:1");
  const SessionId id = driven_by(runner);
  const SessionId other = driven_by(runner);
  const std::vector<Write> writes{HoldLease{id, runner, 1}, HoldLease{other, runner, 1},
                                  AppendMessage{id, Message::assistant("x")}};
  EXPECT_TRUE(value_of(store().apply(writes)).cancelled.empty());
  expect_ok(store().request_cancel(id, "Enough"));
  const std::vector<CancelWish> wish{{id, "Enough"}};
  EXPECT_EQ(value_of(store().apply(writes)).cancelled, wish);
  EXPECT_EQ(value_of(store().apply(writes)).cancelled, wish) << "and again until it heeds it";
  EXPECT_EQ(value_of(store().get_messages(id)).size(), 3U) << "it is told, not refused";
  EXPECT_EQ(value_of(store().apply_one(ClaimLease{id, runner, 1})).cancelled, wish);
  const std::vector<Write> last{
      HoldLease{id, runner, 2},
      UpdateSession{.session_id = id, .status = SessionStatus::cancelled}};
  EXPECT_TRUE(value_of(store().apply(last)).cancelled.empty()) << "it has ended by now";
}

TEST_P(StoreCancelling, a_session_whose_specialist_has_ended_needs_a_driver) {
  const SessionId root = value_of(store().create_session(session_named("above")));
  const CallId call = value_of(store().create_tool_call(
      root, std::nullopt, {.id = "1", .name = "expert", .arguments = "{}"}));
  value_of(store().apply_one(UpdateCall{.call_id = call, .status = CallStatus::waiting}));
  set_status(root, SessionStatus::waiting);
  NewSession below = session_named("expert");
  below.parent_session_id = root;
  below.parent_call_id = call;
  const SessionId child = value_of(store().create_session(below));
  set_status(child, SessionStatus::waiting);
  EXPECT_FALSE(needing_driver().contains(root));
  set_status(child, SessionStatus::completed);
  EXPECT_TRUE(needing_driver().contains(root));
  value_of(store().apply_one(UpdateCall{.call_id = call, .status = CallStatus::completed}));
  EXPECT_FALSE(needing_driver().contains(root));
}

TEST_P(StoreCancelling, a_runner_can_ask_what_happened_to_its_sessions) {
  const RunnerId one = new_runner("host:1");
  const RunnerId two = new_runner("host:2");
  const SessionId of_one = driven_by(one);
  const SessionId of_two = driven_by(two);
  const Asked asked = ask(of_one);
  const Asked other = ask(of_two);
  EXPECT_TRUE(value_of(store().get_news(one)).cancelled.empty());
  EXPECT_TRUE(value_of(store().get_news(one)).answered.empty());

  value_of(store().answer_wait(asked.wait, {Json("yes"), "ada"}));
  value_of(store().answer_wait(other.wait, {Json("no"), "bob"}));
  expect_ok(store().request_cancel(of_one, "Enough"));
  expect_ok(store().request_cancel(of_two, "Enough"));
  const RunnerNews news = value_of(store().get_news(one));
  EXPECT_EQ(news.cancelled, (std::vector<CancelWish>{{of_one, "Enough"}}));
  ASSERT_EQ(news.answered.size(), 1U);
  EXPECT_EQ(news.answered[0].id, asked.wait);
  EXPECT_EQ(news.answered[0].call_id, asked.call);
  EXPECT_EQ(news.answered[0].session_id, of_one);
  EXPECT_EQ(news.answered[0].answer, Json("yes"));
  EXPECT_EQ(news.answered[0].answered_by, "ada");

  value_of(store().apply_one(UpdateCall{.call_id = asked.call}));
  EXPECT_TRUE(value_of(store().get_news(one)).answered.empty()) << "its call waits no longer";
  set_status(of_one, SessionStatus::cancelled);
  EXPECT_TRUE(value_of(store().get_news(one)).cancelled.empty());
  EXPECT_EQ(answered_for(two), std::vector{other.wait});
  EXPECT_TRUE(value_of(store().get_news(4711)).cancelled.empty());
}

TEST_P(StoreCancelling, a_runner_hears_of_waiting_specialists_below_its_sessions) {
  const RunnerId runner = new_runner("host:1");
  const RunnerId stranger = new_runner("host:2");
  const SessionId root = driven_by(runner);
  const SessionId child = driven_by(runner, root);
  const SessionId grandchild = driven_by(runner, child);
  const Asked asked = ask(grandchild);
  set_status(grandchild, SessionStatus::waiting);
  set_status(child, SessionStatus::waiting);
  value_of(store().answer_wait(asked.wait, {true, "ada"}));
  expect_ok(store().request_cancel(child, "Not this one"));
  EXPECT_EQ(answered_for(runner), std::vector{asked.wait});
  EXPECT_EQ(value_of(store().get_news(runner)).cancelled,
            (std::vector<CancelWish>{{child, "Not this one"}}));
  EXPECT_TRUE(answered_for(stranger).empty());
  EXPECT_TRUE(needing_driver().empty()) << "the root has one";
  set_status(root, SessionStatus::waiting);
  EXPECT_TRUE(answered_for(runner).empty());
  EXPECT_EQ(needing_driver(), Ids{root});
}

TEST_P(StoreCancelling, only_the_last_wait_of_a_call_is_news) {
  const RunnerId runner = new_runner("host:1");
  const SessionId id = driven_by(runner);
  const Asked asked = ask(id);
  value_of(store().answer_wait(asked.wait, {true, "ada"}));
  const WaitId again =
      value_of(store().apply_one(OpenWait{.session_id = id, .call_id = asked.call})).waits.front();
  EXPECT_TRUE(answered_for(runner).empty()) << "it has been asked once more";
  value_of(store().answer_wait(again, {false, "ada"}));
  EXPECT_EQ(answered_for(runner), std::vector{again});
}

TEST_P(StoreCancelling, a_running_session_needs_a_driver_when_no_living_runner_has_its_root) {
  const RunnerId dead = new_runner("host:1", std::chrono::milliseconds(10));
  const RunnerId alive = new_runner("host:2");
  const SessionId of_dead = driven_by(dead);
  driven_by(dead, of_dead);
  driven_by(alive);
  const SessionId of_nobody = new_session();
  expect_ok(store().complete_session(new_session(), "done"));
  // Taken up again, and killed before the root was written.
  const SessionId waiting = driven_by(dead);
  const SessionId below = driven_by(dead, waiting);
  set_status(waiting, SessionStatus::waiting);
  // What its parent no longer waits for is nobody's business.
  const SessionId ended = driven_by(alive);
  driven_by(dead, ended);
  expect_ok(store().complete_session(ended, "done"));
  EXPECT_EQ(needing_driver(), Ids{of_nobody});
  now_ += 10;
  EXPECT_EQ(needing_driver(), (Ids{of_dead, of_nobody, waiting}));
  EXPECT_EQ(needing_driver({.agent_name = "driven"}), (Ids{of_dead, waiting}));
  EXPECT_EQ(needing_driver({.limit = 1}), Ids{waiting}) << "newest first";
  EXPECT_EQ(needing_driver({.before = waiting}), (Ids{of_dead, of_nobody}));
  set_status(below, SessionStatus::completed);
  EXPECT_EQ(needing_driver(), (Ids{of_dead, of_nobody}));
}

TEST_P(StoreCancelling, a_waiting_session_needs_a_driver_when_it_was_answered_or_time_is_over) {
  const RunnerId alive = new_runner("host:1");
  const SessionId root = new_session();
  const SessionId child = new_child(root);
  const SessionId overdue = new_session();
  const Asked asked = ask(child);
  const Asked due = ask(overdue, now_ + 100);
  ask(overdue);
  for (const SessionId id : {child, root, overdue}) set_status(id, SessionStatus::waiting);
  EXPECT_EQ(needing_driver(), Ids{});
  value_of(store().answer_wait(asked.wait, {true, "ada"}));
  EXPECT_EQ(needing_driver(), Ids{root});
  now_ += 100;
  EXPECT_EQ(needing_driver(), (Ids{root, overdue}));
  EXPECT_EQ(needing_driver({.status = SessionStatus::running}), Ids{});

  value_of(store().apply_one(ClaimLease{root, alive}));
  EXPECT_EQ(needing_driver(), Ids{overdue}) << "somebody is about to";
  value_of(store().apply_one(ReleaseLease{root, alive}));
  value_of(store().apply_one(UpdateCall{.call_id = asked.call}));
  const std::vector<Write> closing{CloseWaits{overdue, due.call, WaitStatus::expired},
                                   UpdateCall{.call_id = due.call, .status = CallStatus::failed}};
  value_of(store().apply(closing));
  EXPECT_EQ(needing_driver(), Ids{});
}

// Nobody is asked any more, whoever ends the session and whenever that is.
TEST_P(StoreCancelling, a_wish_ends_the_waits_of_the_session_and_of_all_below_it) {
  const SessionId root = new_session();
  const SessionId child = new_child(root);
  const SessionId grandchild = new_child(child);
  const SessionId other = new_session();
  const Asked answered = ask(child);
  value_of(store().answer_wait(answered.wait, {true, "ada"}));
  const std::vector<WaitId> open{ask(root).wait, ask(child).wait, ask(grandchild).wait};
  const WaitId of_other = ask(other).wait;
  for (const SessionId id : {grandchild, child, root}) set_status(id, SessionStatus::waiting);
  const std::vector<Write> failing{RequestCancel{root, "x"}, UpdateCall{.call_id = 4711}};
  EXPECT_FALSE(store().apply(failing));
  EXPECT_EQ(value_of(store().get_waits({.status = WaitStatus::open})).size(), 4U);
  expect_ok(store().request_cancel(root, "Enough"));
  for (const WaitId id : open) {
    EXPECT_EQ(value_of(store().get_waits({.id = id})).at(0).status, WaitStatus::cancelled);
    EXPECT_EQ(code_of(store().answer_wait(id, {true, "ada"})), ErrorCode::already_exists);
  }
  const auto left = value_of(store().get_waits({.status = WaitStatus::open}));
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left.front().id, of_other);
  EXPECT_EQ(value_of(store().get_waits({.id = answered.wait})).at(0).status, WaitStatus::answered);
  EXPECT_TRUE(needing_driver().contains(root));
}

TEST_P(StoreCancelling, a_session_that_is_to_be_cancelled_needs_a_driver) {
  const RunnerId alive = new_runner("host:1");
  const SessionId waiting = new_session();
  const SessionId child = new_child(waiting);
  set_status(child, SessionStatus::waiting);
  set_status(waiting, SessionStatus::waiting);
  NewSession later = session_named("later");
  later.is_queued = true;
  later.ready_at = now_ + 1000;
  const SessionId queued = value_of(store().create_session(later));
  const SessionId driven = driven_by(alive);
  for (const SessionId id : {child, queued, driven}) expect_ok(store().request_cancel(id, "x"));
  EXPECT_EQ(needing_driver(), (Ids{waiting, queued}));
  expect_ok(store().end_runner(alive));
  EXPECT_EQ(needing_driver(), (Ids{waiting, queued, driven}));
}

}  // namespace
}  // namespace wright::store
