#include "tools/files/line_collector.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_continuation(text[i]) && ++seen > count) return text.substr(0, i);
  }
  return text;
}

}  // namespace

void LineCollector::add(std::string_view piece) {
  if (piece.empty()) return;
  has_open_line_ = piece.back() != '\n';
  if (total_ + 1 < first_) {
    const std::int64_t lines = std::ranges::count(piece, '\n');
    if (total_ + lines + 1 < first_) {
      total_ += lines;
      return;
    }
  }
  while (!piece.empty() && !is_complete_) {
    const std::size_t end = piece.find('\n');
    if (total_ + 1 >= first_) keep(piece.substr(0, end));
    if (end == std::string_view::npos) return;
    end_line("\n");
    piece.remove_prefix(end + 1);
  }
  total_ += std::ranges::count(piece, '\n');
}

void LineCollector::add_zeros(std::int64_t count) {
  has_open_line_ = true;
  if (is_complete_ || total_ + 1 < first_) return;
  auto zeros = static_cast<std::size_t>(count);
  const std::size_t before = std::min(zeros, left_out_ - skipped_);
  skipped_ += before;
  zeros -= before;
  line_.append(std::min(zeros, kMaxLineBytes - line_.size()), '\0');
  line_bytes_ += zeros;
  line_characters_ += zeros;
}

void LineCollector::finish() {
  if (!has_open_line_) return;
  if (is_complete_) {
    ++total_;
  } else {
    end_line("");
  }
}

void LineCollector::keep(std::string_view part) {
  if (skipped_ < left_out_) {
    const std::string_view before = first_characters(part, left_out_ - skipped_);
    skipped_ += count_characters(before);
    part.remove_prefix(before.size());
  }
  line_.append(part.substr(0, kMaxLineBytes - line_.size()));
  line_bytes_ += part.size();
  line_characters_ += count_characters(part);
}

void LineCollector::end_line(std::string_view end) {
  ++total_;
  if (total_ < first_) return;
  const std::string text = line_text(end);
  if (budget_.take(json_size(text))) {
    content_ += text;
    ++taken_;
    is_complete_ = taken_ == wanted_;
  } else {
    is_complete_ = true;
  }
  line_.clear();
  line_bytes_ = 0;
  line_characters_ = 0;
  skipped_ = 0;
}

std::string LineCollector::line_text(std::string_view end) {
  if (!end.empty() && line_bytes_ == line_.size() && line_.ends_with('\r')) {
    line_.pop_back();
    --line_bytes_;
    has_carriage_returns_ = true;
  }
  const std::string_view start = first_characters(line_, kMaxLineCharacters);
  std::string text = to_valid_utf8(std::string(start));
  has_repairs_ = has_repairs_ || text != start;
  const std::string_view shown = first_characters(text, kMaxLineCharacters);
  if (start.size() < line_bytes_ || shown.size() < text.size()) {
    // What is no UTF-8 has no characters to count exactly.
    const std::size_t count = count_characters(shown);
    const std::size_t more = line_characters_ > count ? line_characters_ - count : 1;
    text = fmt::format("{}… [cut, {} more characters]", shown, more);
    cut_at_ = left_out_ + count + 1;
  }
  text += end;
  return text;
}

}  // namespace wright::tools
