// Records: one of many who try at once succeeds, and what is due is found in order.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

class StoreRecords : public StoreSuite {
 protected:
  Result<BatchIds> put(std::string key, Json value, std::int64_t due_at = 0,
                       std::optional<std::int64_t> version = {}) {
    return store().apply_one(PutRecord{"note", std::move(key), std::move(value), due_at, version});
  }
  std::vector<std::string> keys(RecordFilter filter = {}) {
    filter.kind = "note";
    std::vector<std::string> keys;
    for (const Record& record : value_of(store().get_records(filter))) keys.push_back(record.key);
    return keys;
  }
};

TEST_P(StoreRecords, are_put_once_and_replaced_by_who_knows_their_version) {
  value_of(put("a", {{"n", 1}}, 7));
  EXPECT_EQ(code_of(put("a", 2)), ErrorCode::already_exists);
  const Record first{"note", "a", Json{{"n", 1}}, 7, 1};
  EXPECT_EQ(value_of(store().get_records({.kind = "note"})), std::vector{first});

  value_of(put("a", "x", 9, 1));
  EXPECT_EQ(code_of(put("a", "y", 9, 1)), ErrorCode::unavailable);
  EXPECT_EQ(code_of(put("gone", "y", 9, 1)), ErrorCode::unavailable);
  const Record second{"note", "a", Json("x"), 9, 2};
  EXPECT_EQ(value_of(store().get_records({.kind = "note", .key = "a"})), std::vector{second});
  EXPECT_TRUE(value_of(store().get_records({.kind = "other"})).empty());
}

TEST_P(StoreRecords, go_with_the_session_that_they_belong_to) {
  const auto session = [&] { return value_of(store().create_session({.agent_name = "a"})); };
  const SessionId deleted = session();
  const SessionId pruned = session();
  const SessionId kept = session();
  const auto put_for = [&](std::string key, std::optional<SessionId> id) {
    return store().apply_one(PutRecord{.kind = "note", .key = std::move(key), .session_id = id});
  };
  value_of(put_for("a", deleted));
  value_of(put_for("b", pruned));
  value_of(put_for("c", kept));
  value_of(put_for("d", {}));
  EXPECT_EQ(code_of(put_for("e", kept + 1000)), ErrorCode::not_found);
  EXPECT_EQ(code_of(put_for("c", kept)), ErrorCode::already_exists);
  EXPECT_EQ(keys({.session_id = pruned}), (std::vector<std::string>{"b"}));
  EXPECT_EQ(value_of(store().get_records({.kind = "note", .key = "a"})).front().session_id,
            deleted);

  value_of(store().apply_one(DeleteSession{.session_id = deleted}));
  EXPECT_EQ(keys(), (std::vector<std::string>{"b", "c", "d"}));
  value_of(
      store().apply_one(UpdateSession{.session_id = pruned, .status = SessionStatus::completed}));
  const auto done =
      value_of(store().apply_one(Prune{.ended_before = std::numeric_limits<std::int64_t>::max()}));
  EXPECT_EQ(done.pruned, std::vector{pruned});
  EXPECT_EQ(keys(), (std::vector<std::string>{"c", "d"}));

  // One that is replaced stays whose it is.
  value_of(put("c", "x", 0, 1));
  EXPECT_EQ(keys({.session_id = kept}), (std::vector<std::string>{"c"}));
}

TEST_P(StoreRecords, come_back_with_their_session_when_a_batch_is_refused) {
  const SessionId id = value_of(store().create_session({.agent_name = "a"}));
  value_of(store().apply_one(PutRecord{.kind = "note", .key = "a", .session_id = id}));
  const std::vector<Write> writes{DeleteSession{.session_id = id},
                                  DeleteSession{.session_id = id + 1000}};
  EXPECT_FALSE(store().apply(writes));
  EXPECT_EQ(keys({.session_id = id}), (std::vector<std::string>{"a"}));
}

TEST_P(StoreRecords, that_are_messages_are_told_to_whoever_drives_the_session) {
  const RunnerId runner = value_of(store().register_runner("one", std::chrono::seconds(30)));
  const RunnerId other = value_of(store().register_runner("two", std::chrono::seconds(30)));
  const SessionId driven =
      value_of(store().create_session({.agent_name = "a", .runner_id = runner}));
  const SessionId free = value_of(store().create_session({.agent_name = "a"}));
  for (const SessionId id : {driven, free}) {
    for (const char* key : {"1", "2"}) {
      value_of(store().apply_one(PutRecord{.kind = std::string(kSaidRecords),
                                           .key = std::to_string(id) + "/" + key,
                                           .session_id = id}));
    }
    value_of(
        store().apply_one(PutRecord{.kind = "note", .key = std::to_string(id), .session_id = id}));
  }
  EXPECT_EQ(value_of(store().get_news(runner)).spoken_to, std::vector{driven});
  EXPECT_TRUE(value_of(store().get_news(other)).spoken_to.empty());
  value_of(store().apply_one(RemoveRecords{.kind = std::string(kSaidRecords)}));
  EXPECT_TRUE(value_of(store().get_news(runner)).spoken_to.empty());
}

TEST_P(StoreRecords, are_listed_by_when_they_are_due) {
  value_of(put("late", 1, 30));
  value_of(put("soon", 1, 10));
  value_of(put("also soon", 1, 10));
  value_of(put("past", 1, -5));
  EXPECT_EQ(keys(), (std::vector<std::string>{"past", "soon", "also soon", "late"}));
  EXPECT_EQ(keys({.due_before = 30}), (std::vector<std::string>{"past", "soon", "also soon"}));
  EXPECT_EQ(keys({.limit = 2}), (std::vector<std::string>{"past", "soon"}));
}

TEST_P(StoreRecords, are_removed_by_key_version_and_time) {
  for (const char* key : {"a", "b", "c"}) value_of(put(key, 1, key[0]));
  value_of(store().apply_one(PutRecord{"other", "a", 1, 0, {}}));
  value_of(store().apply_one(RemoveRecords{.kind = "note", .key = "a", .version = 2}));
  EXPECT_EQ(keys().size(), 3U);
  value_of(store().apply_one(RemoveRecords{.kind = "note", .key = "a", .version = 1}));
  EXPECT_EQ(keys(), (std::vector<std::string>{"b", "c"}));
  value_of(store().apply_one(RemoveRecords{.kind = "note", .due_before = 'c'}));
  EXPECT_EQ(keys(), (std::vector<std::string>{"c"}));
  value_of(store().apply_one(RemoveRecords{.kind = "note"}));
  EXPECT_TRUE(keys().empty());
  EXPECT_EQ(value_of(store().get_records({.kind = "other"})).size(), 1U);
}

TEST_P(StoreRecords, stand_or_fall_with_their_batch) {
  value_of(put("a", 1));
  const std::vector<Write> writes{PutRecord{"note", "a", 2, 0, 1}, PutRecord{"note", "b", 2, 0, {}},
                                  RemoveRecords{.kind = "note", .key = "a"},
                                  UpdateCall{.call_id = 4711}};
  EXPECT_FALSE(store().apply(writes));
  const Record before{"note", "a", Json(1), 0, 1};
  EXPECT_EQ(value_of(store().get_records({.kind = "note"})), std::vector{before});
}

TEST_P(StoreRecords, keep_any_text_and_any_value) {
  const std::string odd = "snow ☃ 'quote\" \\ %";
  value_of(put(odd, {{"text", "line\nbreak"}, {"list", {1, nullptr, true}}}, 1));
  const auto records = value_of(store().get_records({.kind = "note", .key = odd}));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].value, (Json{{"text", "line\nbreak"}, {"list", {1, nullptr, true}}}));
}

TEST_P(StoreRecords, are_won_by_one_of_many) {
  if (!is_shared(GetParam())) GTEST_SKIP() << "one process alone has it";
  std::atomic<int> winners = 0;
  std::vector<std::jthread> all;
  for (int i = 0; i < 4; ++i) {
    all.emplace_back([&] {
      const auto own = open();
      if (own == nullptr) return;
      for (int n = 0; n < 10; ++n) {
        if (own->apply_one(PutRecord{"race", std::to_string(n), 1, 0, {}})) ++winners;
      }
    });
  }
  all.clear();
  EXPECT_EQ(winners, 10);
}

INSTANTIATE_TEST_SUITE_P(Every, StoreRecords, kEveryStore, name_of_kind);

}  // namespace
}  // namespace wright::store
