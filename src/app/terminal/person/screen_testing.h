// For tests: a terminal's screen, with as much of a terminal's language as a dialogue may speak.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wright::app {

class Screen {
 public:
  Screen(std::size_t columns, std::size_t rows);

  void write(std::string_view bytes);
  // As terminals do today: lines that were broken for want of room are broken again.
  void resize(std::size_t columns, std::size_t rows);

  // All lines from the first to the last that has anything on it, without blanks at their ends;
  // those that have scrolled away, too.
  std::string text() const;
  bool contains(std::string_view words) const { return text().find(words) != std::string::npos; }

  // What came that this screen does not understand: nothing, hopefully.
  const std::vector<std::string>& not_understood() const { return not_understood_; }

 private:
  struct Row {
    std::vector<std::string> cells;  // a wide character is followed by an empty cell
    bool is_continued = false;       // the next row belongs to the same line
  };

  void put(const std::string& character, std::size_t width);
  void new_line();
  void obey(std::string_view parameters, char command);
  void erase_from(std::size_t row, std::size_t column);
  void delete_cells(std::size_t count);
  void insert_cells(std::size_t count);
  Row& row_at(std::size_t index);

  std::size_t columns_;
  std::size_t height_;
  std::vector<Row> rows_{1};
  std::size_t row_ = 0;
  std::size_t column_ = 0;
  std::string pending_;
  std::vector<std::string> not_understood_;
};

}  // namespace wright::app
