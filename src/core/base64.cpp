#include "core/base64.h"

#include <cstdint>

namespace wright {
namespace {

constexpr std::string_view kUrlDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::optional<std::string> bytes_in_digits(std::string_view text, std::string_view digits) {
  std::string bytes;
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    held = held << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 255U);
  }
  // One letter more than whole bytes, or bits that belong to none.
  if (bits >= 6 || (held & ((1U << bits) - 1U)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace

std::string base64_of(std::string_view bytes) {
  std::string made;
  made.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (j < group.size() ? static_cast<std::uint8_t>(group[j]) : 0);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      made += j <= group.size() ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
    }
  }
  return made;
}

bool is_base64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return text.find_first_not_of(kDigits) == std::string_view::npos;
}

std::string base64url_of(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : bytes) {
    held = held << 8 | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6; bits -= 6) text += kUrlDigits[held >> (bits - 6) & 63U];
  }
  if (bits > 0) text += kUrlDigits[held << (6 - bits) & 63U];
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (!is_base64(text)) return std::nullopt;
  return bytes_in_digits(text.substr(0, text.find('=')), kDigits);
}

std::optional<std::string> from_base64url(std::string_view text) {
  return bytes_in_digits(text, kUrlDigits);
}

}  // namespace wright
