// One line that a person types: the text, the cursor, and what keys do to them. Draws nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/terminal/person/keys.h"

namespace wright::app {

// What a screen shows of a line.
struct VisibleLine {
  std::string text;        // harmless, at most as wide as asked for
  std::size_t cursor = 0;  // the column of the cursor in it
};

class LineEditor {
 public:
  // Text that goes on beyond is not taken.
  static constexpr std::size_t kMostBytes = std::size_t{1024} * 1024;

  // Keys that are not about a line have no effect.
  void apply(const Key& key);

  const std::string& text() const { return text_; }
  bool is_empty() const { return text_.empty(); }
  void clear();

  // The part around the cursor. Line breaks are shown as ↵.
  VisibleLine visible(std::size_t columns) const;

 private:
  std::size_t before(std::size_t position) const;
  std::size_t after(std::size_t position) const;
  void erase(std::size_t begin, std::size_t end);

  std::string text_;
  std::size_t cursor_ = 0;  // a byte, between characters
};

}  // namespace wright::app
