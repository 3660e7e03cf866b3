// What every store promises about the queue: who is in it, who gets what, and in which order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

class StoreQueue : public StoreSuite {
 protected:
  void SetUp() override {
    StoreSuite::SetUp();
    runner_ = new_runner("worker");
  }

  SessionId queue(std::string agent_name, int priority = 0,
                  std::optional<std::int64_t> ready_at = {}) {
    NewSession session = session_named(std::move(agent_name));
    session.is_queued = true;
    session.priority = priority;
    session.ready_at = ready_at;
    return value_of(store().create_session(session));
  }
  std::vector<SessionId> claim(std::size_t most = 1, std::vector<std::string> agent_names = {}) {
    const BatchIds ids = value_of(store().apply_one(
        Claim{.runner_id = runner_, .agent_names = std::move(agent_names), .most = most}));
    std::vector<SessionId> claimed;
    for (const ClaimedSession& each : ids.claimed) {
      claimed.push_back(each.session_id);
      const Session session = value_of(store().get_session(each.session_id));
      EXPECT_EQ(session.status, SessionStatus::running);
      EXPECT_EQ(session.runner_id, runner_);
      EXPECT_EQ(session.lease_epoch, each.epoch);
    }
    return claimed;
  }
  using Ids = std::vector<SessionId>;

  RunnerId runner_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Every, StoreQueue, kEveryStore, name_of_kind);

TEST_P(StoreQueue, a_queued_session_waits_for_whoever_claims_it) {
  const SessionId id = queue("a", 3, now_);
  Session session = value_of(store().get_session(id));
  EXPECT_EQ(session.status, SessionStatus::queued);
  EXPECT_EQ(session.runner_id, std::nullopt);
  EXPECT_EQ(session.lease_epoch, 0);
  EXPECT_EQ(session.priority, 3);
  EXPECT_EQ(session.ready_at, now_);
  EXPECT_EQ(value_of(store().list_sessions({.status = SessionStatus::queued})).size(), 1U);
  EXPECT_TRUE(value_of(store().list_sessions({.needs_driver = true})).empty());

  const BatchIds ids = value_of(store().apply_one(Claim{.runner_id = runner_, .most = 9}));
  EXPECT_EQ(ids.claimed, (std::vector<ClaimedSession>{{id, 1}}));
  EXPECT_TRUE(value_of(store().apply_one(HoldLease{id, runner_, 1})).cancelled.empty());
  EXPECT_EQ(claim(), Ids{}) << "finding none is no error";
}

TEST_P(StoreQueue, refuses_what_cannot_be_queued) {
  NewSession session = session_named("a");
  session.is_queued = true;
  session.runner_id = runner_;
  EXPECT_EQ(code_of(store().create_session(session)), ErrorCode::invalid_argument);
  session.runner_id.reset();
  session.parent_session_id = new_session();
  EXPECT_EQ(code_of(store().create_session(session)), ErrorCode::invalid_argument);
}

TEST_P(StoreQueue, only_a_living_runner_claims) {
  queue("a");
  EXPECT_EQ(code_of(store().apply_one(Claim{.runner_id = 4711})), ErrorCode::unavailable);
  const RunnerId dying = new_runner("dying", std::chrono::milliseconds(5));
  now_ += 5;
  EXPECT_EQ(code_of(store().apply_one(Claim{.runner_id = dying})), ErrorCode::unavailable);
  EXPECT_EQ(claim().size(), 1U);
}

TEST_P(StoreQueue, gives_at_most_what_was_asked_for_and_of_the_agents_that_were_named) {
  const SessionId a = queue("a");
  const SessionId b = queue("b");
  const SessionId c = queue("c");
  EXPECT_EQ(claim(0), Ids{});
  EXPECT_EQ(claim(5, {"b", "nobody"}), Ids{b});
  EXPECT_EQ(claim(1, {"a", "c"}), Ids{a});
  EXPECT_EQ(claim(5, {"b"}), Ids{});
  EXPECT_EQ(claim(5), Ids{c});
}

TEST_P(StoreQueue, of_one_agent_the_highest_priority_comes_first_and_then_the_oldest) {
  const SessionId low = queue("a", -1);
  const SessionId first = queue("a");
  const SessionId second = queue("a");
  const SessionId high = queue("a", 5);
  EXPECT_EQ(claim(), Ids{high});
  EXPECT_EQ(claim(9), (Ids{first, second, low}));
}

TEST_P(StoreQueue, nothing_is_claimed_before_it_is_ready) {
  const SessionId later = queue("a", 9, now_ + 100);
  const SessionId now = queue("a");
  EXPECT_EQ(claim(9), Ids{now});
  now_ += 99;
  EXPECT_EQ(claim(9), Ids{});
  now_ += 1;
  EXPECT_EQ(claim(9), Ids{later});
}

TEST_P(StoreQueue, takes_no_more_labels_than_an_index_holds) {
  NewSession session{.agent_name = "a", .user_prompt = "?"};
  for (int i = 0; i < 45; ++i) session.labels.push_back(std::to_string(i) + std::string(60, 'x'));
  const auto refused = store().create_session(session);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
}

TEST_P(StoreQueue, gives_a_session_to_whoever_has_its_labels) {
  const auto ask_for = [&](std::vector<std::string> labels) {
    NewSession session = session_named("a");
    session.is_queued = true;
    session.labels = std::move(labels);
    return store().create_session(session);
  };
  const SessionId both = value_of(ask_for({"gpu", "repository=shop"}));
  const SessionId one = value_of(ask_for({"gpu"}));
  const SessionId none = value_of(ask_for({}));
  EXPECT_EQ(value_of(store().get_session(both)).labels,
            (std::vector<std::string>{"gpu", "repository=shop"}));
  EXPECT_TRUE(value_of(store().get_session(none)).labels.empty());
  for (const char* wrong : {"", "a,b", "a b", "ü", "\"", "a\nb"}) {
    EXPECT_EQ(code_of(ask_for({wrong})), ErrorCode::invalid_argument) << wrong;
  }
  EXPECT_EQ(code_of(ask_for({std::string(64, 'a')})), ErrorCode::invalid_argument);
  const auto claim_with = [&](std::vector<std::string> labels, std::vector<SessionId> except) {
    const BatchIds ids = value_of(store().apply_one(Claim{.runner_id = runner_,
                                                          .most = 9,
                                                          .labels = std::move(labels),
                                                          .except = std::move(except)}));
    Ids claimed;
    for (const ClaimedSession& each : ids.claimed) claimed.push_back(each.session_id);
    return claimed;
  };
  EXPECT_EQ(claim_with({"repository=shop"}, {none}), Ids{}) << "part of what is asked for";
  EXPECT_EQ(claim_with({}, {}), Ids{none});
  EXPECT_EQ(claim_with({"gpu", "fast"}, {4711}), Ids{one});
  EXPECT_EQ(claim_with({"repository=shop", "gpu"}, {both}), Ids{});
  EXPECT_EQ(claim_with({"repository=shop", "gpu"}, {}), Ids{both});
}

TEST_P(StoreQueue, refuses_what_would_make_it_longer_than_it_may_be) {
  const auto queue_below = [&](std::string tenant, std::vector<Write> limits) {
    NewSession session = session_named("a");
    session.is_queued = true;
    session.tenant = std::move(tenant);
    const Batch batch{.create = session, .writes = std::move(limits)};
    return std::move(store().apply_all({&batch, 1}).front());
  };
  const auto count = [&] {
    return value_of(store().list_sessions({.status = SessionStatus::queued})).size();
  };
  EXPECT_EQ(code_of(queue_below("", {LimitQueue{.most = 0}})), ErrorCode::rate_limited);
  value_of(queue_below("loud", {LimitQueue{.most = 3}}));
  const SessionId second = value_of(queue_below("loud", {LimitQueue{.most = 2}})).session;
  const auto refused = queue_below("", {LimitQueue{.most = 2}});
  EXPECT_EQ(code_of(refused), ErrorCode::rate_limited);
  EXPECT_TRUE(refused.error().message.contains("2 sessions wait")) << refused.error().message;
  EXPECT_EQ(code_of(queue_below("loud", {LimitQueue{.most = 2, .tenant = "loud"}})),
            ErrorCode::rate_limited);
  EXPECT_EQ(count(), 2U) << "nothing of a batch that is refused";
  value_of(queue_below("quiet", {LimitQueue{.most = 9}, LimitQueue{.most = 1, .tenant = "quiet"}}));
  EXPECT_EQ(count(), 3U);
  const auto one = queue_below("quiet", {LimitQueue{.most = 1, .tenant = "quiet"}});
  EXPECT_EQ(code_of(one), ErrorCode::rate_limited);
  EXPECT_TRUE(one.error().message.contains("1 session of the tenant 'quiet' waits in it"))
      << one.error().message;

  // Neither those that run nor those that have ended are in it, and what was said to one that has
  // is queued below the same limit.
  ASSERT_EQ(claim(9).size(), 3U);
  value_of(
      store().apply_one(UpdateSession{.session_id = second, .status = SessionStatus::completed}));
  const std::vector<Write> full{Enqueue{.session_id = second, .message = Message::user("Next")},
                                LimitQueue{.most = 0}};
  EXPECT_EQ(code_of(store().apply(full)), ErrorCode::rate_limited);
  EXPECT_EQ(value_of(store().get_session(second)).status, SessionStatus::completed);
  const std::vector<Write> fits{full.front(), LimitQueue{.most = 1}};
  value_of(store().apply(fits));
  EXPECT_EQ(value_of(store().get_session(second)).status, SessionStatus::queued);
}

TEST_P(StoreQueue, agents_take_turns) {
  Ids many;
  for (int i = 0; i < 30; ++i) many.push_back(queue("busy", 9));
  const SessionId rare = queue("rare");
  const SessionId also_rare = queue("seldom");
  EXPECT_EQ(claim(), Ids{many[0]}) << "nobody was served yet, so priority decides";
  EXPECT_EQ(claim(), Ids{rare}) << "and then whoever was served longest ago";
  EXPECT_EQ(claim(), Ids{also_rare});
  EXPECT_EQ(claim(), Ids{many[1]});
  const SessionId once_more = queue("rare");
  EXPECT_EQ(claim(4), (Ids{once_more, many[2], many[3], many[4]})) << "also within one claim";
  const SessionId newcomer = queue("new");
  EXPECT_EQ(claim(), Ids{newcomer});
}

TEST_P(StoreQueue, does_not_forget_whose_turn_it_is_when_a_batch_fails) {
  const SessionId a = queue("a");
  const SessionId b = queue("b");
  const std::vector<Write> writes{Claim{.runner_id = runner_, .most = 1},
                                  UpdateCall{.call_id = 4711}};
  EXPECT_FALSE(store().apply(writes));
  EXPECT_EQ(value_of(store().get_session(a)).status, SessionStatus::queued);
  EXPECT_EQ(value_of(store().get_session(a)).lease_epoch, 0);
  EXPECT_EQ(claim(), Ids{a});
  EXPECT_EQ(claim(), Ids{b});
}

TEST_P(StoreQueue, a_session_that_somebody_holds_is_not_claimed) {
  const SessionId id = queue("a");
  const RunnerId other = new_runner("other", std::chrono::milliseconds(50));
  value_of(store().apply_one(ClaimLease{id, other}));
  EXPECT_EQ(claim(), Ids{});
  now_ += 50;
  EXPECT_EQ(claim(), Ids{id});
  EXPECT_EQ(value_of(store().get_session(id)).lease_epoch, 2);
}

TEST_P(StoreQueue, tells_whoever_claims_what_is_to_be_cancelled) {
  const SessionId id = queue("a");
  expect_ok(store().request_cancel(id, "Not any more"));
  const BatchIds ids = value_of(store().apply_one(Claim{.runner_id = runner_}));
  EXPECT_EQ(ids.cancelled, (std::vector<CancelWish>{{id, "Not any more"}}));
}

TEST_P(StoreQueue, a_session_can_be_given_back) {
  const SessionId id = queue("a");
  EXPECT_EQ(claim(), Ids{id});
  const std::vector<Write> back{HoldLease{id, runner_, 1},
                                UpdateSession{.session_id = id, .status = SessionStatus::queued}};
  value_of(store().apply(back));
  EXPECT_EQ(value_of(store().get_session(id)).runner_id, std::nullopt);
  EXPECT_EQ(claim(), Ids{id});
  EXPECT_EQ(value_of(store().get_session(id)).lease_epoch, 2);
}

TEST_P(StoreQueue, an_ended_session_is_queued_again_with_its_next_message) {
  const SessionId id = new_session();
  value_of(store().apply_one(UpdateSession{.session_id = id,
                                           .status = SessionStatus::failed,
                                           .error = "broken",
                                           .error_code = ErrorCode::network,
                                           .iterations = 9,
                                           .worked_ms = 70,
                                           .turn_worked_ms = 70}));
  const BatchIds ids =
      value_of(store().apply_one(Enqueue{id, Message::user("Once more"), 4, now_ + 10}));
  EXPECT_EQ(ids.messages.size(), 1U);
  const Session session = value_of(store().get_session(id));
  EXPECT_EQ(session.status, SessionStatus::queued);
  EXPECT_EQ(session.ended_at, std::nullopt);
  EXPECT_EQ(session.error, std::nullopt);
  EXPECT_EQ(session.error_code, std::nullopt);
  EXPECT_EQ(session.priority, 4);
  EXPECT_EQ(session.ready_at, now_ + 10);
  EXPECT_EQ(session.worked_ms, 70);
  EXPECT_EQ(session.turn_worked_ms, 0);
  EXPECT_EQ(session.iterations, 0);
  EXPECT_EQ(value_of(store().get_messages(id)).at(0).message, Message::user("Once more"));
  EXPECT_EQ(claim(), Ids{});
  now_ += 10;
  EXPECT_EQ(claim(), Ids{id});
}

TEST_P(StoreQueue, takes_no_message_for_a_session_that_has_not_ended) {
  const auto enqueue = [&](SessionId id) {
    return store().apply_one(Enqueue{id, Message::user("More")});
  };
  for (const SessionStatus status :
       {SessionStatus::running, SessionStatus::waiting, SessionStatus::queued}) {
    const SessionId id = new_session();
    set_status(id, status);
    const auto refused = enqueue(id);
    EXPECT_EQ(code_of(refused), ErrorCode::unavailable) << to_string(status);
    EXPECT_EQ(*refused.error().find("status"), Json(to_string(status)));
    EXPECT_TRUE(value_of(store().get_messages(id)).empty());
  }
  EXPECT_EQ(code_of(enqueue(4711)), ErrorCode::not_found);
  const SessionId child = new_child(new_session());
  expect_ok(store().complete_session(child, "done"));
  EXPECT_EQ(code_of(enqueue(child)), ErrorCode::invalid_argument);
  const SessionId held = new_session();
  expect_ok(store().complete_session(held, "done"));
  value_of(store().apply_one(ClaimLease{held, runner_}));
  const auto refused = enqueue(held);
  EXPECT_EQ(code_of(refused), ErrorCode::unavailable) << "somebody goes on with it right now";
  EXPECT_EQ(*refused.error().find("runner_id"), Json(runner_));
}

TEST_P(StoreQueue, several_workers_never_get_the_same_session) {
  constexpr int kWorkers = 4;
  constexpr int kSessions = 60;
  for (int i = 0; i < kSessions; ++i) queue(fmt::format("agent {}", i % 3));
  std::vector<std::vector<SessionId>> claimed(kWorkers);
  {
    std::vector<std::jthread> workers;
    for (auto& mine : claimed) {
      workers.emplace_back([&] {
        while (true) {
          const auto ids = store().apply_one(Claim{.runner_id = runner_, .most = 3});
          ASSERT_TRUE(ids.has_value()) << ids.error().message;
          if (ids->claimed.empty()) return;
          for (const ClaimedSession& each : ids->claimed) mine.push_back(each.session_id);
        }
      });
    }
  }
  std::set<SessionId> all;
  std::size_t count = 0;
  for (const auto& mine : claimed) {
    all.insert(mine.begin(), mine.end());
    count += mine.size();
  }
  EXPECT_EQ(count, std::size_t{kSessions});
  EXPECT_EQ(all.size(), std::size_t{kSessions});
}

}  // namespace
}  // namespace wright::store
