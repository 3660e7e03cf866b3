// Points in time as people and databases write them, and the periods that "the last week" means.
// All in UTC, in milliseconds since 1970. Reads no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "wright/schema.h"

namespace wright::entities {

enum class Period : std::uint8_t {
  last_minute,
  last_hour,
  last_day,
  last_week,
  last_month,
  last_quarter,
  last_year,
};
WRIGHT_ENUM(Period, last_minute, last_hour, last_day, last_week, last_month, last_quarter,
            last_year)

enum class Precision : std::uint8_t { second, minute, hour, day, month, year };
WRIGHT_ENUM(Precision, second, minute, hour, day, month, year)

// "2025-03-01", "2025-03", "2025-03-01 12:30", "2025-03-01T12:30:00.5+01:00". Nothing for anything
// else.
std::optional<std::int64_t> parse_time(std::string_view text);

// A number that a database keeps for a time: seconds or milliseconds since 1970, by its size.
std::int64_t time_of_number(double number);

// Where the period that ends at `now` starts. Months and years are those of the calendar; a day
// that a month does not have becomes its last.
std::int64_t start_of(Period period, std::int64_t now);

// The start of the second, minute, … that holds `time`, and the start of the next one.
std::int64_t floor_to(Precision precision, std::int64_t time);
std::int64_t next_of(Precision precision, std::int64_t time);

}  // namespace wright::entities
