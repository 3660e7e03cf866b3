// Characters that drive a terminal, reorder what is around them, or cannot be seen: whoever is shown
// a text with one of them is shown another one than it is.
#pragma once

#include <algorithm>
#include <array>

namespace wright {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

inline constexpr auto kDeceptive = std::to_array<CharacterRange>(
    {{0x007F, 0x009F},   {0x00AD, 0x00AD},  {0x034F, 0x034F}, {0x061C, 0x061C},
     {0x115F, 0x1160},   {0x17B4, 0x17B5},  {0x180B, 0x180F}, {0x200B, 0x200F},
     {0x2028, 0x202E},   {0x2060, 0x206F},  {0x3164, 0x3164}, {0xFE00, 0xFE0F},
     {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},  {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3},
     {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}});

// Blanks other than that of ASCII.
inline constexpr auto kOddBlanks = std::to_array<CharacterRange>({{0x00A0, 0x00A0},
                                                                  {0x1680, 0x1680},
                                                                  {0x2000, 0x200A},
                                                                  {0x202F, 0x202F},
                                                                  {0x205F, 0x205F},
                                                                  {0x2800, 0x2800},
                                                                  {0x3000, 0x3000}});

template <std::size_t N>
constexpr bool contains(const std::array<CharacterRange, N>& ranges, char32_t code) {
  return std::ranges::any_of(
      ranges, [&](CharacterRange range) { return code >= range.first && code <= range.last; });
}

}  // namespace wright
