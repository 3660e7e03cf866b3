// The pace of models that processes share: the decisions, then two keepers on one store.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/permit_book.h"
#include "runtime/runtime_testing.h"
#include "store/forwarding_store.h"
#include "store/permits.h"

namespace wright::runtime {
namespace {

using Time = PermitBook::Time;
using testing::value_of;

// Books of several processes and the one bucket that they share, in simulated time.
class Fleet {
 public:
  explicit Fleet(std::size_t count) : books_(count), slots_(count) {}

  PermitBook& book(std::size_t i) { return books_[i]; }

  // Every book asks what it wants to, and lets go whoever may. The number of those.
  std::vector<std::size_t> tick(Time by) {
    now_ += by;
    std::vector<std::size_t> gone;
    for (std::size_t i = 0; i < books_.size(); ++i) {
      const auto asked = books_[i].questions(now_);
      std::vector<Permits> given;
      for (const TakePermits& take : asked) {
        std::vector<store::OtherSlots> others;
        for (std::size_t j = 0; j < slots_.size(); ++j) {
          if (j != i) others.push_back(slots_[j][take.name]);
        }
        const auto ruling = store::permits_for(take, rows_[take.name], others, now_);
        rows_[take.name] = ruling.row;
        slots_[i][take.name] = {ruling.permits.slots, take.slots};
        given.push_back(ruling.permits);
        ++questions_;
      }
      books_[i].answered(asked, given, now_);
      entries_[i] = books_[i].admit(now_);
      gone.push_back(entries_[i].size());
    }
    return gone;
  }
  const std::vector<PermitBook::Entry>& let_go(std::size_t i) { return entries_[i]; }
  int questions() const { return questions_; }
  Time now() const { return now_; }

 private:
  std::vector<PermitBook> books_;
  std::vector<std::map<std::string, store::OtherSlots>> slots_;
  std::map<std::string, store::PaceRow> rows_;
  std::map<std::size_t, std::vector<PermitBook::Entry>> entries_;
  int questions_ = 0;
  Time now_ = 1'000'000'000;
};

TEST(PermitBook, processes_together_keep_the_pace_and_ask_seldom) {
  Fleet fleet(4);
  const std::vector<PermitBook::Need> needs{{"v", {.requests_per_minute = 600}}};
  std::size_t gone = 0;
  for (int i = 0; i < 3'000; ++i) {  // a minute
    for (std::size_t process = 0; process < 4; ++process) {
      if (i % 14 == 0) fleet.book(process).enter(needs, 10);
    }
    for (const std::size_t count : fleet.tick(20)) gone += count;
  }
  EXPECT_GE(gone, 600U);
  EXPECT_LE(gone, 600U + 100U + 4U) << "and ten seconds' worth at the beginning";
  EXPECT_LT(fleet.questions(), 4 * 60 * 12) << "twelve questions a second at most, while starving";
}

TEST(PermitBook, gives_back_what_it_does_not_use) {
  Fleet fleet(2);
  const std::vector<PermitBook::Need> needs{{"v", {.requests_per_minute = 60}}};
  for (int i = 0; i < 10; ++i) fleet.book(0).enter(needs, 1);
  EXPECT_EQ(fleet.tick(10)[0], 10U);
  fleet.tick(3'000);
  for (int i = 0; i < 3; ++i) fleet.tick(1'000);
  const int before = fleet.questions();
  for (int i = 0; i < 50; ++i) fleet.tick(1'000);
  EXPECT_LE(fleet.questions() - before, 4) << "whoever sends nothing asks nothing";
  for (int i = 0; i < 20; ++i) fleet.book(1).enter(needs, 1);
  EXPECT_EQ(fleet.tick(10)[1], 10U) << "the bucket is full again";
}

TEST(PermitBook, counts_the_tokens_that_were_really_used) {
  Fleet fleet(1);
  const std::vector<PermitBook::Need> needs{{"v", {.tokens_per_minute = 6'000}}};
  fleet.book(0).enter(needs, 100);
  EXPECT_EQ(fleet.tick(10)[0], 1U);
  fleet.book(0).leave(fleet.let_go(0).front(), {.tokens = 7'000});
  fleet.book(0).enter(needs, 100);
  EXPECT_EQ(fleet.tick(30)[0], 1U) << "the bucket was not empty, and pays for both";
  fleet.book(0).enter(needs, 100);
  Time waited = 0;
  while (fleet.tick(100)[0] == 0 && waited < 120'000) waited += 100;
  EXPECT_GT(waited, 55'000) << "less the ten seconds' worth that was there";
  EXPECT_LT(waited, 70'000);
}

TEST(PermitBook, never_has_more_under_way_than_all_may_have_together) {
  Fleet fleet(3);
  const std::vector<PermitBook::Need> needs{{"v", {.concurrent_requests = 7}}};
  std::vector<std::vector<PermitBook::Entry>> under_way(3);
  std::size_t done = 0;
  for (int i = 0; i < 400; ++i) {
    for (std::size_t process = 0; process < 3; ++process) {
      for (int j = 0; i % 4 == 0 && j < 3; ++j) fleet.book(process).enter(needs, 1);
    }
    fleet.tick(50);
    std::size_t all = 0;
    for (std::size_t process = 0; process < 3; ++process) {
      for (const auto entry : fleet.let_go(process)) under_way[process].push_back(entry);
      all += under_way[process].size();
    }
    ASSERT_LE(all, 7U) << i;
    auto& some = under_way[static_cast<std::size_t>(i) % 3];
    while (!some.empty()) {
      fleet.book(static_cast<std::size_t>(i) % 3).leave(some.back(), {});
      some.pop_back();
      ++done;
    }
  }
  EXPECT_GT(done, 300U);
}

TEST(PermitBook, one_that_waits_for_its_model_does_not_hold_up_others_of_the_vendor) {
  Fleet fleet(1);
  const PermitBook::Need vendor{"v", {.requests_per_minute = 6'000}};
  const PermitBook::Need slow{"v:slow", {.requests_per_minute = 6}};
  PermitBook& book = fleet.book(0);
  for (int i = 0; i < 3; ++i) book.enter({vendor, slow}, 1);
  book.enter({vendor}, 1);
  EXPECT_EQ(fleet.tick(10)[0], 2U) << "one of the slow model, and the other";
  EXPECT_EQ(book.waited_for(), std::vector<std::string>{"v:slow"});
}

TEST(PermitBook, all_heed_what_the_vendor_told_one_of_them) {
  Fleet fleet(2);
  const std::vector<PermitBook::Need> needs{{"v", {.concurrent_requests = 10}}};
  fleet.book(0).enter(needs, 1);
  fleet.tick(10);
  fleet.book(0).leave(fleet.let_go(0).front(), {.pause = std::chrono::milliseconds(1'500)});
  fleet.book(1).enter(needs, 1);
  EXPECT_EQ(fleet.tick(10)[1], 0U);
  EXPECT_EQ(fleet.tick(1'400)[1], 0U);
  std::size_t gone = 0;
  for (int i = 0; i < 20; ++i) gone += fleet.tick(100)[1];
  EXPECT_EQ(gone, 1U);
}

Endpoint endpoint_with(Pace pace) {
  return {.vendor = {.name = "v", .pace = pace}, .model = {.name = "m"}};
}

// Two processes, as it were.
TEST(SharedPace, lets_go_whom_the_store_permits) {
  const auto store = open_memory_store();
  const auto one = value_of(make_shared_pace(*store));
  const auto two = value_of(make_shared_pace(*store));
  const Endpoint endpoint = endpoint_with({.concurrent_requests = 2});
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::size_t> gone;  // in their order
  std::vector<std::pair<PaceKeeper*, PaceKeeper::Entry>> entries;
  for (std::size_t i = 0; i < 6; ++i) {
    PaceKeeper* keeper = i % 2 == 0 ? one.get() : two.get();
    entries.emplace_back(keeper, keeper->enter(endpoint, 1, [&, i] {
      const std::lock_guard lock(mutex);
      gone.push_back(i);
      changed.notify_all();
    }));
  }
  for (std::size_t left = 0; left < 6; ++left) {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(
        changed.wait_for(lock, std::chrono::seconds(30), [&] { return gone.size() > left; }));
    EXPECT_LE(gone.size() - left, 2U) << "under way at once";
    const auto [keeper, entry] = entries[gone[left]];
    lock.unlock();
    keeper->leave(entry, {});
  }
}

TEST(SharedPace, holds_nobody_back_where_there_is_no_limit) {
  const auto store = open_memory_store();
  const auto keeper = value_of(make_shared_pace(*store));
  bool has_gone = false;
  keeper->leave(keeper->enter(endpoint_with({}), 1, [&] { has_gone = true; }), {});
  EXPECT_TRUE(has_gone);
}

class AwayStore final : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    if (!is_away) return ForwardingStore::apply_all(batches);
    return std::vector<Result<BatchIds>>(batches.size(), fail(ErrorCode::unavailable, "away"));
  }
  std::atomic<bool> is_away = false;
};

TEST(SharedPace, waits_for_a_store_that_is_away_and_forgets_who_has_left) {
  const auto inner = open_memory_store();
  AwayStore store(*inner);
  const auto keeper = value_of(make_shared_pace(store));
  store.is_away = true;
  const Endpoint endpoint = endpoint_with({.requests_per_minute = 600});
  std::atomic<bool> has_gone = false;
  std::atomic<bool> has_gone_first = false;
  const auto first = keeper->enter(endpoint, 1, [&] { has_gone_first = true; });
  keeper->enter(endpoint, 1, [&] {
    has_gone = true;
    has_gone.notify_all();
  });
  EXPECT_EQ(keeper->waited_for(), std::vector<std::string>{"v"});
  keeper->leave(first, {});
  store.is_away = false;
  has_gone.wait(false);
  EXPECT_FALSE(has_gone_first);
  EXPECT_TRUE(keeper->waited_for().empty());
}

TEST(BusyModels, are_left_in_the_queue) {
  const auto store = open_memory_store();
  const auto agent = testing::agent_with("a", testing::calling({}), {});
  std::vector<std::string> busy{"test:calling"};
  const auto runtime = value_of(
      Runtime::open({.store = store.get(),
                     .agents = [&](const Session&) -> Result<AgentPointer> { return agent; },
                     .busy_models = [&] { return busy; }}));
  for (const char* model : {"calling", "another"}) {
    value_of(store->create_session({.agent_name = "a",
                                    .provider = "test",
                                    .model = model,
                                    .user_prompt = "Go",
                                    .is_queued = true}));
  }
  EXPECT_EQ(value_of(runtime->claim(9)), std::vector<SessionId>{2});
  busy.clear();
  EXPECT_EQ(value_of(runtime->claim(9)), std::vector<SessionId>{1});
  runtime->drain(std::chrono::seconds(30));
}

}  // namespace
}  // namespace wright::runtime
