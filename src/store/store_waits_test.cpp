// What every store promises about waits: opened, answered once, expired, closed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

class StoreWaits : public StoreSuite {
 protected:
  struct Asked {
    SessionId session = 0;
    CallId call = 0;
    WaitId wait = 0;
  };
  // A new call of the session that waits until `expires_at`.
  Asked ask_in(SessionId session, std::optional<std::int64_t> expires_at = {}) {
    const CallId call = new_call(session);
    const std::vector<Write> writes{UpdateCall{.call_id = call, .status = CallStatus::waiting},
                                    OpenWait{.session_id = session,
                                             .call_id = call,
                                             .kind = WaitKind::approval,
                                             .shown = {{"command", "ls"}},
                                             .state = {{"so far", "one half"}},
                                             .expires_at = expires_at}};
    const BatchIds ids = value_of(store().apply(writes));
    EXPECT_EQ(ids.waits.size(), 1U);
    return {session, call, ids.waits.empty() ? 0 : ids.waits.front()};
  }
  Asked ask(std::optional<std::int64_t> expires_at = {}) {
    return ask_in(new_session(), expires_at);
  }
  StoredWait wait_of(WaitId id) {
    for (StoredWait& wait : value_of(store().get_waits({}))) {
      if (wait.id == id) return wait;
    }
    ADD_FAILURE() << "no wait " << id;
    return {};
  }
  std::vector<WaitId> ids_of(const WaitFilter& filter) {
    std::vector<WaitId> ids;
    for (const StoredWait& wait : value_of(store().get_waits(filter))) ids.push_back(wait.id);
    return ids;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, StoreWaits, kEveryStore, name_of_kind);

TEST_P(StoreWaits, of_a_call_that_have_expired_are_news_to_it) {
  const SessionId session = new_session();
  const Asked asked = ask_in(session, now_ + 500);
  const Asked other = ask_in(session);
  const auto are_wanted = [&] {
    return value_of(store().list_sessions({.needs_driver = true})).size();
  };
  const auto apply = [&](Write write) { value_of(store().apply(std::vector{std::move(write)})); };
  apply(UpdateSession{.session_id = session, .status = SessionStatus::waiting});
  EXPECT_EQ(are_wanted(), 0U);
  apply(CloseWaits{session, asked.call, WaitStatus::expired});
  EXPECT_EQ(wait_of(asked.wait).status, WaitStatus::expired);
  EXPECT_EQ(wait_of(other.wait).status, WaitStatus::open);
  EXPECT_EQ(are_wanted(), 1U) << "whoever noted it may be gone";
  apply(UpdateCall{.call_id = asked.call, .status = CallStatus::failed});
  EXPECT_EQ(are_wanted(), 0U);
}

TEST_P(StoreWaits, keep_every_field) {
  const Asked asked = ask(now_ + 500);
  const StoredWait wait = wait_of(asked.wait);
  EXPECT_EQ(wait.session_id, asked.session);
  EXPECT_EQ(wait.call_id, asked.call);
  EXPECT_EQ(wait.kind, WaitKind::approval);
  EXPECT_EQ(wait.shown, (Json{{"command", "ls"}}));
  EXPECT_EQ(wait.status, WaitStatus::open);
  EXPECT_EQ(wait.created_at, now_);
  EXPECT_EQ(wait.expires_at, now_ + 500);
  EXPECT_EQ(wait.answered_at, std::nullopt);
  EXPECT_EQ(wait.answered_by, std::nullopt);
  EXPECT_EQ(wait.answer, std::nullopt);
  EXPECT_EQ(wait.state, (Json{{"so far", "one half"}}));
}

TEST_P(StoreWaits, tell_their_state_to_whoever_is_told_of_the_answer) {
  const Asked asked = ask();
  const BatchIds ids = value_of(store().apply(
      std::vector<Write>{AnswerWait{.wait_id = asked.wait, .answer = {{"decision", "once"}}}}));
  ASSERT_EQ(ids.answered.size(), 1U);
  EXPECT_EQ(ids.answered.front().state, (Json{{"so far", "one half"}}));
}

TEST_P(StoreWaits, are_opened_only_for_a_waiting_call_of_the_session) {
  const SessionId id = new_session();
  const SessionId other = new_session();
  for (const CallStatus status : kCallStatuses) {
    const CallId call = call_in(id, status);
    const auto opened = apply_one(store(), OpenWait{id, call});
    if (status == CallStatus::waiting) {
      EXPECT_TRUE(opened.has_value());
      EXPECT_EQ(code_of(apply_one(store(), OpenWait{other, call})), ErrorCode::not_found);
      EXPECT_EQ(code_of(apply_one(store(), OpenWait{id, call})), ErrorCode::already_exists);
    } else {
      EXPECT_EQ(code_of(opened), ErrorCode::invalid_argument) << to_string(status);
    }
  }
  EXPECT_EQ(code_of(apply_one(store(), OpenWait{id, 4711})), ErrorCode::not_found);
  EXPECT_EQ(value_of(store().get_waits({})).size(), 1U);
}

TEST_P(StoreWaits, can_be_opened_again_for_a_call_whose_wait_is_closed) {
  const Asked asked = ask();
  value_of(store().answer_wait(asked.wait, {true, "ada"}));
  const BatchIds again = value_of(apply_one(store(), OpenWait{asked.session, asked.call}));
  EXPECT_GT(again.waits.front(), asked.wait);
}

TEST_P(StoreWaits, refuse_what_could_not_be_read_back) {
  Json deep = 1;
  for (int level = 0; level <= kMaxJsonDepth; ++level) deep = JsonArray{std::move(deep)};
  const CallId call = call_in(new_session(), CallStatus::waiting);
  EXPECT_EQ(code_of(apply_one(store(), OpenWait{.session_id = 1, .call_id = call, .shown = deep})),
            ErrorCode::invalid_argument);
  const Asked asked = ask();
  EXPECT_EQ(code_of(store().answer_wait(asked.wait, {deep, "ada"})), ErrorCode::invalid_argument);
  EXPECT_EQ(wait_of(asked.wait).status, WaitStatus::open);
}

TEST_P(StoreWaits, are_answered_once) {
  const Asked asked = ask();
  now_ += 20;
  const StoredWait answered =
      value_of(store().answer_wait(asked.wait, {{{"approved", true}}, "ada\xFF"}));
  EXPECT_EQ(answered.id, asked.wait);
  EXPECT_EQ(answered.status, WaitStatus::answered);
  EXPECT_EQ(answered.answer, (Json{{"approved", true}}));
  EXPECT_EQ(answered.answered_by, "ada\xEF\xBF\xBD");
  EXPECT_EQ(answered.answered_at, now_);
  EXPECT_EQ(answered.shown, (Json{{"command", "ls"}}));
  now_ += 1'000'000;
  const auto second = store().answer_wait(asked.wait, {false, "bob"});
  EXPECT_EQ(code_of(second), ErrorCode::already_exists);
  EXPECT_NE(second.error().message.find("ada"), std::string::npos) << second.error().message;
  EXPECT_NE(second.error().message.find("2023-11-14 22:13:20 UTC"), std::string::npos)
      << second.error().message;
  EXPECT_EQ(wait_of(asked.wait).answer, (Json{{"approved", true}}));
  EXPECT_EQ(code_of(store().answer_wait(4711, {true, "ada"})), ErrorCode::not_found);
}

TEST_P(StoreWaits, a_late_answer_is_refused_and_changes_nothing) {
  const Asked in_time = ask(now_ + 100);
  const Asked too_late = ask(now_ + 100);
  now_ += 99;
  value_of(store().answer_wait(in_time.wait, {true, "ada"}));
  now_ += 1;
  const auto refused = store().answer_wait(too_late.wait, {true, "ada"});
  EXPECT_EQ(code_of(refused), ErrorCode::already_exists);
  EXPECT_NE(refused.error().message.find("is over"), std::string::npos) << refused.error().message;
  EXPECT_EQ(*refused.error().find("status"), Json("expired"));
  const StoredWait wait = wait_of(too_late.wait);
  EXPECT_EQ(wait.status, WaitStatus::open) << "whoever drives the session closes it";
  EXPECT_EQ(wait.answer, std::nullopt);
  EXPECT_EQ(wait.answered_by, std::nullopt);
  value_of(apply_one(store(), CloseWaits{too_late.session, too_late.call, WaitStatus::expired}));
  now_ -= 50;
  EXPECT_EQ(code_of(store().answer_wait(too_late.wait, {true, "ada"})), ErrorCode::already_exists)
      << "a clock that goes back does not open it again";
}

TEST_P(StoreWaits, an_answer_stands_or_falls_with_its_batch) {
  const Asked asked = ask();
  const std::vector<Write> writes{AnswerWait{asked.wait, true, "ada"}, UpdateCall{.call_id = 4711}};
  EXPECT_EQ(code_of(store().apply(writes)), ErrorCode::not_found);
  EXPECT_EQ(wait_of(asked.wait).status, WaitStatus::open);
  const BatchIds ids = value_of(store().apply_one(AnswerWait{asked.wait, true, "bob"}));
  ASSERT_EQ(ids.answered.size(), 1U);
  EXPECT_EQ(ids.answered[0].answered_by, "bob");
}

TEST_P(StoreWaits, a_null_answer_is_an_answer) {
  const Asked asked = ask();
  const StoredWait answered = value_of(store().answer_wait(asked.wait, {nullptr, ""}));
  ASSERT_TRUE(answered.answer.has_value());
  EXPECT_TRUE(answered.answer->is_null());
  EXPECT_EQ(answered.answered_by, "");
  EXPECT_NE(store().answer_wait(asked.wait, {1, "x"}).error().message.find("by someone"),
            std::string::npos);
}

TEST_P(StoreWaits, are_closed_for_a_call_or_for_the_whole_session) {
  const SessionId id = new_session();
  const Asked one = ask_in(id);
  const Asked two = ask_in(id);
  const Asked answered = ask_in(id);
  value_of(store().answer_wait(answered.wait, {true, "ada"}));
  const Asked other = ask();
  value_of(apply_one(store(), CloseWaits{id, one.call, WaitStatus::expired}));
  EXPECT_EQ(wait_of(one.wait).status, WaitStatus::expired);
  EXPECT_EQ(wait_of(two.wait).status, WaitStatus::open);
  value_of(apply_one(store(), CloseWaits{id}));
  EXPECT_EQ(wait_of(one.wait).status, WaitStatus::expired);
  EXPECT_EQ(wait_of(two.wait).status, WaitStatus::cancelled);
  EXPECT_EQ(wait_of(answered.wait).status, WaitStatus::answered);
  EXPECT_EQ(wait_of(other.wait).status, WaitStatus::open);
  value_of(apply_one(store(), CloseWaits{id}));
  const auto refused = store().answer_wait(two.wait, {true, "ada"});
  EXPECT_EQ(code_of(refused), ErrorCode::already_exists);
  EXPECT_NE(refused.error().message.find("cancelled"), std::string::npos);
}

TEST_P(StoreWaits, closing_is_not_answering) {
  const Asked asked = ask();
  for (const WaitStatus status : {WaitStatus::open, WaitStatus::answered}) {
    EXPECT_EQ(code_of(apply_one(store(), CloseWaits{asked.session, {}, status})),
              ErrorCode::invalid_argument);
  }
  EXPECT_EQ(wait_of(asked.wait).status, WaitStatus::open);
}

TEST_P(StoreWaits, are_found_by_status_and_in_a_whole_family) {
  const SessionId root = new_session();
  NewSession child = session_named("child");
  child.parent_session_id = root;
  const SessionId son = value_of(store().create_session(child));
  child.parent_session_id = son;
  const SessionId grandson = value_of(store().create_session(child));
  const Asked other = ask();
  const Asked deepest = ask_in(grandson);
  const Asked top = ask_in(root);
  value_of(store().answer_wait(top.wait, {true, "ada"}));

  EXPECT_EQ(ids_of({}), (std::vector{other.wait, deepest.wait, top.wait}));
  EXPECT_EQ(ids_of({.session_id = root}), (std::vector{deepest.wait, top.wait}));
  EXPECT_EQ(ids_of({.session_id = son}), std::vector{deepest.wait});
  EXPECT_EQ(ids_of({.session_id = root, .status = WaitStatus::open}), std::vector{deepest.wait});
  EXPECT_EQ(ids_of({.status = WaitStatus::open}), (std::vector{other.wait, deepest.wait}));
  EXPECT_EQ(ids_of({.status = WaitStatus::answered}), std::vector{top.wait});
  EXPECT_TRUE(ids_of({.status = WaitStatus::expired}).empty());
  EXPECT_TRUE(ids_of({.session_id = new_session()}).empty());
  EXPECT_EQ(code_of(store().get_waits({.session_id = 4711})), ErrorCode::not_found);
}

TEST_P(StoreWaits, are_deleted_with_their_session) {
  const Asked kept = ask();
  const Asked gone = ask();
  NewSession child = session_named("child");
  child.parent_session_id = gone.session;
  ask_in(value_of(store().create_session(child)));
  expect_ok(store().delete_session(gone.session));
  EXPECT_EQ(ids_of({}), std::vector{kept.wait});
  EXPECT_EQ(code_of(store().answer_wait(gone.wait, {true, "ada"})), ErrorCode::not_found);
}

// Each of the threads answers through one of the stores; they start together.
void expect_one_winner(std::span<Store* const> stores, WaitId wait) {
  constexpr int kThreads = 100;
  std::atomic<int> winners = 0;
  std::atomic<int> refused = 0;
  std::atomic<int> winner = -1;
  std::latch start(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        Store& store = *stores[static_cast<std::size_t>(i) % stores.size()];
        start.arrive_and_wait();
        const auto answered = store.answer_wait(wait, {i, fmt::format("thread {}", i)});
        if (answered) {
          ++winners;
          winner = i;
        } else if (answered.error().code == ErrorCode::already_exists) {
          ++refused;
        }
      });
    }
  }
  EXPECT_EQ(winners, 1);
  EXPECT_EQ(refused, kThreads - 1);
  const auto waits = value_of(stores.front()->get_waits({}));
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].answer, Json(winner.load()));
  EXPECT_EQ(waits[0].answered_by, fmt::format("thread {}", winner.load()));
}

TEST_P(StoreWaits, of_a_hundred_threads_that_answer_one_wins) {
  const Asked asked = ask();
  Store* const only = &store();
  expect_one_winner({&only, 1}, asked.wait);
}

TEST(SqliteWaits, of_a_hundred_threads_on_several_connections_one_wins) {
  const TemporaryFolder folder;
  std::vector<std::unique_ptr<Store>> stores;
  std::vector<Store*> pointers;
  for (int i = 0; i < 5; ++i) {
    stores.push_back(value_of(open_sqlite_store(folder / "store.db")));
    ASSERT_NE(stores.back(), nullptr);
    pointers.push_back(stores.back().get());
  }
  const SessionId session = value_of(stores[0]->create_session(session_named("a")));
  const CallId call = value_of(stores[0]->create_tool_call(session, {}, {"c", "t", "{}"}));
  const std::vector<Write> writes{UpdateCall{.call_id = call, .status = CallStatus::waiting},
                                  OpenWait{session, call}};
  expect_one_winner(pointers, value_of(stores[0]->apply(writes)).waits.front());
}

}  // namespace
}  // namespace wright::store
