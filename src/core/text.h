// Small text functions that many files need, for ASCII: what a letter is does not depend on the
// locale, and every other byte stays as it is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wright {

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// A byte of a UTF-8 character other than its first.
constexpr bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

bool is_ascii(std::string_view text);

constexpr std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += is_continuation(c) ? 0 : 1;
  return count;
}

inline std::string lower(std::string_view text) {
  std::string lowered(text);
  char* const characters = lowered.data();
  for (std::size_t i = 0; i < text.size(); ++i) characters[i] = to_lower(text[i]);
  return lowered;
}

// Without the surrounding blanks.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

constexpr bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

constexpr std::optional<std::string_view> unless_empty(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

constexpr bool is_one_of(std::string_view text, std::span<const std::string_view> list) {
  const std::string_view* one = list.data();
  for (std::size_t left = list.size(); left > 0; --left, ++one) {
    if (one->size() == text.size() && *one == text) return true;
  }
  return false;
}

}  // namespace wright
