// Collects the pieces of one word of a shell line and keeps what is certain about its value. Reads
// no input.
#pragma once

#include <optional>
#include <string_view>

#include "sandbox/shell_syntax.h"

namespace wright::sandbox {

class ShellWordBuilder {
 public:
  // A character that stands for itself, quoted or not.
  void add(char c) {
    has_content_ = has_other_than_number_ = true;
    if (word_.is_literal()) word_.text += c;
  }
  void add(std::string_view text) {
    for (const char c : text) add(c);
  }
  // A character without quotes, which may be part of a pattern or of a list in braces.
  void add_unquoted(char c);

  // Quoting makes even an empty word a word.
  void note_quoting() {
    word_.is_plain = false;
    has_content_ = true;
  }
  // Something whose value is not known; in quotes it stays within one word.
  void add_unknown_in_quotes();
  void add_unknown();
  // Digits, or nothing.
  void add_number();

  bool has_content() const { return has_content_; }
  const std::string& text() const { return word_.text; }
  bool is_literal() const { return word_.is_literal(); }
  bool is_plain() const { return word_.is_plain; }

  ShellWord finish() && {
    word_.is_number = !word_.is_literal() && !has_other_than_number_;
    return std::move(word_);
  }

 private:
  void become_pattern_after(std::size_t certain_bytes);

  ShellWord word_;
  bool has_content_ = false;
  bool has_other_than_number_ = false;
  char previous_ = '\0';  // the last unquoted character
  // The bytes of text before the first unquoted { and [.
  std::optional<std::size_t> brace_;
  std::optional<std::size_t> bracket_;
};

}  // namespace wright::sandbox
