#include "tools/edit/line_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "tools/output/output_budget.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kMaxDistance = 2000;  // lines that differ before it is given up to find which

using Lines = std::vector<std::string_view>;

// With their line breaks, so that a missing one at the end is a difference.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

// Lines [before_start, before_end) became [after_start, after_end).
struct Change {
  std::size_t before_start;
  std::size_t before_end;
  std::size_t after_start;
  std::size_t after_end;
};

// Myers' greedy algorithm between the lines that both texts begin and end with.
class Comparison {
 public:
  Comparison(const Lines& before, const Lines& after) : before_(before), after_(after) {
    const std::size_t shorter = std::min(before.size(), after.size());
    while (start_ < shorter && before[start_] == after[start_]) ++start_;
    while (end_ < shorter - start_ &&
           before[before.size() - 1 - end_] == after[after.size() - 1 - end_]) {
      ++end_;
    }
    rows_ = static_cast<long>(before.size() - start_ - end_);
    columns_ = static_cast<long>(after.size() - start_ - end_);
  }

  std::vector<Change> changes() {
    if (rows_ == 0 && columns_ == 0) return {};
    if (rows_ == 0 || columns_ == 0 || !search()) return {whole()};
    return traced_back();
  }

 private:
  Change whole() const {
    return {start_, start_ + static_cast<std::size_t>(rows_), start_,
            start_ + static_cast<std::size_t>(columns_)};
  }

  bool is_equal(long row, long column) const {
    return before_[start_ + static_cast<std::size_t>(row)] ==
           after_[start_ + static_cast<std::size_t>(column)];
  }

  // How far one gets with `distance` differences on each diagonal; kept for every distance, to
  // find the way back. False when it would take too many.
  bool search() {
    const long limit = std::min<long>(rows_ + columns_, kMaxDistance);
    std::vector<int> furthest(2 * static_cast<std::size_t>(limit) + 3, 0);
    const auto at = [&](long diagonal) -> int& {
      return furthest[static_cast<std::size_t>(diagonal + limit + 1)];
    };
    for (long distance = 0; distance <= limit; ++distance) {
      for (long diagonal = -distance; diagonal <= distance; diagonal += 2) {
        const bool goes_right =
            diagonal == -distance || (diagonal != distance && at(diagonal - 1) < at(diagonal + 1));
        long row = goes_right ? at(diagonal + 1) : at(diagonal - 1) + 1;
        long column = row - diagonal;
        while (row < rows_ && column < columns_ && is_equal(row, column)) {
          ++row;
          ++column;
        }
        at(diagonal) = static_cast<int>(row);
        if (row >= rows_ && column >= columns_) {
          keep(at, distance);
          return true;
        }
      }
      keep(at, distance);
    }
    return false;
  }

  template <class At>
  void keep(const At& at, long distance) {
    std::vector<int> rows;
    rows.reserve(2 * static_cast<std::size_t>(distance) + 1);
    for (long diagonal = -distance; diagonal <= distance; ++diagonal) rows.push_back(at(diagonal));
    trace_.push_back(std::move(rows));
  }

  std::vector<Change> traced_back() const {
    std::vector<Change> changes;
    long row = rows_;
    long column = columns_;
    for (long distance = static_cast<long>(trace_.size()) - 1; distance > 0; --distance) {
      const std::vector<int>& previous = trace_[static_cast<std::size_t>(distance - 1)];
      const auto reached = [&](long diagonal) -> long {
        const long index = diagonal + distance - 1;
        const bool is_known = index >= 0 && index < static_cast<long>(previous.size());
        return is_known ? previous[static_cast<std::size_t>(index)] : -1;
      };
      const long diagonal = row - column;
      const bool goes_right =
          diagonal == -distance ||
          (diagonal != distance && reached(diagonal - 1) < reached(diagonal + 1));
      const long from_diagonal = goes_right ? diagonal + 1 : diagonal - 1;
      const long from_row = reached(from_diagonal);
      const long from_column = from_row - from_diagonal;
      prepend(changes, from_row, from_column, goes_right);
      row = from_row;
      column = from_column;
    }
    std::ranges::reverse(changes);
    return changes;
  }

  // One line more that was added (or removed) at this place; joins the change behind it.
  void prepend(std::vector<Change>& changes, long row, long column, bool is_added) const {
    const std::size_t before = start_ + static_cast<std::size_t>(row);
    const std::size_t after = start_ + static_cast<std::size_t>(column);
    const Change change{before, before + (is_added ? 0 : 1), after, after + (is_added ? 1 : 0)};
    if (!changes.empty() && changes.back().before_start == change.before_end &&
        changes.back().after_start == change.after_end) {
      changes.back().before_start = change.before_start;
      changes.back().after_start = change.after_start;
    } else {
      changes.push_back(change);
    }
  }

  const Lines& before_;
  const Lines& after_;
  std::size_t start_ = 0;  // lines in common at the start
  std::size_t end_ = 0;    // and at the end
  long rows_ = 0;
  long columns_ = 0;
  std::vector<std::vector<int>> trace_;
};

class Writer {
 public:
  Writer(const Lines& before, const Lines& after) : before_(before), after_(after) {}

  // Changes so close together that their context would overlap share one hunk.
  std::string write(const std::vector<Change>& changes) {
    for (std::size_t first = 0; first < changes.size();) {
      std::size_t last = first;
      while (last + 1 < changes.size() &&
             changes[last + 1].before_start - changes[last].before_end <= 2 * kContext) {
        ++last;
      }
      write_hunk(changes, first, last);
      first = last + 1;
    }
    return std::move(diff_);
  }

 private:
  void write_hunk(const std::vector<Change>& changes, std::size_t first, std::size_t last) {
    const std::size_t lead = std::min(kContext, changes[first].before_start);
    const std::size_t trail = std::min(kContext, before_.size() - changes[last].before_end);
    const std::size_t before_start = changes[first].before_start - lead;
    const std::size_t before_end = changes[last].before_end + trail;
    const std::size_t after_start = changes[first].after_start - lead;
    const std::size_t after_end = changes[last].after_end + trail;
    fmt::format_to(std::back_inserter(diff_), "@@ -{} +{} @@\n", range(before_start, before_end),
                   range(after_start, after_end));
    std::size_t next = before_start;
    for (std::size_t i = first; i <= last; ++i) {
      const Change& change = changes[i];
      for (; next < change.before_start; ++next) write_line(' ', before_[next]);
      for (; next < change.before_end; ++next) write_line('-', before_[next]);
      for (std::size_t j = change.after_start; j < change.after_end; ++j) {
        write_line('+', after_[j]);
      }
    }
    for (; next < before_end; ++next) write_line(' ', before_[next]);
  }

  // An empty range is named by the line before it.
  static std::string range(std::size_t start, std::size_t end) {
    const std::size_t count = end - start;
    if (count == 1) return fmt::format("{}", start + 1);
    return fmt::format("{},{}", count == 0 ? start : start + 1, count);
  }

  void write_line(char mark, std::string_view line) {
    diff_ += mark;
    diff_ += line;
    if (!line.ends_with('\n')) diff_ += "\n\\ No newline at end of file\n";
  }

  const Lines& before_;
  const Lines& after_;
  std::string diff_;
};

}  // namespace

UnifiedDiff unified_diff(DiffNames names, std::string_view before, std::string_view after) {
  const Lines before_lines = lines_of(before);
  const Lines after_lines = lines_of(after);
  const auto changes = Comparison(before_lines, after_lines).changes();
  UnifiedDiff diff;
  if (changes.empty()) return diff;
  for (const Change& change : changes) {
    diff.deletions += static_cast<std::int64_t>(change.before_end - change.before_start);
    diff.additions += static_cast<std::int64_t>(change.after_end - change.after_start);
  }
  const auto name = [](std::string_view side, std::string_view path) {
    return path.empty() ? std::string("/dev/null") : fmt::format("{}/{}", side, path);
  };
  diff.text = fmt::format("--- {}\n+++ {}\n", name("a", names.before), name("b", names.after)) +
              Writer(before_lines, after_lines).write(changes);
  return diff;
}

std::string bounded_diff(std::string_view diff, std::size_t json_bytes) {
  if (json_size(diff) <= json_bytes) return to_valid_utf8(std::string(diff));
  std::size_t end = 0;
  std::size_t used = 0;
  while (end < diff.size()) {
    const std::size_t next = std::min(diff.find('\n', end), diff.size() - 1) + 1;
    used += json_size(diff.substr(end, next - end));
    if (used > json_bytes) break;
    end = next;
  }
  return fmt::format("{}… [cut, {} more bytes]\n", to_valid_utf8(std::string(diff.substr(0, end))),
                     diff.size() - end);
}

}  // namespace wright::tools
