// What every store promises about the pace that all processes keep to together.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "store/permits.h"
#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

using std::chrono::milliseconds;

class StorePermits : public StoreSuite {
 protected:
  void SetUp() override {
    StoreSuite::SetUp();
    one_ = new_runner("one", std::chrono::hours(1'000));
    two_ = new_runner("two", std::chrono::hours(1'000));
  }
  Permits take(TakePermits write) {
    if (write.runner_id == 0) write.runner_id = one_;
    if (write.name.empty()) write.name = "vendor:model";
    const BatchIds ids = value_of(store().apply_one(write));
    EXPECT_EQ(ids.permits.size(), 1U);
    return ids.permits.empty() ? Permits{} : ids.permits.front();
  }
  Permits slots(RunnerId runner, std::int64_t wanted, std::int64_t used = 0) {
    return take(
        {.runner_id = runner, .concurrent_requests = 10, .slots = wanted, .used_slots = used});
  }

  RunnerId one_ = 0;
  RunnerId two_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Every, StorePermits, kEveryStore, name_of_kind);

TEST_P(StorePermits, are_given_at_the_pace_and_ten_seconds_worth_at_once) {
  const TakePermits many{.requests_per_minute = 60, .requests = 100};
  EXPECT_EQ(take(many).requests, 10);
  EXPECT_EQ(take(many).requests, 1) << "the next one is due now";
  const Permits none = take(many);
  EXPECT_EQ(none.requests, 0);
  EXPECT_EQ(none.wait, milliseconds(1'000));
  now_ += 3'000;
  EXPECT_EQ(take(many).requests, 2) << "whoever asks";
  now_ += 3'600'000;
  EXPECT_EQ(take({.runner_id = two_, .requests_per_minute = 60, .requests = 100}).requests, 10);
  EXPECT_EQ(take({.name = "another", .requests_per_minute = 60, .requests = 100}).requests, 10);
}

TEST_P(StorePermits, cost_nothing_without_a_limit) {
  EXPECT_EQ(take({.requests = 1'000'000, .tokens = 5, .slots = 7}),
            (Permits{1'000'000, 5, 7, milliseconds(0)}));
}

TEST_P(StorePermits, can_be_given_back) {
  const TakePermits many{.requests_per_minute = 60, .requests = 100};
  EXPECT_EQ(take(many).requests, 10);
  EXPECT_EQ(take({.requests_per_minute = 60, .requests = -4}).requests, -4);
  EXPECT_EQ(take({.runner_id = two_, .requests_per_minute = 60, .requests = 100}).requests, 4);
}

TEST_P(StorePermits, give_a_request_all_its_tokens_and_owe_them) {
  const auto ask = [&](std::int64_t tokens) {
    return take({.tokens_per_minute = 6'000, .tokens = tokens, .tokens_of_first = tokens});
  };
  EXPECT_EQ(ask(5'000).tokens, 5'000) << "more than ten seconds' worth, but it must go some time";
  const Permits none = ask(1);
  EXPECT_EQ(none.tokens, 0);
  EXPECT_EQ(none.wait, milliseconds(40'000));
  now_ += 40'000;
  EXPECT_EQ(ask(1).tokens, 1);
}

TEST_P(StorePermits, are_held_back_for_as_long_as_the_vendor_asks) {
  const Permits paused = take({.requests = 5, .pause = milliseconds(2'500)});
  EXPECT_EQ(paused.requests, 0);
  EXPECT_EQ(paused.wait, milliseconds(2'500));
  now_ += 2'499;
  EXPECT_EQ(take({.runner_id = two_, .requests = 5}).requests, 0);
  now_ += 1;
  EXPECT_EQ(take({.runner_id = two_, .requests = 5}).requests, 5);
}

TEST_P(StorePermits, for_requests_at_a_time_are_shared) {
  EXPECT_EQ(slots(one_, 30).slots, 10);
  EXPECT_EQ(slots(two_, 4).slots, 0) << "all are taken";
  EXPECT_EQ(slots(one_, 30, 8).slots, 8) << "those that are under way cannot be taken away";
  EXPECT_EQ(slots(two_, 4).slots, 2);
  EXPECT_EQ(slots(one_, 30, 3).slots, 5) << "its share, while the other lacks something";
  EXPECT_EQ(slots(two_, 4, 2).slots, 4);
  EXPECT_EQ(slots(one_, 30, 5).slots, 6) << "and what is left over";
  EXPECT_EQ(slots(two_, 0).slots, 0);
  EXPECT_EQ(slots(one_, 30, 6).slots, 10);
}

TEST_P(StorePermits, of_a_runner_that_is_gone_are_free) {
  const RunnerId brief = new_runner("brief", milliseconds(1'000));
  EXPECT_EQ(slots(brief, 10).slots, 10);
  EXPECT_EQ(slots(one_, 10).slots, 0);
  now_ += 1'001;
  EXPECT_EQ(slots(one_, 10).slots, 10);
  expect_ok(store().end_runner(one_));
  EXPECT_EQ(slots(two_, 3).slots, 3);
  EXPECT_EQ(code_of(store().apply_one(TakePermits{.runner_id = brief, .name = "x"})),
            ErrorCode::unavailable);
  expect_ok(store().renew_runner(brief, milliseconds(1'000)));
  EXPECT_EQ(slots(brief, 10, 9).slots, 9) << "what is under way counts, whatever happened";
  EXPECT_EQ(slots(two_, 3).slots, 1);
}

TEST_P(StorePermits, bear_any_number) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  for (const std::int64_t pace : {kLeast, kMost, std::int64_t{1}}) {
    for (const std::int64_t wanted : {kLeast, kMost}) {
      const Permits given = take({.name = "any\xff",
                                  .requests_per_minute = pace,
                                  .tokens_per_minute = pace,
                                  .concurrent_requests = pace,
                                  .requests = wanted,
                                  .tokens = wanted,
                                  .tokens_of_first = wanted,
                                  .slots = wanted,
                                  .used_slots = wanted,
                                  .pause = milliseconds(wanted)});
      EXPECT_GE(given.slots, 0);
      now_ += 3'600'001;
    }
  }
}

TEST_P(StorePermits, follow_the_rules_whatever_is_asked) {
  std::minstd_rand random(7);
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
  };
  PaceRow row;
  std::map<RunnerId, OtherSlots> held;
  for (int i = 0; i < 150; ++i) {
    TakePermits write{.runner_id = upto(1) == 0 ? one_ : two_,
                      .name = "random",
                      .requests_per_minute = upto(2) * 45,
                      .tokens_per_minute = upto(2) * 7'001,
                      .concurrent_requests = upto(2) * 6,
                      .requests = upto(20) - 5,
                      .tokens = upto(3'000) - 500,
                      .tokens_of_first = upto(900),
                      .slots = upto(12),
                      .used_slots = upto(3)};
    if (upto(20) == 0) write.pause = milliseconds(upto(1'500));
    std::vector<OtherSlots> others;
    for (const auto& [runner, slots] : held) {
      if (runner != write.runner_id) others.push_back(slots);
    }
    const PermitRuling ruling = permits_for(write, row, others, now_);
    EXPECT_EQ(take(write), ruling.permits) << "question " << i;
    row = ruling.row;
    held[write.runner_id] = {ruling.permits.slots, sensible(write).slots};
    now_ += upto(2'000);
  }
}

TEST_P(StorePermits, are_never_more_than_there_are_when_many_ask_at_once) {
  if (!is_shared(GetParam())) GTEST_SKIP();
  std::vector<std::thread> threads;
  std::array<std::int64_t, 4> requests{};
  std::array<std::int64_t, 4> slots{};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto own = open();
      const RunnerId runner = value_of(own->register_runner("many", std::chrono::hours(1)));
      for (int round = 0; round < 5; ++round) {
        const auto given = value_of(own->apply_one(TakePermits{.runner_id = runner,
                                                               .name = "many",
                                                               .requests_per_minute = 60,
                                                               .concurrent_requests = 7,
                                                               .requests = 2,
                                                               .slots = 3,
                                                               .used_slots = slots[i]}));
        requests[i] += given.permits.front().requests;
        slots[i] = given.permits.front().slots;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(requests[0] + requests[1] + requests[2] + requests[3], 11);
  EXPECT_LE(slots[0] + slots[1] + slots[2] + slots[3], 7);
}

}  // namespace
}  // namespace wright::store
