#include "app/terminal/person/screen_testing.h"

#include <fmt/format.h>
#include <wchar.h>

#include <algorithm>
#include <charconv>
#include <clocale>

namespace wright::app {
namespace {

std::size_t announced_length(unsigned char first) {
  if (first >= 0xF0) return 4;
  if (first >= 0xE0) return 3;
  return first >= 0xC0 ? 2 : 1;
}

// What the C library says, so that our own table of widths is checked by somebody else's.
std::size_t width_of(const std::string& character) {
  static const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  const locale_t before = uselocale(unicode);
  wchar_t code = 0;
  std::mbstate_t state{};
  const bool is_read = mbrtowc(&code, character.data(), character.size(), &state) <= 4;
  const int width = is_read ? wcwidth(code) : 1;
  uselocale(before);
  return width < 0 ? 1 : static_cast<std::size_t>(width);
}

}  // namespace

Screen::Screen(std::size_t columns, std::size_t rows) : columns_(columns), height_(rows) {}

Screen::Row& Screen::row_at(std::size_t index) {
  if (rows_.size() <= index) rows_.resize(index + 1);
  return rows_[index];
}

void Screen::new_line() {
  ++row_;
  row_at(row_);
}

void Screen::put(const std::string& character, std::size_t width) {
  if (width == 0) {
    auto& cells = row_at(row_).cells;
    if (column_ > 0 && column_ <= cells.size()) cells[column_ - 1] += character;
    return;
  }
  if (column_ + width > columns_) {
    row_at(row_).is_continued = true;
    new_line();
    column_ = 0;
  }
  auto& cells = row_at(row_).cells;
  if (cells.size() < column_ + width) cells.resize(column_ + width, " ");
  cells[column_] = character;
  if (width == 2) cells[column_ + 1] = "";
  column_ += width;
}

void Screen::erase_from(std::size_t row, std::size_t column) {
  auto& cells = row_at(row).cells;
  if (cells.size() > column) cells.resize(column);
  rows_[row].is_continued = false;
}

void Screen::delete_cells(std::size_t count) {
  auto& cells = row_at(row_).cells;
  if (column_ >= cells.size()) return;
  const auto first = cells.begin() + static_cast<std::ptrdiff_t>(column_);
  cells.erase(first, first + static_cast<std::ptrdiff_t>(std::min(count, cells.size() - column_)));
}

void Screen::insert_cells(std::size_t count) {
  auto& cells = row_at(row_).cells;
  if (column_ >= cells.size()) return;
  cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(column_), count, " ");
  if (cells.size() > columns_) cells.resize(columns_);
}

void Screen::obey(std::string_view parameters, char command) {
  if (command == 'm' || (parameters.starts_with('?') && (command == 'h' || command == 'l'))) return;
  std::size_t count = 1;
  if (!parameters.empty()) {
    std::from_chars(parameters.data(), parameters.data() + parameters.size(), count);
  }
  const std::size_t top = rows_.size() > height_ ? rows_.size() - height_ : 0;
  switch (command) {
    case 'A': row_ = row_ >= top + count ? row_ - count : top; return;
    case 'B': row_ = std::min(row_ + count, top + height_ - 1); return;
    case 'C': column_ = std::min(column_ + count, columns_ - 1); return;
    case 'D': column_ = column_ >= count ? column_ - count : 0; return;
    case 'G': column_ = std::min(std::max<std::size_t>(count, 1), columns_) - 1; return;
    case 'P': return delete_cells(count);
    case '@': return insert_cells(count);
    case 'K': return erase_from(row_, column_);
    case 'J':
      erase_from(row_, column_);
      rows_.resize(row_ + 1);
      return;
    default: not_understood_.push_back(fmt::format("CSI {}{}", parameters, command));
  }
}

void Screen::write(std::string_view bytes) {
  pending_.append(bytes);
  while (!pending_.empty()) {
    const char first = pending_.front();
    if (first == '\x1b') {
      if (pending_.size() < 2) return;
      if (pending_[1] != '[') {
        not_understood_.push_back(fmt::format("ESC {}", pending_[1]));
        pending_.erase(0, 2);
        continue;
      }
      std::size_t end = 2;
      while (end < pending_.size() && (pending_[end] < '@' || pending_[end] > '~')) ++end;
      if (end == pending_.size()) return;
      const std::string sequence = pending_.substr(0, end + 1);
      pending_.erase(0, end + 1);
      obey(std::string_view(sequence).substr(2, end - 2), sequence.back());
    } else if (first == '\n') {
      new_line();
      pending_.erase(0, 1);
    } else if (first == '\r') {
      column_ = 0;
      pending_.erase(0, 1);
    } else if (first == '\b') {
      column_ = column_ > 0 ? column_ - 1 : 0;
      pending_.erase(0, 1);
    } else if (static_cast<unsigned char>(first) < 0x20) {
      not_understood_.push_back(fmt::format("byte {:02x}", first));
      pending_.erase(0, 1);
    } else {
      const std::size_t length = announced_length(static_cast<unsigned char>(first));
      if (pending_.size() < length) return;
      const std::string character = pending_.substr(0, length);
      pending_.erase(0, length);
      put(character, width_of(character));
    }
  }
}

void Screen::resize(std::size_t columns, std::size_t rows) {
  std::vector<Row> made;
  std::size_t new_row = 0;
  std::size_t new_column = 0;
  for (std::size_t i = 0; i < rows_.size();) {
    std::vector<std::string> line;
    std::size_t cursor = std::string::npos;  // where the cursor is in this line
    while (true) {
      if (i == row_) cursor = line.size() + column_;
      line.insert(line.end(), rows_[i].cells.begin(), rows_[i].cells.end());
      if (!rows_[i++].is_continued || i == rows_.size()) break;
    }
    std::size_t at = 0;
    do {
      Row row;
      while (at < line.size() && row.cells.size() < columns) row.cells.push_back(line[at++]);
      row.is_continued = at < line.size();
      if (cursor != std::string::npos) {
        new_row = made.size();
        new_column = std::min(cursor, columns - 1);
        if (cursor < columns || !row.is_continued) {
          cursor = std::string::npos;
        } else {
          cursor -= columns;
        }
      }
      made.push_back(std::move(row));
    } while (at < line.size());
  }
  rows_ = std::move(made);
  row_ = new_row;
  column_ = new_column;
  columns_ = columns;
  height_ = rows;
}

std::string Screen::text() const {
  std::string text;
  for (const Row& row : rows_) {
    std::string line;
    for (const std::string& cell : row.cells) line += cell;
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text == "\n" ? "" : text;
}

}  // namespace wright::app
