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

bool is_all_ascii(std::string_view text) {
  std::uint64_t all = 0;
  for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof(word));
    all |= word;
  }
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return (all & repeated(0x80)) == 0;
}

char* write_all_escaped(char* to, std::string_view text, const Escapes& escapes) {
  for (const char c : text) {
    const char escape = escapes[static_cast<unsigned char>(c)];
    if (escape == 0) {
      *to++ = c;
    } else {
      to = write_escaped(to, c, escape);
    }
  }
  return to;
}

// Makes room for the worst case of a piece, and writes it: eight bytes at once where they stay as
// they are.
void append_valid(std::string& out, std::string_view text, const Escapes& escapes) {
  constexpr std::size_t kPiece = 256;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  while (!text.empty()) {
    std::string_view piece = text.substr(0, kPiece);
    text.remove_prefix(piece.size());
    const std::size_t before = out.size();
    const auto write = [&](char* data, std::size_t) {
      char* to = data + before;
      for (; piece.size() >= kWord; piece.remove_prefix(kWord)) {
        std::uint64_t word = 0;
        std::memcpy(&word, piece.data(), kWord);
        if (needs_care(word)) {
          to = write_all_escaped(to, piece.substr(0, kWord), escapes);
        } else {
          std::memcpy(to, piece.data(), kWord);
          to += kWord;
        }
      }
      to = write_all_escaped(to, piece, escapes);
      return static_cast<std::size_t>(to - data);
    };
    out.resize_and_overwrite(before + piece.size() * kLongestEscape, write);
  }
}

}  // namespace

void append_escaped(std::string& out, std::string_view text, EscapeDelete escape_delete) {
  const Escapes& escapes = escape_delete == EscapeDelete::yes ? kEscapesWithDelete : kEscapes;
  if (is_all_ascii(text) || is_valid_utf8(text)) {
    append_valid(out, text, escapes);
  } else {
    append_valid(out, to_valid_utf8(std::string(text)), escapes);
  }
}

}  // namespace wright
