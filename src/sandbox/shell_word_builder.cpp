#include "sandbox/shell_word_builder.h"

#include <algorithm>

namespace wright::sandbox {

void ShellWordBuilder::add_unquoted(char c) {
  const bool is_first = !has_content_;
  const std::size_t size = word_.text.size();
  switch (c) {
    case '*':
    case '?': become_pattern_after(size); break;
    case '[':
      if (!bracket_) bracket_ = size;
      break;
    case ']':
      if (bracket_) become_pattern_after(*bracket_);
      break;
    case '{':
      if (!brace_) brace_ = size;
      break;
    case ',':
    case '.':
      // {a,b} and {1..3} produce several words, each with the text around the braces.
      if (brace_ && (c == ',' || previous_ == '.')) become_pattern_after(*brace_);
      break;
    case '~':
      if (is_first || previous_ == ':' || previous_ == '=') add_unknown_in_quotes();
      break;
    default: break;
  }
  add(c);
  previous_ = c;
}

void ShellWordBuilder::become_pattern_after(std::size_t certain_bytes) {
  has_content_ = has_other_than_number_ = true;
  word_.kind = ShellWord::Kind::many_words;
  word_.text.resize(std::min(certain_bytes, word_.text.size()));
}

void ShellWordBuilder::add_unknown_in_quotes() {
  has_content_ = has_other_than_number_ = true;
  if (word_.is_literal()) word_.kind = ShellWord::Kind::one_word;
}

void ShellWordBuilder::add_unknown() {
  has_content_ = has_other_than_number_ = true;
  // It may be split, and the later parts may start with anything.
  word_.kind = ShellWord::Kind::many_words;
  word_.text.clear();
}

void ShellWordBuilder::add_number() {
  has_content_ = true;
  word_.kind = ShellWord::Kind::many_words;  // as IFS has it
  word_.text.clear();
}

}  // namespace wright::sandbox
