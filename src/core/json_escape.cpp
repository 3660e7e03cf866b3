#include "core/json_escape.h"

#include <algorithm>
#include <array>

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

// Makes room for the worst case of a piece, writes it, and shrinks to what was needed.
void append_valid(std::string& out, std::string_view text, const Escapes& escapes) {
  constexpr std::size_t kPiece = 256;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, kPiece);
    const std::size_t before = out.size();
    out.resize(before + piece.size() * kLongestEscape);
    char* to = out.data() + before;
    for (const char c : piece) {
      const char escape = escapes[static_cast<unsigned char>(c)];
      if (escape == 0) {
        *to++ = c;
      } else {
        to = write_escaped(to, c, escape);
      }
    }
    out.resize(static_cast<std::size_t>(to - out.data()));
    text.remove_prefix(piece.size());
  }
}

}  // namespace

void append_escaped(std::string& out, std::string_view text, EscapeDelete escape_delete) {
  const Escapes& escapes = escape_delete == EscapeDelete::yes ? kEscapesWithDelete : kEscapes;
  const bool is_plain = std::ranges::all_of(text, [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 && escapes[byte] == 0;
  });
  if (is_plain) {
    out.append(text);
  } else if (is_valid_utf8(text)) {
    append_valid(out, text, escapes);
  } else {
    append_valid(out, to_valid_utf8(std::string(text)), escapes);
  }
}

}  // namespace wright
