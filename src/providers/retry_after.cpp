#include "providers/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "core/text.h"

namespace wright::providers {
namespace {

using std::chrono::milliseconds;
using std::chrono::sys_days;
using std::chrono::sys_time;

constexpr double kLongest = 366.0 * 24 * 3600 * 1000;  // nobody waits longer than a year

std::optional<std::int64_t> bounded(double milliseconds) {
  if (std::isnan(milliseconds) || milliseconds < 0) return {};
  return static_cast<std::int64_t>(std::ceil(std::min(milliseconds, kLongest)));
}

// Takes the number from the start of `text`.
std::optional<double> take_number(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return {};
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error == std::errc::invalid_argument) return {};
  // Out of range: above all numbers, or between 0 and the smallest.
  if (error != std::errc() && text.front() != '0') {
    number = std::numeric_limits<double>::infinity();
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

double milliseconds_of(std::string_view unit) {
  if (unit == "h") return 3'600'000;
  if (unit == "m") return 60'000;
  if (unit == "s") return 1'000;
  if (unit == "ms") return 1;
  return 0;
}

// Takes "1h2m3.5s" from the start of `text`.
std::optional<double> take_duration(std::string_view& text) {
  double total = 0;
  bool has_any = false;
  while (true) {
    std::string_view rest = text;
    const auto number = take_number(rest);
    const std::string_view unit = rest.substr(0, rest.starts_with("ms") ? 2 : 1);
    if (!number || milliseconds_of(unit) == 0) break;
    total += *number * milliseconds_of(unit);
    text = rest.substr(unit.size());
    has_any = true;
  }
  if (!has_any) return {};
  return total;
}

std::optional<double> whole_number(std::string_view text) {
  text = trimmed(text);
  const auto number = take_number(text);
  return text.empty() ? number : std::nullopt;
}

int digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = -1;
  if (at + count > text.size()) return -1;
  const char* begin = text.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + count, value);
  return error == std::errc() && end == begin + count ? value : -1;
}

std::optional<sys_time<milliseconds>> moment(int year, int month, int day, int hour, int minute,
                                             int second) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (month < 1 || day < 1 || !date.ok()) return {};
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return {};
  return sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

// "Nov" is 11; 0 for what is no month.
int month_named(std::string_view name) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::size_t at = kMonths.find(name);
  if (name.size() != 3 || at == std::string_view::npos || at % 3 != 0) return 0;
  return static_cast<int>(at / 3) + 1;
}

// "Sun, 06 Nov 1994 08:49:37 GMT", and the two older forms that HTTP still allows: "Sunday,
// 06-Nov-94 08:49:37 GMT" and "Sun Nov  6 08:49:37 1994".
std::optional<sys_time<milliseconds>> http_date(std::string_view text) {
  text = trimmed(text);
  if (text.size() == 24 && text[3] == ' ') {
    const int day = text[8] == ' ' ? digits(text, 9, 1) : digits(text, 8, 2);
    return moment(digits(text, 20, 4), month_named(text.substr(4, 3)), day, digits(text, 11, 2),
                  digits(text, 14, 2), digits(text, 17, 2));
  }
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || !text.ends_with(" GMT")) return {};
  const std::string_view rest = text.substr(std::min(comma + 2, text.size()));
  if (rest.size() == 24) {
    return moment(digits(rest, 7, 4), month_named(rest.substr(3, 3)), digits(rest, 0, 2),
                  digits(rest, 12, 2), digits(rest, 15, 2), digits(rest, 18, 2));
  }
  if (rest.size() != 22) return {};
  const int year = digits(rest, 7, 2);
  if (year < 0) return {};
  return moment(2000 + year, month_named(rest.substr(3, 3)), digits(rest, 0, 2),
                digits(rest, 10, 2), digits(rest, 13, 2), digits(rest, 16, 2));
}

// "2026-01-27T12:00:00Z".
std::optional<sys_time<milliseconds>> internet_date(std::string_view text) {
  text = trimmed(text);
  if (text.size() < 20 || text[10] != 'T' || text.back() != 'Z') return {};
  return moment(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2), digits(text, 11, 2),
                digits(text, 14, 2), digits(text, 17, 2));
}

class WaitHeaders {
 public:
  explicit WaitHeaders(const HttpResponseHead& head)
      : head_(head), now_(http_date(find_header(head.headers, "date"))) {
    if (!now_ && head.arrived) {
      now_ = std::chrono::time_point_cast<milliseconds>(*head.arrived);
    }
  }

  std::optional<std::int64_t> retry_after() const {
    std::optional<std::int64_t> fine;
    if (const auto ms = whole_number(header("retry-after-ms"))) fine = bounded(*ms);
    return later_of(fine, coarse_retry_after());
  }

  // Of the limit that was hit: the one with nothing remaining, else that of tokens.
  std::optional<std::int64_t> reset() const {
    constexpr std::array<std::string_view, 5> kLimits{"tokens", "requests", "input-tokens",
                                                      "output-tokens", ""};
    for (const std::string_view limit : kLimits) {
      if (header(name("remaining", limit)) == "0" ||
          header(anthropic_name("remaining", limit)) == "0") {
        if (const auto wait = reset_of(limit)) return wait;
      }
    }
    for (const std::string_view limit : kLimits) {
      if (const auto wait = reset_of(limit)) return wait;
    }
    return {};
  }

 private:
  std::optional<std::int64_t> coarse_retry_after() const {
    const std::string_view value = header("retry-after");
    if (const auto seconds = whole_number(value)) return bounded(*seconds * 1000);
    if (const auto duration = duration_ms(value)) return duration;
    return until(http_date(value));
  }

  std::string_view header(std::string_view name) const {
    return trimmed(find_header(head_.headers, name));
  }

  static std::string name(std::string_view what, std::string_view limit) {
    std::string joined = "x-ratelimit-" + std::string(what);
    return limit.empty() ? joined : joined + "-" + std::string(limit);
  }

  static std::string anthropic_name(std::string_view what, std::string_view limit) {
    return "anthropic-ratelimit-" + std::string(limit) + "-" + std::string(what);
  }

  std::optional<std::int64_t> reset_of(std::string_view limit) const {
    if (const auto wait = wait_in(header(name("reset", limit)))) return wait;
    return wait_in(header(anthropic_name("reset", limit)));
  }

  // Seconds, a duration, a date, or a moment in seconds or milliseconds since 1970.
  std::optional<std::int64_t> wait_in(std::string_view value) const {
    if (const auto duration = duration_ms(value)) return duration;
    const auto number = whole_number(value);
    if (!number) return until(internet_date(value));
    constexpr double kSecondsIn2001 = 1e9;
    constexpr double kMillisecondsIn2001 = 1e12;
    if (*number < kSecondsIn2001) return bounded(*number * 1000);
    if (*number > kMillisecondsIn2001 * 100) return {};
    const double ms = *number < kMillisecondsIn2001 ? *number * 1000 : *number;
    return until(sys_time<milliseconds>(milliseconds(static_cast<std::int64_t>(ms))));
  }

  std::optional<std::int64_t> until(std::optional<sys_time<milliseconds>> then) const {
    if (!then || !now_) return {};
    return bounded(std::max(0.0, static_cast<double>((*then - *now_).count())));
  }

  const HttpResponseHead& head_;
  std::optional<sys_time<milliseconds>> now_;
};

}  // namespace

std::optional<std::int64_t> later_of(std::optional<std::int64_t> one,
                                     std::optional<std::int64_t> other) {
  if (!one || !other) return one ? one : other;
  return std::max(*one, *other);
}

std::optional<std::int64_t> duration_ms(std::string_view text) {
  text = trimmed(text);
  const auto duration = take_duration(text);
  if (!duration || !text.empty()) return {};
  return bounded(*duration);
}

std::optional<std::int64_t> retry_after_ms(const HttpResponseHead& head) {
  return WaitHeaders(head).retry_after();
}

std::optional<std::int64_t> limit_reset_ms(const HttpResponseHead& head) {
  return WaitHeaders(head).reset();
}

std::optional<std::int64_t> retry_after_in_words(std::string_view message) {
  for (const std::string_view words : {"try again in ", "retry in ", "retry after "}) {
    const std::size_t at = message.find(words);
    if (at == std::string_view::npos) continue;
    std::string_view rest = message.substr(at + words.size());
    if (const auto duration = take_duration(rest)) return bounded(*duration);
    const auto number = take_number(rest);
    if (number && trimmed(rest).starts_with("second")) return bounded(*number * 1000);
  }
  return {};
}

}  // namespace wright::providers
