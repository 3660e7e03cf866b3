// One line that a person types: the text, the cursor, and what keys do to them. Draws nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/terminal/person/keys.h"

namespace wright::app {

// What a screen shows of a line.
struct VisibleLine {
  std::string text;        // harmless, at most as wide as asked for
  std::size_t cursor = 0;  // the column of the cursor in it
};

// All of a line, broken where it has a line break and where a row is full.
struct VisibleRows {
  std::vector<std::string> rows = {};  // harmless
  std::size_t cursor_row = 0;
  std::size_t cursor_column = 0;
};

class LineEditor {
 public:
  // Text that goes on beyond is not taken.
  static constexpr std::size_t kMostBytes = std::size_t{1024} * 1024;

  // Keys that are not about a line have no effect.
  void apply(const Key& key);

  const std::string& text() const { return text_; }
  bool is_empty() const { return text_.empty(); }
  void clear() { replace({}); }
  // Another text, with the cursor at its end.
  void replace(std::string text);
  std::string_view before_cursor() const { return std::string_view(text_).substr(0, cursor_); }

  // The part around the cursor. Line breaks are shown as ↵.
  VisibleLine visible(std::size_t columns) const;
  // In rows of less than `columns`, the first of which begins behind `taken` of them.
  VisibleRows rows(std::size_t columns, std::size_t taken) const;

 private:
  std::size_t before(std::size_t position) const;
  std::size_t after(std::size_t position) const;
  std::size_t word_before(std::size_t position) const;
  std::size_t word_after(std::size_t position) const;
  void insert(std::string_view added);
  void erase(std::size_t begin, std::size_t end);
  void cut(std::size_t begin, std::size_t end);

  std::string text_;
  std::size_t cursor_ = 0;  // a byte, between characters
  std::string cut_;         // by the last key that erased more than a character
};

}  // namespace wright::app
