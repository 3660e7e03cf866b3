#include "models/pacer.h"

#include <gtest/gtest.h>

namespace wright::models {
namespace {

using namespace std::chrono_literals;

const Pacer::Time kStart = Pacer::Time() + 1'000'000s;

TEST(Pacer, without_limits_nothing_waits) {
  Pacer pacer({});
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ(pacer.reserve(kStart, 1'000'000), kStart);
}

TEST(Pacer, requests_come_no_faster_than_the_limit_after_a_short_burst) {
  Pacer pacer({.requests_per_minute = 60});
  Pacer::Time last = kStart;
  for (int i = 0; i < 120; ++i) last = pacer.reserve(kStart, 0);
  // Two minutes' worth, of which ten seconds' worth may go at once.
  EXPECT_EQ(last - kStart, 120s - 10s - 1s);
}

TEST(Pacer, never_more_than_a_minute_and_a_burst_within_a_minute) {
  Pacer pacer({.requests_per_minute = 30});
  int within_a_minute = 0;
  for (int i = 0; i < 100; ++i) {
    if (pacer.reserve(kStart, 0) < kStart + 1min) ++within_a_minute;
  }
  EXPECT_LE(within_a_minute, 30 + 5 + 1);
  EXPECT_GE(within_a_minute, 30);
}

TEST(Pacer, a_quiet_time_allows_one_burst_only) {
  Pacer pacer({.requests_per_minute = 60});
  EXPECT_EQ(pacer.reserve(kStart, 0), kStart);
  const auto later = kStart + 24h;
  int at_once = 0;
  while (pacer.reserve(later, 0) == later) ++at_once;
  EXPECT_EQ(at_once, 11);
}

TEST(Pacer, large_requests_wait_for_their_tokens) {
  Pacer pacer({.tokens_per_minute = 6'000});
  EXPECT_EQ(pacer.reserve(kStart, 6'000), kStart);
  EXPECT_EQ(pacer.reserve(kStart, 100) - kStart, 50s);
}

TEST(Pacer, nothing_goes_out_while_the_vendor_asked_for_a_pause) {
  Pacer pacer({});
  pacer.pause_until(kStart + 5s);
  pacer.pause_until(kStart + 3s);
  EXPECT_EQ(pacer.reserve(kStart, 0), kStart + 5s);
  EXPECT_EQ(pacer.reserve(kStart + 6s, 0), kStart + 6s);
}

}  // namespace
}  // namespace wright::models
