#include "entities/calendar.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace wright::entities {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::milliseconds;
using std::chrono::sys_days;
using std::chrono::year_month_day;
using Time = std::chrono::sys_time<milliseconds>;

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

// Reads the text from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool is_done() const { return rest_.empty(); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Exactly so many digits, with a value up to `most`.
  std::optional<int> number(std::size_t digits, int most) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + digits, value);
    if (problem != std::errc() || end != rest_.data() + digits || value > most || rest_[0] == '-') {
      return std::nullopt;
    }
    rest_.remove_prefix(digits);
    return value;
  }
  std::int64_t fraction_ms() {
    std::int64_t value = 0;
    std::int64_t scale = 100;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      value += (rest_.front() - '0') * scale;
      scale /= 10;
      rest_.remove_prefix(1);
    }
    return value;
  }

 private:
  std::string_view rest_;
};

std::int64_t in_ms(sys_days day) {
  return Time(day).time_since_epoch().count();
}

std::optional<std::int64_t> parse_offset(Cursor& cursor) {
  if (cursor.is_done() || cursor.take('Z') || cursor.take('z')) return 0;
  const bool is_east = cursor.take('+');
  if (!is_east && !cursor.take('-')) return std::nullopt;
  const auto hours = cursor.number(2, 14);
  cursor.take(':');
  const auto minutes = cursor.is_done() ? std::optional(0) : cursor.number(2, 59);
  if (!hours || !minutes) return std::nullopt;
  return (is_east ? 1 : -1) * (*hours * kHour + *minutes * kMinute);
}

std::optional<std::int64_t> parse_clock(Cursor& cursor) {
  const auto hour = cursor.number(2, 24);
  if (!hour) return std::nullopt;
  std::int64_t time = *hour * kHour;
  if (cursor.take(':')) {
    const auto minute = cursor.number(2, 59);
    if (!minute) return std::nullopt;
    time += *minute * kMinute;
    if (cursor.take(':')) {
      const auto second = cursor.number(2, 60);
      if (!second) return std::nullopt;
      time += *second * 1000;
      if (cursor.take('.') || cursor.take(',')) time += cursor.fraction_ms();
    }
  }
  cursor.take(' ');
  const auto offset = parse_offset(cursor);
  if (!offset) return std::nullopt;
  return time - *offset;
}

// `months` earlier, at the same time of the day.
std::int64_t months_before(std::int64_t now, int months) {
  const Time time{milliseconds(now)};
  const auto midnight = floor<days>(time);
  const year_month_day date(midnight);
  auto month = std::chrono::year_month(date.year(), date.month()) - std::chrono::months(months);
  const auto last =
      std::chrono::year_month_day_last(month.year(), std::chrono::month_day_last(month.month()));
  const auto day = std::min(date.day(), last.day());
  return in_ms(sys_days(month / day)) + (time - midnight).count();
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  while (text.starts_with(' ')) text.remove_prefix(1);
  Cursor cursor(text);
  const auto year = cursor.number(4, 9999);
  if (!year) return std::nullopt;
  int month = 1;
  int day = 1;
  std::int64_t clock = 0;
  if (cursor.take('-')) {
    const auto given_month = cursor.number(2, 12);
    if (!given_month) return std::nullopt;
    month = *given_month;
    if (cursor.take('-')) {
      const auto given_day = cursor.number(2, 31);
      if (!given_day) return std::nullopt;
      day = *given_day;
      if (cursor.take('T') || cursor.take('t') || cursor.take(' ')) {
        const auto given_clock = parse_clock(cursor);
        if (!given_clock) return std::nullopt;
        clock = *given_clock;
      } else {
        cursor.take('Z');
      }
    }
  }
  const auto date = std::chrono::year(*year) / month / day;
  if (!cursor.is_done() || !date.ok()) return std::nullopt;
  return in_ms(sys_days(date)) + clock;
}

std::int64_t time_of_number(double number) {
  // Seconds reach this in the year 5138, milliseconds reached it in 1973.
  constexpr double kFirstMilliseconds = 1e11;
  constexpr double kLargest = 9e15;
  if (!std::isfinite(number)) return 0;
  const double ms = std::abs(number) < kFirstMilliseconds ? number * 1000 : number;
  return static_cast<std::int64_t>(std::clamp(ms, -kLargest, kLargest));
}

std::int64_t start_of(Period period, std::int64_t now) {
  switch (period) {
    case Period::last_minute: return now - kMinute;
    case Period::last_hour: return now - kHour;
    case Period::last_day: return now - kDay;
    case Period::last_week: return now - 7 * kDay;
    case Period::last_month: return months_before(now, 1);
    case Period::last_quarter: return months_before(now, 3);
    case Period::last_year: break;
  }
  return months_before(now, 12);
}

std::int64_t floor_to(Precision precision, std::int64_t time) {
  const auto floored = [time](std::int64_t unit) { return time - ((time % unit) + unit) % unit; };
  switch (precision) {
    case Precision::second: return floored(1000);
    case Precision::minute: return floored(kMinute);
    case Precision::hour: return floored(kHour);
    case Precision::day: return floored(kDay);
    default: break;
  }
  const year_month_day date(floor<days>(Time{milliseconds(time)}));
  const auto month = precision == Precision::year ? std::chrono::January : date.month();
  return in_ms(sys_days(date.year() / month / 1));
}

std::int64_t next_of(Precision precision, std::int64_t time) {
  const std::int64_t start = floor_to(precision, time);
  switch (precision) {
    case Precision::second: return start + 1000;
    case Precision::minute: return start + kMinute;
    case Precision::hour: return start + kHour;
    case Precision::day: return start + kDay;
    case Precision::month: return floor_to(precision, start + 31 * kDay);
    case Precision::year: break;
  }
  return floor_to(precision, start + 366 * kDay);
}

}  // namespace wright::entities
