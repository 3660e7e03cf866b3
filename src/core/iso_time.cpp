#include "core/iso_time.h"

#include <chrono>
#include <cstdlib>

namespace wright {

IsoTime::IsoTime(std::int64_t time_ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(time_ms)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const auto put = [this](unsigned number, char end) {
    characters_[size_++] = static_cast<char>('0' + number / 10);
    characters_[size_++] = static_cast<char>('0' + number % 10);
    characters_[size_++] = end;
  };
  const auto year = static_cast<unsigned>(std::abs(static_cast<int>(date.year()))) % 10'000;
  put(year / 100, '-');
  --size_;
  put(year % 100, '-');
  put(static_cast<unsigned>(date.month()), '-');
  put(static_cast<unsigned>(date.day()), 'T');
  const auto of_day = static_cast<unsigned>((time - day).count());
  const unsigned seconds = of_day / 1000;
  put(seconds / 3600, ':');
  put(seconds / 60 % 60, ':');
  put(seconds % 60, '.');
  const unsigned fraction = of_day % 1000;
  characters_[size_++] = static_cast<char>('0' + fraction / 100);
  put(fraction % 100, 'Z');
}

}  // namespace wright
