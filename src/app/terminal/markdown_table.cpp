#include "app/terminal/markdown_table.h"

#include <algorithm>
#include <vector>

#include "app/terminal/screen_text.h"
#include "app/terminal/text_style.h"
#include "core/text.h"

namespace wright::app {
namespace {

constexpr std::size_t kGap = 3;  // " │ "

using TableRow = std::vector<std::string>;

TableRow cells_of(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  TableRow cells(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cells.back() += line[++i];
    } else if (line[i] != '|') {
      cells.back() += line[i];
    } else if (i + 1 < line.size()) {
      cells.emplace_back();
    }
  }
  for (std::string& cell : cells) cell = std::string(trimmed(cell));
  return cells;
}

bool is_line_of_dashes(const TableRow& cells) {
  return std::ranges::all_of(cells, [](const std::string& cell) {
    return cell.find('-') != std::string::npos && cell.find_first_not_of(":-") == std::string::npos;
  });
}

bool is_for_numbers(std::string_view dashes) {
  return dashes.ends_with(':') && !dashes.starts_with(':');
}

class Table {
 public:
  Table(std::span<const std::string> lines, const ShowCell& show) {
    for (const std::string& dashes : cells_of(lines[1]))
      to_right_.push_back(is_for_numbers(dashes));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i == 1) continue;
      TableRow row = cells_of(lines[i]);
      row.resize(to_right_.size());
      for (std::string& cell : row) cell = show(cell);
      rows_.push_back(std::move(row));
    }
    widths_.resize(to_right_.size());
    for (const TableRow& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        widths_[i] = std::max(widths_[i], columns_of_coloured(row[i]));
      }
    }
  }

  std::size_t columns() const {
    std::size_t sum = kGap * (widths_.size() - 1);
    for (const std::size_t width : widths_) sum += width;
    return sum;
  }

  std::string as_rows() const {
    std::string out;
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      std::string line;
      for (std::size_t i = 0; i < widths_.size(); ++i) {
        if (i > 0) line.append(style::kDim).append(" │ ").append(style::kPlain);
        line += cell(n, i);
      }
      while (line.ends_with(' ')) line.pop_back();
      out += line + '\n';
      if (n == 0) out += rule();
    }
    return out;
  }

  std::string as_paragraphs() const {
    std::string out;
    for (std::size_t n = 1; n < rows_.size(); ++n) {
      for (std::size_t i = 0; i < widths_.size(); ++i) {
        if (rows_[n][i].empty()) continue;
        out.append(i == 0 ? "• " : "  ")
            .append(style::kBold)
            .append(rows_[0][i])
            .append(style::kPlain);
        out.append(": ").append(rows_[n][i]).append("\n");
      }
    }
    return out;
  }

 private:
  std::string cell(std::size_t row, std::size_t column) const {
    const std::string& text = rows_[row][column];
    const std::string space(widths_[column] - columns_of_coloured(text), ' ');
    const std::string shown =
        row == 0 ? std::string(style::kBold).append(text).append(style::kPlain) : std::string(text);
    return to_right_[column] ? space + shown : shown + space;
  }

  std::string rule() const {
    std::string line(style::kDim);
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      if (i > 0) line += "─┼─";
      for (std::size_t k = 0; k < widths_[i]; ++k) line += "─";
    }
    return line.append(style::kPlain).append("\n");
  }

  std::vector<TableRow> rows_;
  std::vector<bool> to_right_;
  std::vector<std::size_t> widths_;
};

}  // namespace

std::optional<std::string> drawn_table(std::span<const std::string> lines, std::size_t columns,
                                       const ShowCell& show) {
  if (lines.size() < 2 || !is_line_of_dashes(cells_of(lines[1])) ||
      cells_of(lines[0]).size() != cells_of(lines[1]).size()) {
    return std::nullopt;
  }
  const Table table(lines, show);
  return table.columns() <= columns || lines.size() == 2 ? table.as_rows() : table.as_paragraphs();
}

}  // namespace wright::app
