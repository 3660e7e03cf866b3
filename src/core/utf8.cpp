// UTF-8: validating it, repairing it, and cutting it between characters.
#include <cstdint>
#include <cstring>

#include "core/text.h"
#include "wright/json.h"

namespace wright {
namespace {

// The length of the valid character at the start of `text`, or 0. Follows Unicode table 3-7: no
// overlong forms, no surrogates, nothing above U+10FFFF.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto is_tail = [&](std::size_t i, int low = 0x80, int high = 0xBF) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return is_tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const int low = first == 0xE0 ? 0xA0 : 0x80;
    const int high = first == 0xED ? 0x9F : 0xBF;
    return is_tail(1, low, high) && is_tail(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const int low = first == 0xF0 ? 0x90 : 0x80;
    const int high = first == 0xF4 ? 0x8F : 0xBF;
    return is_tail(1, low, high) && is_tail(2) && is_tail(3) ? 4 : 0;
  }
  return 0;
}

// How many bytes at the start of `text` are ASCII: almost always all, so eight at a time.
std::size_t ascii_length(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t at = 0;
  while (at + sizeof(std::uint64_t) <= text.size()) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if ((bytes & kHighBits) != 0) break;
    at += sizeof bytes;
  }
  while (at < text.size() && static_cast<std::uint8_t>(text[at]) < 0x80) ++at;
  return at;
}

// How many bytes at the start of `text` are valid.
std::size_t valid_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (static_cast<std::uint8_t>(text[at]) < 0x80) {
      at += ascii_length(text.substr(at));
      continue;
    }
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

}  // namespace

bool is_ascii(std::string_view text) {
  return ascii_length(text) == text.size();
}

bool is_valid_utf8(std::string_view text) {
  return valid_length(text) == text.size();
}

std::string to_valid_utf8(std::string text) {
  std::size_t good = valid_length(text);
  if (good == text.size()) return text;
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string_view rest = text;
  std::string repaired;
  repaired.reserve(text.size() + 16);
  while (true) {
    repaired.append(rest.substr(0, good));
    rest.remove_prefix(good);
    if (rest.empty()) return repaired;
    repaired.append(kReplacement);
    rest.remove_prefix(1);
    good = valid_length(rest);
  }
}

std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace wright
