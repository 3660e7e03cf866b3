#include "entities/calendar.h"

#include <gtest/gtest.h>

#include <string>

#include "core/iso_time.h"

namespace wright::entities {
namespace {

std::string parsed(std::string_view text) {
  const auto time = parse_time(text);
  return time ? std::string(IsoTime(*time).text()) : "(none)";
}

std::string shown(std::int64_t time) {
  return std::string(IsoTime(time).text());
}

TEST(Calendar, reads_times_as_people_write_them) {
  EXPECT_EQ(parsed("2025-03-01"), "2025-03-01T00:00:00.000Z");
  EXPECT_EQ(parsed("2025-03"), "2025-03-01T00:00:00.000Z");
  EXPECT_EQ(parsed("2025"), "2025-01-01T00:00:00.000Z");
  EXPECT_EQ(parsed("2025-03-01 12:30"), "2025-03-01T12:30:00.000Z");
  EXPECT_EQ(parsed(" 2025-03-01T12:30:05.25Z "), "2025-03-01T12:30:05.250Z");
  EXPECT_EQ(parsed("2025-03-01T00:30:00+01:00"), "2025-02-28T23:30:00.000Z");
  EXPECT_EQ(parsed("2025-03-01T00:30:00-0130"), "2025-03-01T02:00:00.000Z");
  EXPECT_EQ(parsed("2024-02-29"), "2024-02-29T00:00:00.000Z");
  EXPECT_EQ(parsed("1969-12-31"), "1969-12-31T00:00:00.000Z");
}

TEST(Calendar, refuses_what_is_no_time) {
  for (const char* text : {"", "soon", "2025-13-01", "2025-02-29", "2025-00-10", "20250301",
                           "2025-03-01T", "2025-03-01T25:00", "2025-03-01Tx", "2025-03-01T12:61",
                           "2025-03-01 12:30 garbage", "-2025-01-01", "2025-03-01T12:30+99"}) {
    EXPECT_EQ(parsed(text), "(none)") << text;
  }
}

TEST(Calendar, tells_seconds_from_milliseconds) {
  EXPECT_EQ(time_of_number(1'700'000'000), 1'700'000'000'000);
  EXPECT_EQ(time_of_number(1'700'000'000'000), 1'700'000'000'000);
  EXPECT_EQ(time_of_number(1e300), static_cast<std::int64_t>(9e15));
}

TEST(Calendar, goes_back_by_the_calendar) {
  const std::int64_t now = *parse_time("2025-03-31T10:00:00Z");
  EXPECT_EQ(shown(start_of(Period::last_minute, now)), "2025-03-31T09:59:00.000Z");
  EXPECT_EQ(shown(start_of(Period::last_hour, now)), "2025-03-31T09:00:00.000Z");
  EXPECT_EQ(shown(start_of(Period::last_day, now)), "2025-03-30T10:00:00.000Z");
  EXPECT_EQ(shown(start_of(Period::last_week, now)), "2025-03-24T10:00:00.000Z");
  EXPECT_EQ(shown(start_of(Period::last_month, now)), "2025-02-28T10:00:00.000Z");
  EXPECT_EQ(shown(start_of(Period::last_quarter, now)), "2024-12-31T10:00:00.000Z");
  EXPECT_EQ(shown(start_of(Period::last_year, *parse_time("2024-02-29"))),
            "2023-02-28T00:00:00.000Z");
}

TEST(Calendar, rounds_down_to_and_past_a_unit) {
  const std::int64_t time = *parse_time("2024-12-31T23:59:59.500Z");
  EXPECT_EQ(shown(floor_to(Precision::second, time)), "2024-12-31T23:59:59.000Z");
  EXPECT_EQ(shown(floor_to(Precision::minute, time)), "2024-12-31T23:59:00.000Z");
  EXPECT_EQ(shown(floor_to(Precision::hour, time)), "2024-12-31T23:00:00.000Z");
  EXPECT_EQ(shown(floor_to(Precision::day, time)), "2024-12-31T00:00:00.000Z");
  EXPECT_EQ(shown(floor_to(Precision::month, time)), "2024-12-01T00:00:00.000Z");
  EXPECT_EQ(shown(floor_to(Precision::year, time)), "2024-01-01T00:00:00.000Z");
  for (const Precision precision : {Precision::second, Precision::minute, Precision::hour,
                                    Precision::day, Precision::month, Precision::year}) {
    EXPECT_EQ(shown(next_of(precision, time)), "2025-01-01T00:00:00.000Z");
  }
  EXPECT_EQ(shown(next_of(Precision::month, *parse_time("2024-02-10"))),
            "2024-03-01T00:00:00.000Z");
  EXPECT_EQ(shown(floor_to(Precision::day, *parse_time("1969-12-31T12:00:00Z"))),
            "1969-12-31T00:00:00.000Z");
}

}  // namespace
}  // namespace wright::entities
