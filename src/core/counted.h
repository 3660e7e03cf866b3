// How many of something there are, in words for people and models: "1 line", "3 lines".
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace wright {

template <std::integral Count>
std::string counted(Count count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

}  // namespace wright
