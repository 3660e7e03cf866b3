#include "app/terminal/figures.h"

#include <gtest/gtest.h>

#include <limits>

namespace wright::app {
namespace {

TEST(Figures, show_durations_in_the_fitting_unit) {
  EXPECT_EQ(show_duration(0.42), "0.4 ms");
  EXPECT_EQ(show_duration(9.96), "10 ms");
  EXPECT_EQ(show_duration(120.4), "120 ms");
  EXPECT_EQ(show_duration(999.6), "1.0 s");
  EXPECT_EQ(show_duration(59'940), "59.9 s");
  EXPECT_EQ(show_duration(59'999), "1 min 0 s");
  EXPECT_EQ(show_duration(125'000), "2 min 5 s");
  EXPECT_EQ(show_duration(3'660'000), "1 h 1 min");
  EXPECT_EQ(show_duration(-1), "0.0 ms");
}

TEST(Figures, show_counts_short) {
  EXPECT_EQ(show_count(999), "999");
  EXPECT_EQ(show_count(1234), "1.2k");
  EXPECT_EQ(show_count(999'949), "999.9k");
  EXPECT_EQ(show_count(999'999), "1.0M");
  EXPECT_EQ(show_counted(1, "turn"), "1 turn");
  EXPECT_EQ(show_counted(0, "turn"), "0 turns");
}

constexpr std::int64_t kNow = 1'700'000'000'000;

TEST(Figures, show_how_long_ago_something_was) {
  EXPECT_EQ(show_age(kNow - 5'000, kNow), "just now");
  EXPECT_EQ(show_age(kNow - 300'000, kNow), "5 min ago");
  EXPECT_EQ(show_age(kNow - 7'200'000, kNow), "2 h ago");
  EXPECT_EQ(show_age(kNow - 86'400'000, kNow), "1 day ago");
  EXPECT_EQ(show_age(kNow + 60'000, kNow), show_time(kNow + 60'000));
  EXPECT_FALSE(show_age(std::numeric_limits<std::int64_t>::min(), kNow).contains("ago"));
}

TEST(Moments, are_spans_before_now_or_dates) {
  EXPECT_EQ(moment_from("90s", kNow), kNow - 90'000);
  EXPECT_EQ(moment_from("2h", kNow), kNow - 7'200'000);
  EXPECT_EQ(moment_from("3d", kNow), kNow - 3 * 86'400'000LL);
  EXPECT_EQ(moment_from("1w", kNow), kNow - 7 * 86'400'000LL);
  EXPECT_EQ(moment_from("2023-11-14T22:13:20Z", kNow), kNow);
  EXPECT_EQ(moment_from("2023-11-14T22:13Z", kNow), kNow - 20'000);
  EXPECT_EQ(moment_from("1970-01-01Z", kNow), 0);
  const auto midnight = moment_from("today", kNow);
  ASSERT_TRUE(midnight);
  EXPECT_TRUE(show_time(*midnight).ends_with(" 00:00:00")) << show_time(*midnight);
  EXPECT_LE(*midnight, kNow);
  EXPECT_LT(moment_from("yesterday", kNow).value(), *midnight);
}

TEST(Moments, refuse_what_is_no_time) {
  for (const char* text : {"", "h", "2", "2x", "-2h", "2.5h", "99999999999999999999h", "2026-02-30",
                           "2026-13-01", "2026-01-01T99:00", "soon", "2026-01-01 garbage"}) {
    const auto moment = moment_from(text, kNow);
    ASSERT_FALSE(moment) << text;
    EXPECT_EQ(moment.error().code, ErrorCode::invalid_argument);
  }
}

TEST(Tokens, say_which_share_came_from_a_cache) {
  EXPECT_EQ(show_tokens({.input_tokens = 3'800, .output_tokens = 597}), "3.8k tokens in, 597 out");
  EXPECT_EQ(show_tokens({.input_tokens = 3'800, .output_tokens = 597, .cached_tokens = 2'380}),
            "3.8k tokens in (62 % cached), 597 out");
  EXPECT_EQ(show_tokens({.input_tokens = 950, .output_tokens = 1, .cached_tokens = 1}),
            "950 tokens in (under 1 % cached), 1 out");
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(show_tokens({.input_tokens = kMost, .cached_tokens = kMost}).find("(100 % cached)"),
            std::string::npos);
  EXPECT_EQ(show_tokens({.input_tokens = 5, .output_tokens = 1, .cached_tokens = 9}),
            "5 tokens in (100 % cached), 1 out");
}

}  // namespace
}  // namespace wright::app
