#include "core/iso_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace wright {

IsoTime::IsoTime(std::int64_t time_ms) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(time_ms)};
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  const auto written = fmt::format_to_n(
      characters_.data(), characters_.size(), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), clock.hours().count(), clock.minutes().count(),
      clock.seconds().count(), clock.subseconds().count());
  size_ = std::min(written.size, characters_.size());
}

}  // namespace wright
