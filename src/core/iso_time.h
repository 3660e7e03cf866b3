// Times in ISO 8601, without allocating.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace wright {

// "2025-10-10T12:00:00.000Z" of milliseconds since 1970.
class IsoTime {
 public:
  explicit IsoTime(std::int64_t time_ms);
  std::string_view text() const { return {characters_.data(), size_}; }

 private:
  std::array<char, 32> characters_{};
  std::size_t size_ = 0;
};

}  // namespace wright
