#include "providers/utf8_joiner.h"

#include <cstdint>

#include "wright/json.h"

namespace wright::providers {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

bool is_tail(std::string_view text, std::size_t at, int low = 0x80, int high = 0xBF) {
  return at < text.size() && byte_at(text, at) >= low && byte_at(text, at) <= high;
}

bool is_high_surrogate(std::string_view text) {
  return text.size() >= 3 && byte_at(text, 0) == 0xED && is_tail(text, 1, 0xA0, 0xAF) &&
         is_tail(text, 2);
}

bool is_low_surrogate(std::string_view text) {
  return text.size() >= 3 && byte_at(text, 0) == 0xED && is_tail(text, 1, 0xB0, 0xBF) &&
         is_tail(text, 2);
}

std::uint32_t ten_bits(std::string_view surrogate) {
  return ((byte_at(surrogate, 1) & 0x0FU) << 6) | (byte_at(surrogate, 2) & 0x3FU);
}

void append_pair(std::string& text, std::string_view high, std::string_view low) {
  const std::uint32_t code = 0x10000U + (ten_bits(high) << 10) + ten_bits(low);
  text += static_cast<char>(0xF0U | (code >> 18));
  text += static_cast<char>(0x80U | ((code >> 12) & 0x3FU));
  text += static_cast<char>(0x80U | ((code >> 6) & 0x3FU));
  text += static_cast<char>(0x80U | (code & 0x3FU));
}

// Whether more bytes could turn `text`, which does not start with a character yet, into one.
bool may_become_character(std::string_view text) {
  const std::uint8_t first = byte_at(text, 0);
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() >= length) return false;
  if (text.size() > 1) {
    const int low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const int high = first == 0xF4 ? 0x8F : 0xBF;  // surrogates are allowed: they may be halves
    if (!is_tail(text, 1, low, high)) return false;
  }
  return text.size() < 3 || is_tail(text, 2);
}

bool may_become_pair(std::string_view text) {
  if (!is_high_surrogate(text)) return false;
  const std::string_view rest = text.substr(3);
  if (rest.empty()) return true;
  if (rest.size() >= 3 || byte_at(rest, 0) != 0xED) return false;
  return rest.size() < 2 || is_tail(rest, 1, 0xB0, 0xBF);
}

// The length of the valid character at the start, or 0.
std::size_t character_length(std::string_view text) {
  const std::uint8_t first = byte_at(text, 0);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  return text.size() >= length && is_valid_utf8(text.substr(0, length)) ? length : 0;
}

}  // namespace

void Utf8Joiner::append(std::string& text, std::string_view piece) {
  if (held_.empty() && is_valid_utf8(piece)) {
    text += piece;
    return;
  }
  const std::string joined = std::exchange(held_, {}) + std::string(piece);
  std::string_view rest = joined;
  while (!rest.empty()) {
    if (const std::size_t length = character_length(rest); length > 0) {
      text += rest.substr(0, length);
      rest.remove_prefix(length);
    } else if (is_high_surrogate(rest) && is_low_surrogate(rest.substr(3))) {
      append_pair(text, rest, rest.substr(3));
      rest.remove_prefix(6);
    } else if (may_become_character(rest) || may_become_pair(rest)) {
      held_ = rest;
      return;
    } else {
      text += kReplacement;
      rest.remove_prefix(is_high_surrogate(rest) || is_low_surrogate(rest) ? 3 : 1);
    }
  }
}

void Utf8Joiner::finish(std::string& text) {
  if (!held_.empty()) text += kReplacement;
  held_.clear();
}

}  // namespace wright::providers
