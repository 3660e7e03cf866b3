#include "app/terminal/person/line_editor.h"

#include <vector>

#include "app/terminal/screen_text.h"
#include "core/text.h"

namespace wright::app {
namespace {

// A piece of the line that is shown or left out as a whole.
struct Cell {
  std::string shown;
  std::size_t columns;
};

std::string shown_piece(std::string_view piece) {
  if (piece == "\n") return "↵";
  if (piece == "\t") return " ";
  return sanitised(piece);
}

// Letters, digits, _, and whatever is beyond ASCII.
bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::size_t LineEditor::after(std::size_t position) const {
  const auto step = [&](std::size_t from) {
    std::size_t to = from + 1;
    while (to < text_.size() && is_continuation(text_[to])) ++to;
    return to;
  };
  if (position >= text_.size()) return text_.size();
  const auto columns_to = [&](std::size_t end) {
    return columns_of(shown_piece(std::string_view(text_).substr(position, end - position)));
  };
  std::size_t to = step(position);
  // Accents and the like belong to the character before them.
  while (to < text_.size() && columns_to(step(to)) == columns_to(to)) to = step(to);
  return to;
}

std::size_t LineEditor::before(std::size_t position) const {
  std::size_t from = 0;
  while (from < position && after(from) < position) from = after(from);
  return from;
}

void LineEditor::erase(std::size_t begin, std::size_t end) {
  text_.erase(begin, end - begin);
  cursor_ = begin;
}

void LineEditor::cut(std::size_t begin, std::size_t end) {
  if (begin < end) cut_ = text_.substr(begin, end - begin);
  erase(begin, end);
}

void LineEditor::insert(std::string_view added) {
  if (text_.size() + added.size() > kMostBytes) return;
  text_.insert(cursor_, added);
  cursor_ += added.size();
}

void LineEditor::replace(std::string text) {
  text_ = std::move(text);
  cursor_ = text_.size();
}

std::size_t LineEditor::word_before(std::size_t position) const {
  while (position > 0 && !is_of_word(text_[position - 1])) --position;
  while (position > 0 && is_of_word(text_[position - 1])) --position;
  return position;
}

std::size_t LineEditor::word_after(std::size_t position) const {
  while (position < text_.size() && !is_of_word(text_[position])) ++position;
  while (position < text_.size() && is_of_word(text_[position])) ++position;
  return position;
}

void LineEditor::apply(const Key& key) {
  switch (key.kind) {
    case KeyKind::text:
    case KeyKind::paste: return insert(key.text);
    case KeyKind::new_line: return insert("\n");
    case KeyKind::put_back: return insert(cut_);
    case KeyKind::word_left: cursor_ = word_before(cursor_); return;
    case KeyKind::word_right: cursor_ = word_after(cursor_); return;
    case KeyKind::erase_next_word: return cut(cursor_, word_after(cursor_));
    case KeyKind::left: cursor_ = before(cursor_); return;
    case KeyKind::right: cursor_ = after(cursor_); return;
    case KeyKind::home: cursor_ = 0; return;
    case KeyKind::end: cursor_ = text_.size(); return;
    case KeyKind::backspace: return erase(before(cursor_), cursor_);
    case KeyKind::erase: return erase(cursor_, after(cursor_));
    case KeyKind::erase_line: return cut(0, cursor_);
    case KeyKind::erase_rest: return cut(cursor_, text_.size());
    case KeyKind::erase_word: {
      std::size_t begin = cursor_;
      while (begin > 0 && text_[begin - 1] == ' ') --begin;
      while (begin > 0 && text_[begin - 1] != ' ') --begin;
      return cut(begin, cursor_);
    }
    default: return;
  }
}

VisibleLine LineEditor::visible(std::size_t columns) const {
  std::vector<Cell> cells;
  std::size_t at = 0;  // the cell under the cursor
  for (std::size_t position = 0; position < text_.size();) {
    if (position < cursor_) ++at;
    const std::size_t next = after(position);
    Cell cell{shown_piece(std::string_view(text_).substr(position, next - position)), 0};
    cell.columns = columns_of(cell.shown);
    cells.push_back(std::move(cell));
    position = next;
  }
  // From the cursor to the left as far as there is room, then on to the right. The cursor itself
  // needs a column.
  const std::size_t room = columns > 1 ? columns - 1 : 0;
  std::size_t first = at;
  std::size_t used = 0;
  while (first > 0 && used + cells[first - 1].columns <= room) used += cells[--first].columns;
  VisibleLine line{{}, used};
  std::size_t last = at;
  while (last < cells.size() && used + cells[last].columns <= room) used += cells[last++].columns;
  for (std::size_t i = first; i < last; ++i) line.text += cells[i].shown;
  return line;
}

VisibleRows LineEditor::rows(std::size_t columns, std::size_t taken) const {
  VisibleRows shown{.rows = {""}};
  std::size_t width = taken;
  const auto begin_row = [&] {
    shown.rows.emplace_back();
    width = 0;
  };
  for (std::size_t position = 0; position < text_.size();) {
    const std::size_t next = after(position);
    const std::string_view piece = std::string_view(text_).substr(position, next - position);
    const std::string text = piece == "\n" ? std::string() : shown_piece(piece);
    const std::size_t wide = columns_of(text);
    if (width + wide >= columns && width > 0) begin_row();
    if (position == cursor_) {
      shown.cursor_row = shown.rows.size() - 1;
      shown.cursor_column = width;
    }
    shown.rows.back() += text;
    width += wide;
    if (piece == "\n") begin_row();
    position = next;
  }
  if (cursor_ == text_.size()) {
    shown.cursor_row = shown.rows.size() - 1;
    shown.cursor_column = width;
  }
  return shown;
}

}  // namespace wright::app
