// Records: one of many who try at once succeeds, and what is due is found in order.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "store/store_suite.h"

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
