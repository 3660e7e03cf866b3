#include "core/text_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "wright/json.h"

namespace wright {
namespace {

// Below it, a number of hundredths has so few digits that no shorter text means the same double.
constexpr double kMostHundredths = 1e14;
constexpr std::size_t kLongestNumber = 32;

char* write_digits(char* to, const fmt::format_int& digits) {
  return std::copy_n(digits.data(), digits.size(), to);
}

char* write_hundredths(char* to, std::int64_t hundredths) {
  if (hundredths < 0) *to++ = '-';
  const auto magnitude = static_cast<std::uint64_t>(std::abs(hundredths));
  to = write_digits(to, fmt::format_int(magnitude / 100));
  const auto rest = static_cast<int>(magnitude % 100);
  if (rest == 0) return to;
  *to++ = '.';
  *to++ = static_cast<char>('0' + rest / 10);
  if (rest % 10 != 0) *to++ = static_cast<char>('0' + rest % 10);
  return to;
}

}  // namespace

void TextBuffer::grow(std::size_t bytes) {
  const std::string_view before = text();
  const auto size = std::max(before.size() + bytes, 2 * static_cast<std::size_t>(limit_ - begin_));
  auto larger = std::make_unique_for_overwrite<char[]>(size);
  end_ = larger.get() + before.copy(larger.get(), before.size());
  begin_ = larger.get();
  limit_ = begin_ + size;
  more_ = std::move(larger);
}

void TextBuffer::put(std::size_t count, char c) {
  make_room(count);
  end_ = std::fill_n(end_, count, c);
}

void TextBuffer::put_number(std::int64_t number) {
  make_room(kLongestNumber);
  end_ = write_digits(end_, fmt::format_int(number));
}

void TextBuffer::put_number(std::uint64_t number) {
  make_room(kLongestNumber);
  end_ = write_digits(end_, fmt::format_int(number));
}

void TextBuffer::put_number(double number) {
  if (!std::isfinite(number)) return put("null");
  make_room(kLongestNumber);
  // Most are durations and amounts, which are rounded.
  if (const double hundredths = std::round(number * 100);
      std::abs(hundredths) < kMostHundredths && hundredths / 100 == number && hundredths != 0) {
    end_ = write_hundredths(end_, static_cast<std::int64_t>(hundredths));
  } else {
    end_ = fmt::format_to(end_, "{}", number);
  }
}

void TextBuffer::put_quoted(std::string_view text, EscapeDelete escape_delete) {
  if (!is_plain_in_json(text)) {
    put('"');
    put_escaped(text, escape_delete);
    return put('"');
  }
  make_room(text.size() + 2);
  *end_++ = '"';
  end_ += text.copy(end_, text.size());
  *end_++ = '"';
}

void TextBuffer::put_escaped(std::string_view text, EscapeDelete escape_delete) {
  if (!is_valid_utf8(text)) return put_escaped(to_valid_utf8(std::string(text)), escape_delete);
  constexpr std::size_t kPiece = 1024;  // at a time, so that room for the worst case stays small
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, kPiece);
    make_room(piece.size() * kLongestEscape);
    end_ = write_escaped(end_, piece, escape_delete);
    text.remove_prefix(piece.size());
  }
}

}  // namespace wright
