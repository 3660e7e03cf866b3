#include "app/settings/setting_value.h"

#include <gtest/gtest.h>

namespace wright::app {
namespace {

using std::chrono::milliseconds;

TEST(Durations, have_a_unit) {
  EXPECT_EQ(duration_from("250ms"), milliseconds(250));
  EXPECT_EQ(duration_from("30s"), milliseconds(30'000));
  EXPECT_EQ(duration_from("1.5s"), milliseconds(1500));
  EXPECT_EQ(duration_from("5m"), milliseconds(300'000));
  EXPECT_EQ(duration_from("5min"), milliseconds(300'000));
  EXPECT_EQ(duration_from("1000h"), std::chrono::hours(1000));
}

TEST(Durations, are_refused_without_one_or_out_of_range) {
  for (const char* text : {"", "30", "s", "30 s", "30S", "-1s", "+1s", "0s", "0.1ms", "1001h",
                           "1e3s", "infs", "nans", "1..2s", "30s ", "999999999999999999999h"}) {
    EXPECT_FALSE(duration_from(text)) << text;
  }
}

TEST(Rates, are_a_number_and_a_time) {
  EXPECT_EQ(rate_from("5/s"), 5);
  EXPECT_EQ(rate_from("120/min"), 2);
  EXPECT_EQ(rate_from("1800/h"), 0.5);
  EXPECT_EQ(rate_from("0.5/s"), 0.5);
  for (const char* text : {"", "5", "5/", "/s", "0/s", "-1/s", "5/day", "1e9/s", "9999999/s"}) {
    EXPECT_FALSE(rate_from(text)) << text;
  }
}

TEST(Names, are_separated_by_commas) {
  EXPECT_EQ(names_in("a, b,c"), (std::vector<std::string_view>{"a", "b", "c"}));
  EXPECT_EQ(names_in(" a ,, "), (std::vector<std::string_view>{"a"}));
  EXPECT_TRUE(names_in("").empty());
}

TEST(SettingValues, of_every_key_have_a_default_that_is_allowed) {
  for (const ConfigKey& key : kConfigKeys) {
    if (key.fallback.empty()) continue;
    const auto value = setting_value_from(key, key.fallback);
    EXPECT_TRUE(value) << key.full_name() << ": " << value.error().message;
  }
}

TEST(SettingValues, of_a_list_are_kept_in_one_form) {
  EXPECT_EQ(setting_value_from(keys::kReadable, "a,b"), SettingValue("a, b"));
}

}  // namespace
}  // namespace wright::app
