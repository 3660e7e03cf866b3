// Breaks lines between words while their text comes. Pure: gives text, prints nothing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace wright::app {

class WordWrap {
 public:
  explicit WordWrap(std::size_t columns) : columns_(columns) {}

  // From the next line on; the one that has begun goes on with the new width.
  void fit(std::size_t columns) { columns_ = columns; }

  // A line whose first `taken` columns are taken. Where it is broken it goes on behind the margin.
  void begin_line(std::size_t taken, std::string margin);
  void set_margin(std::string margin) { margin_ = std::move(margin); }

  // Whole characters, with colours of a terminal, which take no columns. Held back is a word that
  // has not ended and may not fit. A word that is longer than a line is left to the terminal, so
  // that it can be copied.
  std::string add(std::string_view text);

  // What was held back. The line feed is the caller's.
  std::string end_line();

 private:
  std::string place_word();

  std::size_t columns_;
  std::size_t column_ = 0;
  std::string margin_;
  std::string blanks_;          // before the word
  std::string word_;            // that has not ended
  bool is_long_word_ = false;  // which is given as it comes
};

}  // namespace wright::app
