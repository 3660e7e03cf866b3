// The lines of a text, for looking at one by its number.
#pragma once

#include <string_view>
#include <vector>

namespace wright::entities {

class SourceLines {
 public:
  // Refers to `text`.
  explicit SourceLines(std::string_view text);

  // A last line without a line feed counts.
  int count() const { return static_cast<int>(starts_.size()); }

  // Lines count from 1. Without its line end; empty when there is no such line.
  std::string_view line(int number) const;
  // Where it starts; the end of the text when there is no such line.
  std::size_t offset(int number) const;
  int line_of(std::size_t offset) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

}  // namespace wright::entities
