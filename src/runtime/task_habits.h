// How long tasks of a kind, such as the calls of one tool, have taken lately. A guess about the
// next one, and nothing more: whoever relies on it must stand that it is wrong.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace wright::runtime {

class TaskHabits {
 public:
  // Kinds that fall on the same number share their habits.
  using Kind = std::uint8_t;
  static constexpr Kind kUnknown = 0;  // never quick
  static constexpr Kind kWriting = 1;  // to the store

  static Kind kind_of(std::string_view name) {
    if (name.empty()) return kUnknown;
    return static_cast<Kind>(2 + std::hash<std::string_view>()(name) % (kKinds - 2));
  }

  bool is_quick(Kind kind) const { return in_a_row_[kind] >= kProven; }

  void took(Kind kind, std::chrono::steady_clock::duration time) {
    std::uint8_t& in_a_row = in_a_row_[kind];
    if (kind == kUnknown || time > kQuick) {
      in_a_row = 0;
    } else {
      in_a_row = std::min<std::uint8_t>(in_a_row + 1, kProven);
    }
  }

 private:
  static constexpr std::size_t kKinds = 256;
  static constexpr std::uint8_t kProven = 8;  // quick ones in a row
  static constexpr std::chrono::microseconds kQuick{500};

  std::array<std::uint8_t, kKinds> in_a_row_ = {};
};

}  // namespace wright::runtime
