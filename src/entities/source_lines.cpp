#include "entities/source_lines.h"

#include <algorithm>

namespace wright::entities {

SourceLines::SourceLines(std::string_view text) : text_(text) {
  for (std::size_t at = 0; at < text.size();) {
    starts_.push_back(at);
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
}

std::size_t SourceLines::offset(int number) const {
  if (number < 1) return 0;
  return number > count() ? text_.size() : starts_[static_cast<std::size_t>(number - 1)];
}

std::string_view SourceLines::line(int number) const {
  if (number < 1 || number > count()) return {};
  std::string_view made = text_.substr(offset(number), offset(number + 1) - offset(number));
  while (made.ends_with('\n') || made.ends_with('\r')) made.remove_suffix(1);
  return made;
}

int SourceLines::line_of(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(starts_, offset);
  return static_cast<int>(after - starts_.begin());
}

}  // namespace wright::entities
