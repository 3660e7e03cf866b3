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

void LineEditor::clear() {
  text_.clear();
  cursor_ = 0;
}

void LineEditor::apply(const Key& key) {
  switch (key.kind) {
    case KeyKind::text:
    case KeyKind::new_line: {
      const std::string_view added = key.kind == KeyKind::text ? std::string_view(key.text) : "\n";
      if (text_.size() + added.size() > kMostBytes) return;
      text_.insert(cursor_, added);
      cursor_ += added.size();
      return;
    }
    case KeyKind::left: cursor_ = before(cursor_); return;
    case KeyKind::right: cursor_ = after(cursor_); return;
    case KeyKind::home: cursor_ = 0; return;
    case KeyKind::end: cursor_ = text_.size(); return;
    case KeyKind::backspace: return erase(before(cursor_), cursor_);
    case KeyKind::erase: return erase(cursor_, after(cursor_));
    case KeyKind::erase_line: return erase(0, cursor_);
    case KeyKind::erase_rest: return erase(cursor_, text_.size());
    case KeyKind::erase_word: {
      std::size_t begin = cursor_;
      while (begin > 0 && text_[begin - 1] == ' ') --begin;
      while (begin > 0 && text_[begin - 1] != ' ') --begin;
      return erase(begin, cursor_);
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

}  // namespace wright::app
