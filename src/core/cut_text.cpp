#include "core/cut_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace wright {

std::string short_name(std::string_view name) {
  constexpr std::size_t kLongestName = 200;
  if (name.size() <= kLongestName) return std::string(name);
  return fmt::format("{}…", utf8_prefix(name, kLongestName));
}

std::string head_of(std::string_view text, std::size_t limit) {
  const std::string_view head = utf8_prefix(text, limit);
  return fmt::format("{}\n[Output cut: the first {} of {} bytes]", head, head.size(), text.size());
}

std::string head_and_tail(std::string_view text, std::size_t limit, std::string_view path) {
  const std::string_view head = utf8_prefix(text, limit - limit / 3);
  std::size_t start = text.size() - std::min(text.size() - head.size(), limit / 3);
  while (start < text.size() && is_continuation(text[start])) ++start;
  return fmt::format(
      "{}\n[… {} of {} bytes are left out here. All of it is in {}; read_file shows it part by "
      "part …]\n{}",
      head, start - head.size(), text.size(), path, text.substr(start));
}

}  // namespace wright
