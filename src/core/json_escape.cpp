#include "core/json_escape.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "wright/json.h"

namespace wright {
namespace {

// What follows the backslash for each byte; 'u' for a number, 0 for bytes written as they are.
using Escapes = std::array<char, 256>;

constexpr Escapes escapes_of_json() {
  Escapes escapes{};
  for (std::size_t c = 0; c < 0x20; ++c) escapes[c] = 'u';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  return escapes;
}
constexpr Escapes escapes_with_delete() {
  Escapes escapes = escapes_of_json();
  escapes[0x7F] = 'u';
  return escapes;
}
constexpr Escapes kEscapes = escapes_of_json();
constexpr Escapes kEscapesWithDelete = escapes_with_delete();

constexpr std::size_t kLongestEscape = 6;  // \u001f

char* write_escaped(char* to, char c, char escape) {
  *to++ = '\\';
  *to++ = escape;
  if (escape != 'u') return to;
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto number = static_cast<unsigned char>(c);
  *to++ = '0';
  *to++ = '0';
  *to++ = kDigits[number >> 4];
  *to++ = kDigits[number & 0xF];
  return to;
}

constexpr std::uint64_t repeated(std::uint64_t byte) {
  return byte * 0x0101010101010101U;
}

// Whether one of eight bytes is outside of ASCII, a control character, a quotation mark or a
// backslash. May be wrong about U+007F and what follows such a byte, and only by saying yes.
bool needs_care(std::uint64_t word) {
  constexpr std::uint64_t kHigh = repeated(0x80);
  const auto has_zero = [](std::uint64_t bytes) { return (bytes - repeated(1)) & ~bytes; };
  const std::uint64_t control = (word - repeated(0x20)) & ~word;
  return ((word | control | has_zero(word ^ repeated('"')) | has_zero(word ^ repeated('\\')) |
           has_zero(word ^ repeated(0x7F))) &
          kHigh) != 0;
}

// How many bytes from the beginning are written as they are, at least; whole words.
std::size_t plain_words(std::string_view text) {
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof(word));
    if (needs_care(word)) break;
  }
  return at;
}

bool is_ascii(std::string_view text) {
  std::uint64_t all = 0;
  for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof(word));
    all |= word;
  }
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return (all & repeated(0x80)) == 0;
}

// Text that is valid UTF-8: runs of what stays as it is, and between them up to eight bytes one by
// one.
void append_valid(std::string& out, std::string_view text, const Escapes& escapes) {
  while (!text.empty()) {
    const std::size_t plain = plain_words(text);
    out.append(text, 0, plain);
    text.remove_prefix(plain);
    const std::string_view careful = text.substr(0, sizeof(std::uint64_t));
    std::array<char, sizeof(std::uint64_t) * kLongestEscape> written;
    char* to = written.data();
    for (const char c : careful) {
      const char escape = escapes[static_cast<unsigned char>(c)];
      if (escape == 0) {
        *to++ = c;
      } else {
        to = write_escaped(to, c, escape);
      }
    }
    out.append(written.data(), to);
    text.remove_prefix(careful.size());
  }
}

}  // namespace

void append_escaped(std::string& out, std::string_view text, EscapeDelete escape_delete) {
  const Escapes& escapes = escape_delete == EscapeDelete::yes ? kEscapesWithDelete : kEscapes;
  if (is_ascii(text) || is_valid_utf8(text)) {
    append_valid(out, text, escapes);
  } else {
    append_valid(out, to_valid_utf8(std::string(text)), escapes);
  }
}

}  // namespace wright
