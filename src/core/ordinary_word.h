// Which secrets may be hidden wherever they stand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/text.h"

namespace wright {

// What words and names are written with, in any language.
constexpr bool stands_in_words(char c) {
  return is_letter(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("-_.'/:@ ").contains(c);
}

// Whether a secret may also be a word that people write and that programs are called by
// ("postgres", "python3.12", "1password"). "s3cr3t-key", "docs-token-1" and whatever has 16
// characters is none.
constexpr bool may_be_ordinary_word(std::string_view secret) {
  constexpr std::size_t kShortest = 8;      // of what has a digit or a sign between its letters
  constexpr std::size_t kLonger = 12;       // of what has letters and digits
  constexpr std::ptrdiff_t kLongWord = 16;  // of anything
  const auto length = std::ranges::count_if(
      secret, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  if (length >= kLongWord) return false;
  if (secret.size() < kShortest) return true;
  const bool has_letter = std::ranges::any_of(secret, is_letter);
  const bool has_digit = std::ranges::any_of(secret, is_digit);
  if (secret.size() >= kLonger && has_letter && has_digit) return false;
  // The number of a version stands at the end, and the full stop of a sentence.
  std::string_view inner = secret;
  while (!inner.empty() && !is_letter(inner.front())) inner.remove_prefix(1);
  while (!inner.empty() && !is_letter(inner.back())) inner.remove_suffix(1);
  return std::ranges::all_of(inner, stands_in_words);
}

}  // namespace wright
