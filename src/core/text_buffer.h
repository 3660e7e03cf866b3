// Text that grows by small pieces: on the stack first, and without a check at every character.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "core/json_escape.h"

namespace wright {

class TextBuffer {
 public:
  TextBuffer() = default;
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  void put(char c) {
    make_room(1);
    *end_++ = c;
  }
  void put(std::string_view text) {
    make_room(text.size());
    end_ += text.copy(end_, text.size());
  }
  void put(std::size_t count, char c);

  void put_number(std::int64_t number);
  void put_number(std::uint64_t number);
  // In as few digits as say which number it is; null where it is none.
  void put_number(double number);

  // As a JSON string, whatever it is.
  void put_quoted(std::string_view text, EscapeDelete escape_delete);
  void put_escaped(std::string_view text, EscapeDelete escape_delete);

  std::string_view text() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }

 private:
  void make_room(std::size_t bytes) {
    if (static_cast<std::size_t>(limit_ - end_) < bytes) grow(bytes);
  }
  void grow(std::size_t bytes);

  std::array<char, 1024> first_;
  std::unique_ptr<char[]> more_ = {};
  char* begin_ = first_.data();
  char* end_ = begin_;
  char* limit_ = begin_ + first_.size();
};

}  // namespace wright
