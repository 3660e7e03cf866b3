#include "app/terminal/word_wrap.h"

#include <algorithm>
#include <utility>

#include "app/terminal/screen_text.h"

namespace wright::app {

void WordWrap::begin_line(std::size_t taken, std::string margin) {
  column_ = taken;
  margin_ = std::move(margin);
  blanks_.clear();
  word_.clear();
  is_long_word_ = false;
}

std::string WordWrap::add(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    word_ += text.substr(0, end);
    const bool has_ended = end < text.size();
    const bool is_too_long =
        columns_of_coloured(word_) + columns_of_coloured(margin_) > columns_;
    if (has_ended || is_long_word_ || is_too_long) out += place_word();
    is_long_word_ = !has_ended && (is_long_word_ || is_too_long);
    text.remove_prefix(end);
    const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    blanks_ += text.substr(0, blanks);
    text.remove_prefix(blanks);
  }
  return out;
}

std::string WordWrap::end_line() {
  std::string out = place_word();
  out += std::exchange(blanks_, {});
  is_long_word_ = false;
  return out;
}

std::string WordWrap::place_word() {
  if (word_.empty()) return {};
  const std::string word = std::exchange(word_, {});
  std::string before = std::exchange(blanks_, {});
  const std::size_t width = columns_of_coloured(word);
  // Colours alone go where they are. What goes on with a long word stays behind it.
  const bool may_break = width > 0 && !is_long_word_ && !before.empty();
  if (may_break && column_ > columns_of_coloured(margin_) &&
      column_ + before.size() + width > columns_) {
    before = "\n" + margin_;
    column_ = columns_of_coloured(margin_);
  } else {
    column_ += before.size();
  }
  column_ += width;
  return before + word;
}

}  // namespace wright::app
