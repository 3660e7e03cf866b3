// What every store promises about clocks: how long a runner lives does not depend on a wall clock
// that jumps, among processes that share a boot clock.
#include <gtest/gtest.h>

#include <chrono>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kHour = 3'600'000;

class StoreClocks : public StoreSuite {
 protected:
  Clocks clocks_of(std::string boot_id) {
    return {[this] { return now_; }, [this] { return boot_; }, std::move(boot_id)};
  }
  // A session that a runner with 100 ms has just taken.
  struct Held {
    std::unique_ptr<Store> store;
    SessionId session = 0;
    RunnerId runner = 0;
  };
  Held held_in(std::string file) {
    Held held{.store = open_with(clocks_of("boot 1"), file)};
    held.session = value_of(held.store->create_session(session_named("a")));
    held.runner = value_of(held.store->register_runner("host:1", milliseconds(100)));
    value_of(held.store->apply_one(ClaimLease{held.session, held.runner}));
    return held;
  }
  static bool holds(const Held& held) {
    return held.store->apply_one(HoldLease{held.session, held.runner, 1}).has_value();
  }

  std::int64_t boot_ = 5000;
};
INSTANTIATE_TEST_SUITE_P(Every, StoreClocks, kEveryStore, name_of_kind);

TEST_P(StoreClocks, a_jump_of_the_wall_clock_ends_no_runner_and_revives_none) {
  const Held held = held_in("jumps.db");
  const Runner runner = value_of(held.store->get_runners()).at(0);
  EXPECT_EQ(runner.expires_at, now_ + 100);
  EXPECT_EQ(runner.boot_expires_at, boot_ + 100);
  EXPECT_EQ(runner.boot_id, "boot 1");
  const RunnerId other = value_of(held.store->register_runner("host:2", milliseconds(kHour)));
  for (const std::int64_t jump : {kHour, -3 * kHour}) {
    now_ += jump;
    EXPECT_TRUE(holds(held)) << jump;
    EXPECT_EQ(code_of(held.store->apply_one(ClaimLease{held.session, other})),
              ErrorCode::unavailable);
    EXPECT_TRUE(value_of(held.store->list_sessions({.needs_driver = true})).empty());
    EXPECT_TRUE(value_of(held.store->list_sessions({.is_abandoned = true})).empty());
  }
  boot_ += 99;
  EXPECT_TRUE(holds(held));
  boot_ += 1;
  EXPECT_FALSE(holds(held)) << "the wall clock is still behind";
  EXPECT_EQ(value_of(held.store->list_sessions({.needs_driver = true})).size(), 1U);
  expect_ok(held.store->renew_runner(held.runner, milliseconds(100)));
  EXPECT_TRUE(holds(held));
  boot_ += 100;
  EXPECT_TRUE(held.store->apply_one(ClaimLease{held.session, other}).has_value());
}

TEST_P(StoreClocks, without_a_boot_clock_the_wall_clock_decides) {
  const RunnerId runner = new_runner("host:1", milliseconds(100));
  const SessionId id = new_session();
  value_of(store().apply_one(ClaimLease{id, runner}));
  EXPECT_EQ(value_of(store().get_runners()).at(0).boot_id, "");
  boot_ += kHour;
  EXPECT_TRUE(store().apply_one(HoldLease{id, runner}).has_value());
  now_ += 100;
  EXPECT_FALSE(store().apply_one(HoldLease{id, runner}).has_value());
}

TEST_P(StoreClocks, another_boot_or_machine_judges_by_the_wall_clock) {
  if (!is_shared(GetParam())) GTEST_SKIP() << "nobody else can see the store";
  const Held held = held_in("shared.db");
  const auto elsewhere = open_with(clocks_of("boot 2"), "shared.db");
  const auto here = open_with(clocks_of("boot 1"), "shared.db");
  const auto is_abandoned = [](Store& store) {
    return !value_of(store.list_sessions({.is_abandoned = true})).empty();
  };
  boot_ += kHour;  // boot clocks of two machines have nothing to do with each other
  EXPECT_FALSE(is_abandoned(*elsewhere));
  EXPECT_TRUE(is_abandoned(*here));
  boot_ -= kHour;
  now_ += 100;
  EXPECT_TRUE(is_abandoned(*elsewhere));
  EXPECT_FALSE(is_abandoned(*here));
  const RunnerId other = value_of(elsewhere->register_runner("other:1", milliseconds(100)));
  EXPECT_TRUE(elsewhere->apply_one(ClaimLease{held.session, other}).has_value());
  EXPECT_FALSE(holds(held)) << "fenced, whatever its own clock says";
}

TEST(StoreClock, of_the_system_counts_from_a_boot_that_has_a_name) {
  const Clocks clocks;
  EXPECT_GE(clocks.boot_id.size(), 36U) << clocks.boot_id;
  EXPECT_EQ(clocks.boot_id, Clocks().boot_id);
  const std::int64_t before = clocks.boot();
  EXPECT_GT(before, 0);
  EXPECT_GE(clocks.boot(), before);
  EXPECT_GT(clocks.wall(), 1'600'000'000'000);
}

}  // namespace
}  // namespace wright::store
