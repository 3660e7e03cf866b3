// Takes a text piece by piece, keeps a range of its lines as a model gets to read them, and counts
// all of them. Memory stays bounded, however long the text and its lines are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tools/output/output_budget.h"

namespace wright::tools {

class LineCollector {
 public:
  static constexpr std::size_t kMaxLineCharacters = 2000;

  struct Range {
    std::int64_t first = 1;
    std::int64_t count = 1;
    std::int64_t column = 1;
  };
  explicit LineCollector(Range range)
      : first_(range.first),
        wanted_(range.count),
        left_out_(static_cast<std::size_t>(range.column - 1)) {}

  void add(std::string_view piece);
  // So many NUL bytes, which nobody has to have in memory.
  void add_zeros(std::int64_t count);
  // After the last piece.
  void finish();

  std::string take_content() && { return std::move(content_); }
  std::int64_t total_lines() const { return total_; }
  std::int64_t end_line_number() const { return first_ + taken_ - 1; }
  bool is_complete() const { return is_complete_; }  // no more lines fit, or none are wanted
  bool has_cut_lines() const { return cut_at_ > 0; }
  std::size_t cut_at() const { return cut_at_; }  // the column at which a cut line goes on
  bool has_repairs() const { return has_repairs_; }
  bool has_carriage_returns() const { return has_carriage_returns_; }

 private:
  static constexpr std::size_t kMaxLineBytes = 4 * kMaxLineCharacters;
  static constexpr std::size_t kContentBudget = 48 * 1024;

  void keep(std::string_view part);
  void end_line(std::string_view end);
  std::string line_text(std::string_view end);

  std::int64_t first_;
  std::int64_t wanted_;
  std::size_t left_out_;     // characters at the start of each line
  std::size_t skipped_ = 0;  // of them, in the current line
  std::int64_t total_ = 0;   // lines that have ended
  std::int64_t taken_ = 0;
  bool has_open_line_ = false;
  bool is_complete_ = false;
  std::size_t cut_at_ = 0;
  bool has_repairs_ = false;
  bool has_carriage_returns_ = false;
  std::string line_;  // the start of the current line
  std::size_t line_bytes_ = 0;
  std::size_t line_characters_ = 0;
  std::string content_;
  OutputBudget budget_{kContentBudget};
};

}  // namespace wright::tools
