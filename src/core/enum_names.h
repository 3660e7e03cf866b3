// The names of enumerators, for every enum that WRIGHT_ENUM (wright/schema.h) describes.
//
// An enum whose names leave this process (JSON, settings, messages) has them from here and from
// nowhere else. What is described counts from 0 and is complete; the compiler sees to both.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "wright/schema.h"

namespace wright {

// Whether an enumerator has this value. The compiler prints one that has no name as a cast.
template <auto value>
constexpr bool has_enumerator() {
  const std::string_view printed = __PRETTY_FUNCTION__;
  const char after = printed[printed.rfind(')') + 1];
  return !(after >= '0' && after <= '9');
}

template <DescribedEnum E>
constexpr bool is_described_completely() {
  constexpr auto all = wright_enumerators(Of<E>{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].first != static_cast<E>(i)) return false;
  }
  return !has_enumerator<static_cast<E>(all.size())>();
}

template <DescribedEnum E>
constexpr std::string_view enum_name(E value) {
  static_assert(is_described_completely<E>(), "WRIGHT_ENUM leaves an enumerator out");
  constexpr auto all = wright_enumerators(Of<E>{});
  const auto index = static_cast<std::size_t>(value);
  return index < all.size() ? all[index].second : "invalid";
}

template <DescribedEnum E>
constexpr std::optional<E> enum_named(std::string_view name) {
  static_assert(is_described_completely<E>(), "WRIGHT_ENUM leaves an enumerator out");
  for (const auto& [value, known] : wright_enumerators(Of<E>{})) {
    if (known == name) return value;
  }
  return std::nullopt;
}

// All of them, for a sentence: "text, json or markdown".
template <DescribedEnum E>
std::string enum_names() {
  constexpr auto all = wright_enumerators(Of<E>{});
  std::string names(all.front().second);
  for (std::size_t i = 1; i < all.size(); ++i) {
    names += i + 1 < all.size() ? ", " : " or ";
    names += all[i].second;
  }
  return names;
}

}  // namespace wright
