#include "project/front_matter.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/lines.h"
#include "core/text.h"

namespace wright::project {
namespace {

std::size_t indent_of(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string_view::npos ? line.size() : begin;
}

std::string unquoted(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                         value.back() == value.front();
  if (!is_quoted) {
    const std::size_t comment = value.find(" #");
    return std::string(trimmed(value.substr(0, comment)));
  }
  const char quote = value.front();
  value = value.substr(1, value.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool is_escape =
        (quote == '"' && value[i] == '\\') || (quote == '\'' && value.substr(i, 2) == "''");
    if (is_escape && i + 1 < value.size()) {
      const char next = value[++i];
      text += quote == '"' && next == 'n' ? '\n' : next;
    } else {
      text += value[i];
    }
  }
  return text;
}

// A block of lines behind | or >, from `next` on; `next` is moved behind it.
std::string block(const std::vector<std::string_view>& lines, std::size_t& next, char kind,
                  std::size_t outer) {
  std::string text;
  std::optional<std::size_t> inner;
  for (; next < lines.size(); ++next) {
    const std::string_view line = lines[next];
    if (!is_blank(line) && indent_of(line) <= outer) break;
    if (!inner && !is_blank(line)) inner = indent_of(line);
    const std::string_view words =
        is_blank(line) ? std::string_view() : line.substr(std::min(*inner, line.size()));
    if (!text.empty()) text += kind == '>' && !words.empty() ? ' ' : '\n';
    text += words;
  }
  return std::string(trimmed(text));
}

}  // namespace

std::string FrontMatter::value(std::string_view key) const {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

Result<FrontMatter> parse_front_matter(std::string_view text) {
  FrontMatter front;
  const auto lines = split_lines(text);
  if (lines.empty() || trimmed(lines.front()) != "---") {
    front.body = text;
    return front;
  }
  std::size_t end = 1;
  while (end < lines.size() && trimmed(lines[end]) != "---") ++end;
  if (end == lines.size()) {
    return fail(ErrorCode::invalid_argument, "its head begins with --- and never ends");
  }
  const std::vector<std::string_view> head(lines.begin() + 1,
                                           lines.begin() + static_cast<std::ptrdiff_t>(end));
  std::string outer;
  for (std::size_t i = 0; i < head.size();) {
    const std::string_view line = head[i++];
    const std::string_view words = trimmed(line);
    if (words.empty() || words.starts_with('#')) continue;
    const std::size_t colon = words.find(':');
    if (colon == std::string_view::npos || colon == 0) continue;
    const std::string key(trimmed(words.substr(0, colon)));
    const std::string_view value = trimmed(words.substr(colon + 1));
    const std::size_t indent = indent_of(line);
    if (indent == 0) outer = key;
    const std::string full = indent == 0 ? key : fmt::format("{}.{}", outer, key);
    if (value == "|" || value == ">" || value == "|-" || value == ">-") {
      front.values[full] = block(head, i, value.front(), indent);
    } else if (!value.empty()) {
      front.values[full] = unquoted(value);
    }
  }
  const char* begin = end + 1 < lines.size() ? lines[end + 1].data() : text.data() + text.size();
  front.body = std::string_view(begin, static_cast<std::size_t>(text.data() + text.size() - begin));
  return front;
}

}  // namespace wright::project
