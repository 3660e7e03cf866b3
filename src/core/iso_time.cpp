#include "core/iso_time.h"

#include <chrono>
#include <cstdlib>

namespace wright {

IsoTime::IsoTime(std::int64_t time_ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(time_ms)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  const auto put = [this](std::int64_t number, int digits, char end) {
    for (int i = digits - 1; i >= 0; --i, number /= 10) {
      characters_[size_ + static_cast<std::size_t>(i)] = static_cast<char>('0' + number % 10);
    }
    size_ += static_cast<std::size_t>(digits);
    characters_[size_++] = end;
  };
  put(std::abs(static_cast<int>(date.year())), 4, '-');
  put(static_cast<unsigned>(date.month()), 2, '-');
  put(static_cast<unsigned>(date.day()), 2, 'T');
  put(clock.hours().count(), 2, ':');
  put(clock.minutes().count(), 2, ':');
  put(clock.seconds().count(), 2, '.');
  put(clock.subseconds().count(), 3, 'Z');
}

}  // namespace wright
