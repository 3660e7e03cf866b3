// What every store promises about runners and the sessions they drive.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <barrier>
#include <chrono>
#include <limits>
#include <set>
#include <thread>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

using std::chrono::milliseconds;

class StoreLeases : public StoreSuite {
 protected:
  RunnerId new_runner(std::string name, milliseconds time = milliseconds(100)) {
    return StoreSuite::new_runner(std::move(name), time);
  }
  int take(SessionId session, RunnerId runner) {
    const BatchIds ids = value_of(apply_one(store(), ClaimLease{session, runner}));
    EXPECT_EQ(ids.epochs.size(), 1U);
    return ids.epochs.empty() ? -1 : ids.epochs.front();
  }
  Result<BatchIds> hold(SessionId session, RunnerId runner) {
    return apply_one(store(), HoldLease{session, runner});
  }
};
INSTANTIATE_TEST_SUITE_P(Every, StoreLeases, kEveryStore, name_of_kind);

TEST_P(StoreLeases, registers_renews_and_ends_runners) {
  const RunnerId one = new_runner("host:1");
  const RunnerId two = new_runner("host:\xFF", milliseconds(7));
  auto runners = value_of(store().get_runners());
  ASSERT_EQ(runners.size(), 2U);
  EXPECT_EQ(runners[0].id, one);
  EXPECT_EQ(runners[0].name, "host:1");
  EXPECT_EQ(runners[0].expires_at, now_ + 100);
  EXPECT_EQ(runners[1].name, "host:\xEF\xBF\xBD");
  EXPECT_EQ(runners[1].expires_at, now_ + 7);
  now_ += 1000;
  expect_ok(store().renew_runner(one, milliseconds(50)));
  EXPECT_EQ(value_of(store().get_runners())[0].expires_at, now_ + 50);
  expect_ok(store().end_runner(two));
  expect_ok(store().end_runner(two));
  EXPECT_EQ(value_of(store().get_runners()).size(), 1U);
  EXPECT_EQ(code_of(store().renew_runner(two, milliseconds(50))), ErrorCode::not_found);
  EXPECT_GT(new_runner("host:3"), two) << "the id of a runner that ended is never given out again";
}

TEST_P(StoreLeases, bear_any_length_of_time) {
  const RunnerId runner = new_runner("eternal", milliseconds::max());
  EXPECT_EQ(value_of(store().get_runners())[0].expires_at,
            std::numeric_limits<std::int64_t>::max());
  const SessionId session = new_session();
  EXPECT_EQ(take(session, runner), 1);
  expect_ok(store().renew_runner(runner, milliseconds::min()));
  EXPECT_EQ(code_of(hold(session, runner)), ErrorCode::unavailable);
}

// As processes name themselves to others of their machine.
TEST_P(StoreLeases, are_told_of_with_the_number_and_the_host_of_their_process) {
  const RunnerId runner =
      new_runner("host=office boot=0f2e-77 space=pid:[4026531836] pid=123 started=77");
  const SessionId session = new_session();
  EXPECT_EQ(take(session, runner), 1);
  const auto refused = apply_one(store(), ClaimLease{session, new_runner("host=b pid=4")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            fmt::format("Session {} is being driven by process 123 on host office; wait until it "
                        "has finished",
                        session));
  now_ += 1000;
  const auto late = hold(session, runner);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message,
            fmt::format("The store has not heard for too long of the process that drives session "
                        "{} (process 123 on host office): another may go on with it",
                        session));
  const SessionId other = new_session();
  const RunnerId named = new_runner("host=b pid=4");
  EXPECT_EQ(take(other, named), 1);
  const auto taken = apply_one(store(), ClaimLease{other, new_runner("host:1")});
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().message.find("driven by host=b pid=4;"), std::string::npos);
}

TEST_P(StoreLeases, that_ran_out_are_told_of_with_the_session_and_its_process) {
  const RunnerId runner = new_runner("host:1");
  const SessionId session = new_session();
  EXPECT_EQ(take(session, runner), 1);
  now_ += 1000;
  const auto refused = hold(session, runner);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            fmt::format("The store has not heard for too long of the process that drives session "
                        "{} (host:1): another may go on with it",
                        session));
}

TEST_P(StoreLeases, a_session_is_its_runners_from_its_first_moment) {
  NewSession session = session_named("driven");
  session.runner_id = new_runner("host:1");
  const std::vector<Write> writes{HoldLease{0, *session.runner_id}};
  const SessionId id = value_of(store().create_session_with(session, writes)).first;
  EXPECT_EQ(value_of(store().get_session(id)).runner_id, session.runner_id);
  EXPECT_EQ(value_of(store().get_session(id)).lease_epoch, 1);
  EXPECT_TRUE(hold(id, *session.runner_id).has_value());
}

TEST_P(StoreLeases, a_session_cannot_begin_with_a_runner_that_is_not_alive) {
  NewSession session = session_named("driven");
  session.runner_id = 77;
  EXPECT_EQ(code_of(store().create_session(session)), ErrorCode::unavailable);
  session.runner_id = new_runner("host:1");
  now_ += 100;
  EXPECT_EQ(code_of(store().create_session(session)), ErrorCode::unavailable);
  EXPECT_TRUE(value_of(store().list_sessions({})).empty());
}

TEST_P(StoreLeases, only_one_runner_has_a_session) {
  const SessionId id = new_session();
  const RunnerId one = new_runner("host:1");
  const RunnerId two = new_runner("host:2");
  EXPECT_EQ(code_of(hold(id, one)), ErrorCode::unavailable);
  EXPECT_EQ(take(id, one), 1);
  EXPECT_TRUE(hold(id, one).has_value());
  const auto refused = apply_one(store(), ClaimLease{id, two});
  EXPECT_EQ(code_of(refused), ErrorCode::unavailable);
  EXPECT_NE(refused.error().message.find("host:1"), std::string::npos) << refused.error().message;
  const auto not_held = hold(id, two);
  EXPECT_EQ(code_of(not_held), ErrorCode::unavailable);
  EXPECT_NE(not_held.error().message.find("host:1"), std::string::npos);
  EXPECT_EQ(value_of(store().get_session(id)).runner_id, one);
}

TEST_P(StoreLeases, two_drivers_of_one_runner_do_not_have_a_session_at_once) {
  const SessionId id = new_session();
  const RunnerId one = new_runner("host:1");
  EXPECT_EQ(take(id, one), 1);
  const auto second = apply_one(store(), ClaimLease{id, one});
  EXPECT_EQ(code_of(second), ErrorCode::unavailable);
  EXPECT_EQ(*second.error().find("runner_id"), Json(one));
  EXPECT_EQ(code_of(apply_one(store(), ClaimLease{id, one, 0})), ErrorCode::already_exists);
  EXPECT_EQ(value_of(apply_one(store(), ClaimLease{id, one, 1})).epochs, std::vector{2})
      << "who knows the epoch takes over";
  EXPECT_EQ(value_of(store().get_session(id)).lease_epoch, 2);
}

TEST_P(StoreLeases, refuse_who_holds_a_session_with_another_epoch) {
  const SessionId id = new_session();
  const RunnerId one = new_runner("host:1");
  take(id, one);
  const auto holding = [&](int epoch) {
    const std::vector<Write> writes{HoldLease{id, one, epoch},
                                    AppendMessage{id, Message::assistant("mine")}};
    return store().apply(writes);
  };
  EXPECT_TRUE(holding(1).has_value());
  value_of(apply_one(store(), ClaimLease{id, one, 1}));
  const auto refused = holding(1);
  EXPECT_EQ(code_of(refused), ErrorCode::unavailable);
  EXPECT_EQ(*refused.error().find("runner_id"), Json(one));
  EXPECT_EQ(*refused.error().find("runner"), Json("host:1"));
  EXPECT_EQ(*refused.error().find("lease_epoch"), Json(2));
  EXPECT_TRUE(holding(2).has_value());
  EXPECT_EQ(value_of(store().get_messages(id)).size(), 2U);
  EXPECT_TRUE(hold(id, one).has_value()) << "without an epoch any will do";
}

TEST_P(StoreLeases, a_refusal_says_who_has_the_session) {
  const SessionId id = new_session();
  const RunnerId one = new_runner("host:1", milliseconds(50));
  const RunnerId two = new_runner("host:2");
  const auto nobody = hold(id, two);
  EXPECT_EQ(nobody.error().find("runner_id"), nullptr);
  EXPECT_EQ(*nobody.error().find("lease_epoch"), Json(0));
  take(id, one);
  const auto other = hold(id, two);
  EXPECT_EQ(*other.error().find("runner_id"), Json(one));
  EXPECT_EQ(*other.error().find("runner"), Json("host:1"));
  EXPECT_EQ(*other.error().find("session_id"), Json(id));
  now_ += 50;
  EXPECT_EQ(hold(id, two).error().find("runner_id"), nullptr) << "it is dead";
}

TEST_P(StoreLeases, a_session_is_free_when_its_runners_time_is_over) {
  const SessionId id = new_session();
  const RunnerId one = new_runner("host:1", milliseconds(100));
  const RunnerId two = new_runner("host:2", milliseconds(1000));
  take(id, one);
  now_ += 99;
  EXPECT_TRUE(hold(id, one).has_value());
  EXPECT_EQ(code_of(apply_one(store(), ClaimLease{id, two})), ErrorCode::unavailable);
  now_ += 1;
  EXPECT_EQ(code_of(hold(id, one)), ErrorCode::unavailable);
  EXPECT_EQ(code_of(apply_one(store(), ClaimLease{id, one})), ErrorCode::unavailable);
  EXPECT_EQ(take(id, two), 2);

  expect_ok(store().renew_runner(one, milliseconds(100)));
  EXPECT_EQ(code_of(hold(id, one)), ErrorCode::unavailable) << "it came back too late";
  EXPECT_TRUE(hold(id, two).has_value());
}

TEST_P(StoreLeases, a_runner_that_renews_before_others_came_has_lost_nothing) {
  const SessionId id = new_session();
  const RunnerId one = new_runner("host:1");
  take(id, one);
  now_ += 5000;
  EXPECT_EQ(code_of(hold(id, one)), ErrorCode::unavailable);
  expect_ok(store().renew_runner(one, milliseconds(100)));
  EXPECT_TRUE(apply_one(store(), HoldLease{id, one, 1}).has_value());
}

TEST_P(StoreLeases, a_session_is_free_when_its_runner_was_ended) {
  const SessionId id = new_session();
  const RunnerId one = new_runner("host:1");
  const RunnerId two = new_runner("host:2");
  take(id, one);
  expect_ok(store().end_runner(one));
  EXPECT_EQ(code_of(hold(id, one)), ErrorCode::unavailable);
  EXPECT_EQ(code_of(apply_one(store(), ClaimLease{id, one})), ErrorCode::unavailable);
  EXPECT_EQ(take(id, two), 2);
}

TEST_P(StoreLeases, every_status_but_running_releases_the_session) {
  const SessionId id = new_session();
  const RunnerId one = new_runner("host:1");
  const RunnerId two = new_runner("host:2");
  for (const SessionStatus status : kSessionStatuses) {
    if (value_of(store().get_session(id)).runner_id != one) take(id, one);
    value_of(apply_one(store(), UpdateSession{.session_id = id, .iterations = 1}));
    EXPECT_EQ(value_of(store().get_session(id)).runner_id, one);
    const int epoch = value_of(store().get_session(id)).lease_epoch;
    value_of(apply_one(store(), UpdateSession{.session_id = id, .status = status}));
    const Session session = value_of(store().get_session(id));
    EXPECT_EQ(session.lease_epoch, epoch);
    if (status == SessionStatus::running) {
      EXPECT_EQ(session.runner_id, one);
      continue;
    }
    EXPECT_EQ(session.runner_id, std::nullopt) << to_string(status);
    EXPECT_EQ(code_of(hold(id, one)), ErrorCode::unavailable);
    EXPECT_EQ(take(id, two), epoch + 1);
    value_of(apply_one(store(), UpdateSession{.session_id = id, .status = status}));
  }
}

TEST_P(StoreLeases, refuse_who_does_not_know_that_the_session_went_on) {
  const SessionId id = new_session();
  const RunnerId one = new_runner("host:1");
  const RunnerId two = new_runner("host:2");
  const auto expecting = [&](RunnerId runner, int epoch) {
    return apply_one(store(), ClaimLease{id, runner, epoch});
  };
  EXPECT_EQ(code_of(expecting(one, 1)), ErrorCode::already_exists);
  EXPECT_EQ(value_of(expecting(one, 0)).epochs, std::vector{1});
  EXPECT_EQ(code_of(expecting(one, 0)), ErrorCode::already_exists)
      << "the same process, but another of its threads";
  EXPECT_EQ(code_of(expecting(two, 1)), ErrorCode::unavailable);
  value_of(apply_one(store(), UpdateSession{.session_id = id, .status = SessionStatus::completed}));
  EXPECT_EQ(code_of(expecting(two, 0)), ErrorCode::already_exists);
  EXPECT_EQ(value_of(expecting(two, 1)).epochs, std::vector{2});
}

TEST_P(StoreLeases, say_which_session_does_not_exist) {
  const RunnerId one = new_runner("host:1");
  EXPECT_EQ(apply_one(store(), ClaimLease{9, one}).error().message, "There is no session 9");
  EXPECT_EQ(hold(9, one).error().message, "There is no session 9");
  EXPECT_EQ(code_of(hold(9, one)), ErrorCode::not_found);
}

TEST_P(StoreLeases, keep_a_session_from_being_deleted_where_that_is_said) {
  const RunnerId runner = new_runner("host:1");
  const SessionId session = new_session();
  const DeleteSession carefully{.session_id = session, .unless_running = true};
  EXPECT_EQ(code_of(store().apply_one(carefully)), ErrorCode::unavailable)
      << "it is running, though nobody drives it yet";
  value_of(
      store().apply_one(UpdateSession{.session_id = session, .status = SessionStatus::waiting}));
  take(session, runner);
  EXPECT_EQ(code_of(store().apply_one(carefully)), ErrorCode::unavailable)
      << "a living runner has it";
  EXPECT_EQ(value_of(store().get_session(session)).status, SessionStatus::waiting);
  // The whole batch stands or falls with it.
  const std::vector<Write> writes{AppendMessage{session, Message{Role::user, {Text{"Hi"}}}},
                                  carefully};
  EXPECT_EQ(code_of(store().apply(writes)), ErrorCode::unavailable);
  EXPECT_TRUE(value_of(store().get_messages(session)).empty());
  now_ += 1000;
  value_of(store().apply_one(carefully));
  EXPECT_EQ(code_of(store().get_session(session)), ErrorCode::not_found);
  EXPECT_EQ(code_of(store().apply_one(carefully)), ErrorCode::not_found);
  const SessionId driven = new_session();
  take(driven, new_runner("host:2"));
  expect_ok(store().delete_session(driven));
}

TEST_P(StoreLeases, a_session_is_deleted_or_taken_and_never_both) {
  const RunnerId runner = new_runner("host:1");
  for (int round = 0; round < 20; ++round) {
    const SessionId session = new_session();
    value_of(
        store().apply_one(UpdateSession{.session_id = session, .status = SessionStatus::waiting}));
    std::barrier both(2);
    Result<BatchIds> taken;
    std::thread taking([&] {
      both.arrive_and_wait();
      taken = store().apply_one(ClaimLease{session, runner});
    });
    both.arrive_and_wait();
    const auto deleted =
        store().apply_one(DeleteSession{.session_id = session, .unless_running = true});
    taking.join();
    EXPECT_NE(taken.has_value(), deleted.has_value());
    EXPECT_EQ(store().get_session(session).has_value(), taken.has_value());
    if (!taken) {
      EXPECT_EQ(taken.error().code, ErrorCode::not_found);
    }
    if (!deleted) {
      EXPECT_EQ(deleted.error().code, ErrorCode::unavailable);
    }
  }
}

TEST_P(StoreLeases, that_come_and_go_are_refused_for_a_reason) {
  using namespace std::chrono_literals;
  constexpr int kRunners = 4;
  constexpr int kOften = 60;
  const SessionId session = new_session();
  value_of(
      store().apply_one(UpdateSession{.session_id = session, .status = SessionStatus::waiting}));
  std::vector<std::jthread> all;
  for (int i = 0; i < kRunners; ++i) {
    all.emplace_back([&, runner = new_runner(fmt::format("host:{}", i), 1h)] {
      for (int round = 0; round < kOften; ++round) {
        const auto taken = store().apply_one(ClaimLease{session, runner});
        if (!taken) {
          EXPECT_EQ(taken.error().code, ErrorCode::unavailable) << taken.error().message;
          continue;
        }
        value_of(store().apply_one(ReleaseLease{session, runner}));
      }
    });
  }
}

TEST_P(StoreLeases, a_lost_lease_refuses_the_whole_batch) {
  const SessionId id = new_session();
  const RunnerId one = new_runner("host:1");
  take(id, one);
  const std::vector<Write> writes{AppendMessage{id, Message::assistant("late")},
                                  HoldLease{id, one}};
  expect_ok(store().end_runner(one));
  EXPECT_EQ(code_of(store().apply(writes)), ErrorCode::unavailable);
  EXPECT_TRUE(value_of(store().get_messages(id)).empty());
}

TEST_P(StoreLeases, of_an_ordinary_turn_are_checked_whatever_else_it_writes) {
  const RunnerId runner = new_runner("host:1");
  const SessionId session = new_session();
  const int epoch = take(session, runner);
  const auto turn = [&](int held, std::int64_t tokens) {
    return std::vector<Write>{
        HoldLease{session, runner, held}, AppendMessage{session, Message::assistant("x")},
        UpdateSession{.session_id = session, .usage = Usage{tokens, 2}, .iterations = 1}};
  };
  const auto expect_stored = [&](std::size_t messages, std::int64_t tokens) {
    EXPECT_EQ(value_of(store().get_messages(session)).size(), messages);
    const Session stored = value_of(store().get_session(session));
    EXPECT_EQ(stored.usage.input_tokens, tokens);
    EXPECT_EQ(stored.iterations, 1);
  };
  EXPECT_TRUE(value_of(store().apply(turn(epoch, 10))).cancelled.empty());
  expect_stored(1, 10);
  EXPECT_EQ(code_of(store().apply(turn(epoch + 1, 20))), ErrorCode::unavailable);
  expect_stored(1, 10);
  expect_ok(store().request_cancel(session, "Enough"));
  const std::vector<CancelWish> wish{{session, "Enough"}};
  EXPECT_EQ(value_of(store().apply(turn(epoch, 30))).cancelled, wish);
  expect_stored(2, 30);
  now_ += 1000;
  EXPECT_EQ(code_of(store().apply(turn(epoch, 40))), ErrorCode::unavailable) << "out of time";
  expect_stored(2, 30);
}

TEST_P(StoreLeases, are_lost_within_the_batch_that_ends_or_outlives_their_runner) {
  const SessionId session = new_session();
  const RunnerId runner = new_runner("host:1");
  take(session, runner);
  const std::vector<Write> ending{HoldLease{session, runner}, EndRunner{runner},
                                  HoldLease{session, runner}};
  EXPECT_EQ(code_of(store().apply(ending)), ErrorCode::unavailable);
  const std::vector<Write> too_short{HoldLease{session, runner},
                                     RenewRunner{runner, milliseconds(-1)},
                                     HoldLease{session, runner}};
  EXPECT_EQ(code_of(store().apply(too_short)), ErrorCode::unavailable);
  EXPECT_TRUE(hold(session, runner).has_value()) << "nothing of that was written";
  const std::vector<Write> of_another{HoldLease{session, runner},
                                      HoldLease{session, new_runner("host:2")}};
  EXPECT_EQ(code_of(store().apply(of_another)), ErrorCode::unavailable);
}

TEST_P(StoreLeases, find_the_running_sessions_that_nobody_drives) {
  const RunnerId dead = new_runner("host:1", milliseconds(10));
  const RunnerId ended = new_runner("host:2", milliseconds(1000));
  const RunnerId alive = new_runner("host:3", milliseconds(1000));
  const auto driven_by = [&](RunnerId runner) {
    NewSession session = session_named("driven");
    session.runner_id = runner;
    return value_of(store().create_session(session));
  };
  const SessionId of_dead = driven_by(dead);
  const SessionId of_ended = driven_by(ended);
  driven_by(alive);
  const SessionId of_nobody = new_session();
  expect_ok(store().complete_session(new_session(), "done"));
  const SessionId waiting = driven_by(dead);
  value_of(
      apply_one(store(), UpdateSession{.session_id = waiting, .status = SessionStatus::waiting}));
  expect_ok(store().end_runner(ended));
  now_ += 10;

  const auto found = [&](const SessionFilter& filter) {
    std::set<SessionId> ids;
    for (const Session& session : value_of(store().list_sessions(filter))) ids.insert(session.id);
    return ids;
  };
  EXPECT_EQ(found({.is_abandoned = true}), (std::set{of_dead, of_ended, of_nobody}));
  EXPECT_EQ(found({.agent_name = "driven", .is_abandoned = true}), (std::set{of_dead, of_ended}));
  EXPECT_EQ(found({.is_abandoned = true, .limit = 1}), std::set{of_nobody});
  EXPECT_TRUE(found({.status = SessionStatus::waiting, .is_abandoned = true}).empty());
  EXPECT_EQ(found({}).size(), 6U);
}

TEST_P(StoreLeases, are_released_by_their_runner_alone) {
  const RunnerId one = new_runner("host:1");
  const RunnerId two = new_runner("host:2");
  const SessionId session = new_session();
  take(session, one);
  EXPECT_TRUE(apply_one(store(), ReleaseLease{session, two}));
  EXPECT_TRUE(hold(session, one).has_value());
  EXPECT_TRUE(apply_one(store(), ReleaseLease{session, one}));
  EXPECT_EQ(value_of(store().get_session(session)).runner_id, std::nullopt);
  EXPECT_EQ(value_of(store().get_session(session)).status, SessionStatus::running);
  EXPECT_EQ(code_of(hold(session, one)), ErrorCode::unavailable);
  EXPECT_EQ(take(session, two), 2);
  EXPECT_TRUE(apply_one(store(), ReleaseLease{session, two, 1}));
  EXPECT_TRUE(hold(session, two).has_value()) << "it was taken with another epoch";
  EXPECT_EQ(code_of(apply_one(store(), ReleaseLease{4711, one})), ErrorCode::not_found);
  // A batch that fails releases nothing.
  const std::vector<Write> writes{ReleaseLease{session, two}, UpdateCall{.call_id = 4711}};
  EXPECT_FALSE(store().apply(writes));
  EXPECT_TRUE(hold(session, two).has_value());
}

}  // namespace
}  // namespace wright::store
