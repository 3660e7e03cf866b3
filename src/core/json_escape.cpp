#include "core/json_escape.h"

#include <array>
#include <bit>
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

char* write_escape(char* to, char c, char escape) {
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

// Marks bytes of eight that are outside of ASCII, a control character, a quotation mark, a
// backslash or U+007F, by their highest bits. The lowest mark is right; those above it may be too
// many.
std::uint64_t special_bytes(std::uint64_t word) {
  constexpr std::uint64_t kHigh = repeated(0x80);
  const auto has_zero = [](std::uint64_t bytes) { return (bytes - repeated(1)) & ~bytes; };
  const std::uint64_t control = (word - repeated(0x20)) & ~word;
  return (word | control | has_zero(word ^ repeated('"')) | has_zero(word ^ repeated('\\')) |
          has_zero(word ^ repeated(0x7F))) &
         kHigh;
}

constexpr std::size_t kWord = sizeof(std::uint64_t);

std::uint64_t word_at(const char* data) {
  std::uint64_t word = 0;
  std::memcpy(&word, data, kWord);
  return word;
}

// How many bytes stand before the lowest mark.
std::size_t bytes_before(std::uint64_t marks) {
  return static_cast<std::size_t>(
             std::endian::native == std::endian::little ? std::countr_zero(marks) : 0) /
         8;
}

char* write_byte(char* to, char c, const Escapes& escapes) {
  const char escape = escapes[static_cast<unsigned char>(c)];
  if (escape != 0) return write_escape(to, c, escape);
  *to = c;
  return to + 1;
}

// `to` has room for the worst case. Eight bytes are copied at once, up to the next special one.
char* write_all_escaped(char* to, std::string_view text, const Escapes& escapes) {
  const char* from = text.data();
  const char* const end = from + text.size();
  while (static_cast<std::size_t>(end - from) >= kWord) {
    const std::uint64_t word = word_at(from);
    const std::uint64_t marks = special_bytes(word);
    std::memcpy(to, &word, kWord);
    const std::size_t plain = marks == 0 ? kWord : bytes_before(marks);
    from += plain;
    to += plain;
    if (marks != 0) to = write_byte(to, *from++, escapes);
  }
  while (from != end) to = write_byte(to, *from++, escapes);
  return to;
}

// Makes room for the worst case of a piece, and writes it.
void append_valid(std::string& out, std::string_view text, const Escapes& escapes) {
  constexpr std::size_t kPiece = 256;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, kPiece);
    text.remove_prefix(piece.size());
    const std::size_t before = out.size();
    out.resize_and_overwrite(before + piece.size() * kLongestEscape, [&](char* data, std::size_t) {
      return static_cast<std::size_t>(write_all_escaped(data + before, piece, escapes) - data);
    });
  }
}

const Escapes& escapes_for(EscapeDelete escape_delete) {
  return escape_delete == EscapeDelete::yes ? kEscapesWithDelete : kEscapes;
}

// Up to seven bytes, and blanks.
std::uint64_t short_word(std::string_view text) {
  std::uint64_t word = repeated(' ');
  const std::size_t size = text.size();
  if (size >= 4) {
    std::uint32_t ends[2];
    std::memcpy(&ends[0], text.data(), 4);
    std::memcpy(&ends[1], text.data() + size - 4, 4);
    std::memcpy(&word, ends, kWord);
  } else if (size > 0) {
    const char bytes[4] = {text.front(), text[size / 2], text.back(), ' '};
    std::memcpy(&word, bytes, 4);
  }
  return word;
}

}  // namespace

bool is_plain_in_json(std::string_view text) {
  if (text.size() < kWord) return special_bytes(short_word(text)) == 0;
  // The last word may overlap the one before.
  std::uint64_t special = special_bytes(word_at(text.data() + text.size() - kWord));
  for (std::size_t at = 0; at + kWord < text.size() && special == 0; at += kWord) {
    special = special_bytes(word_at(text.data() + at));
  }
  return special == 0;
}

char* write_escaped(char* to, std::string_view text, EscapeDelete escape_delete) {
  return write_all_escaped(to, text, escapes_for(escape_delete));
}

void append_escaped(std::string& out, std::string_view text, EscapeDelete escape_delete) {
  if (is_plain_in_json(text)) {
    out += text;
  } else if (is_valid_utf8(text)) {
    append_valid(out, text, escapes_for(escape_delete));
  } else {
    append_valid(out, to_valid_utf8(std::string(text)), escapes_for(escape_delete));
  }
}

}  // namespace wright
