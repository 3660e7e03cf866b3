#include "store/stats_collector.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wright::store {
namespace {

TEST(StatsCollector, groups_by_all_of_a_name_and_sorts) {
  StatsCollector collector;
  const auto first = collector.group_of("b", "p", "m");
  // The same letters, divided elsewhere.
  const auto second = collector.group_of("bp", "", "m");
  const auto third = collector.group_of("b", "pm", "");
  EXPECT_EQ(collector.group_of("b", "p", "m"), first);
  const std::vector<std::int64_t> two{9, 7};
  for (const auto group : {first, second, third}) {
    collector.add_runs(group, {.count = 2, .failed = 1, .durations_ms = two});
    collector.add_calls(group, {.tool_name = "z", .durations_ms = durations_of(5)});
    collector.add_calls(group, {.tool_name = "y", .count = 3, .unknown = 2, .durations_ms = two});
    collector.add_calls(group, {.tool_name = "z", .failed = 1, .durations_ms = durations_of(2)});
    collector.add_calls(group, {.tool_name = "z", .durations_ms = durations_of(std::nullopt)});
  }
  collector.group_of("nobody", "", "");
  const StoreStats stats = std::move(collector).finish();
  ASSERT_EQ(stats.runs.size(), 3U) << "a group without sessions is none";
  EXPECT_EQ(stats.runs[0].provider, "p");
  EXPECT_EQ(stats.runs[1].provider, "pm");
  EXPECT_EQ(stats.runs[2].agent_name, "bp");
  EXPECT_EQ(stats.runs[0].count, 2);
  EXPECT_EQ(stats.runs[0].failed, 1);
  EXPECT_EQ(stats.runs[0].durations_ms, (std::vector<std::int64_t>{7, 9}));
  ASSERT_EQ(stats.calls.size(), 6U);
  EXPECT_EQ(stats.calls[0].tool_name, "y");
  EXPECT_EQ(stats.calls[0].count, 3);
  EXPECT_EQ(stats.calls[0].unknown, 2);
  EXPECT_EQ(stats.calls[3].tool_name, "z");
  EXPECT_EQ(stats.calls[3].failed, 1);
  EXPECT_EQ(stats.calls[3].durations_ms, (std::vector<std::int64_t>{2, 5}));
}

// The figures of one agent are put together with those of others: a group that kept a larger share
// of its durations would weigh too much.
TEST(StatsCollector, keeps_as_many_durations_as_it_may_and_of_every_group_alike) {
  constexpr std::size_t kMost = 20'000;
  StatsCollector collector(kMost);
  const auto busy = collector.group_of("busy", "p", "m");
  const auto calm = collector.group_of("calm", "p", "m");
  const auto rare = collector.group_of("rare", "p", "m");
  collector.add_runs(rare, {.durations_ms = durations_of(5)});
  for (std::int64_t i = 0; i < 100'000; ++i) {
    collector.add_runs(busy, {.durations_ms = durations_of(i % 2 == 0 ? 10 : 1000)});
    collector.add_calls(busy, {.tool_name = "t", .durations_ms = durations_of(i % 100)});
    if (i % 10 == 0) collector.add_runs(calm, {.durations_ms = durations_of(i)});
  }
  const StoreStats stats = std::move(collector).finish();
  ASSERT_EQ(stats.runs.size(), 3U);
  const auto& durations = stats.runs[0].durations_ms;
  EXPECT_LE(
      durations.size() + stats.runs[1].durations_ms.size() + stats.calls[0].durations_ms.size(),
      kMost);
  EXPECT_EQ(stats.runs[0].count, 100'000);
  EXPECT_EQ(stats.calls[0].count, 100'000);
  // What comes by turns is not mistaken for one of the two.
  const auto quick = std::ranges::count(durations, 10);
  EXPECT_GT(quick, std::ssize(durations) * 45 / 100);
  EXPECT_LT(quick, std::ssize(durations) * 55 / 100);
  EXPECT_GT(stats.runs[1].durations_ms.size(), durations.size() * 8 / 100);
  EXPECT_LT(stats.runs[1].durations_ms.size(), durations.size() * 12 / 100);
  EXPECT_EQ(stats.runs[2].durations_ms, std::vector<std::int64_t>{5}) << "it has no other";
}

}  // namespace
}  // namespace wright::store
