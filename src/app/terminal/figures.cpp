#include "app/terminal/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <optional>

#include "core/saturating.h"

namespace wright::app {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

std::tm local_time(std::int64_t milliseconds) {
  const auto seconds = static_cast<std::time_t>(milliseconds / 1000);
  std::tm broken_down{};
  localtime_r(&seconds, &broken_down);
  return broken_down;
}

std::string formatted(const std::tm& time, const char* format) {
  std::array<char, 64> buffer{};
  const std::size_t length = std::strftime(buffer.data(), buffer.size(), format, &time);
  return {buffer.data(), length};
}

std::int64_t midnight_of(std::int64_t now, int days_before) {
  std::tm day = local_time(now);
  day.tm_mday -= days_before;
  day.tm_hour = day.tm_min = day.tm_sec = 0;
  day.tm_isdst = -1;
  return static_cast<std::int64_t>(std::mktime(&day)) * 1000;
}

std::optional<std::int64_t> span_from(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  std::int64_t unit = 0;
  switch (text.back()) {
    case 's': unit = kSecond; break;
    case 'm': unit = kMinute; break;
    case 'h': unit = kHour; break;
    case 'd': unit = kDay; break;
    case 'w': unit = 7 * kDay; break;
    default: return std::nullopt;
  }
  std::int64_t count = 0;
  const char* end = text.data() + text.size() - 1;
  const auto [stopped, error] = std::from_chars(text.data(), end, count);
  // A million weeks reaches before any clock; the bound keeps the product in range.
  if (error != std::errc() || stopped != end || count < 0 || count > 1'000'000) return std::nullopt;
  return count * unit;
}

std::optional<std::int64_t> date_from(std::string_view text) {
  const bool is_utc = text.ends_with('Z');
  if (is_utc) text.remove_suffix(1);
  const std::string copy(text);
  for (const char* format :
       {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"}) {
    std::tm time{};
    const char* end = strptime(copy.c_str(), format, &time);
    if (end == nullptr || *end != '\0') continue;
    // mktime would quietly turn February 30 into March 2.
    const int day = time.tm_mday;
    time.tm_isdst = is_utc ? 0 : -1;
    const std::time_t seconds = is_utc ? timegm(&time) : std::mktime(&time);
    if (time.tm_mday != day) return std::nullopt;
    return static_cast<std::int64_t>(seconds) * 1000;
  }
  return std::nullopt;
}

}  // namespace

std::string show_duration(double milliseconds) {
  if (!(milliseconds >= 0)) milliseconds = 0;
  if (milliseconds < 9.95) return fmt::format("{:.1f} ms", milliseconds);
  if (milliseconds < 999.5) return fmt::format("{:.0f} ms", milliseconds);
  if (milliseconds < 59'950) return fmt::format("{:.1f} s", milliseconds / 1000);
  const auto seconds = static_cast<std::int64_t>(std::llround(milliseconds / 1000));
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

std::string show_whole_duration(std::int64_t milliseconds) {
  if (milliseconds == 0) return "under 1 ms";
  if (milliseconds < 10) return fmt::format("{} ms", milliseconds);
  return show_duration(static_cast<double>(milliseconds));
}

std::string show_tokens(const Usage& usage) {
  std::string cached;
  if (usage.cached_tokens > 0 && usage.input_tokens > 0) {
    const auto share = static_cast<int>(
        100.0 * static_cast<double>(std::min(usage.cached_tokens, usage.input_tokens)) /
        static_cast<double>(usage.input_tokens));
    cached = share > 0 ? fmt::format(" ({} % cached)", share) : " (under 1 % cached)";
  }
  return fmt::format("{} tokens in{}, {} out", show_count(usage.input_tokens), cached,
                     show_count(usage.output_tokens));
}

std::string show_cost(double dollars) {
  return dollars < 0.01 ? fmt::format("${:.4f}", dollars) : fmt::format("${:.2f}", dollars);
}

std::string show_count(std::int64_t count) {
  if (count < 1000) return fmt::format("{}", count);
  const double thousands = static_cast<double>(count) / 1000;
  if (thousands < 999.95) return fmt::format("{:.1f}k", thousands);
  return fmt::format("{:.1f}M", thousands / 1000);
}

std::string show_counted(std::int64_t count, std::string_view singular) {
  return fmt::format("{} {}{}", show_count(count), singular, count == 1 ? "" : "s");
}

std::string show_time(std::int64_t milliseconds_since_1970) {
  return formatted(local_time(milliseconds_since_1970), "%Y-%m-%d %H:%M:%S");
}

std::string show_age(std::int64_t then, std::int64_t now) {
  const std::int64_t age = saturating_difference(now, then);
  if (age < 0) return show_time(then);
  if (age < kMinute) return "just now";
  if (age < kHour) return fmt::format("{} min ago", age / kMinute);
  if (age < kDay) return fmt::format("{} h ago", age / kHour);
  if (age < 7 * kDay) return show_counted(age / kDay, "day") + " ago";
  return formatted(local_time(then), "%Y-%m-%d");
}

Result<std::int64_t> moment_from(std::string_view text, std::int64_t now) {
  if (text == "today") return midnight_of(now, 0);
  if (text == "yesterday") return midnight_of(now, 1);
  if (const auto span = span_from(text)) return now - *span;
  if (const auto date = date_from(text)) return *date;
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}' is no time; give a span (90s, 15m, 2h, 3d, 1w), today, yesterday, "
                          "or a date (2026-03-01 or 2026-03-01T14:05)",
                          text));
}

}  // namespace wright::app
