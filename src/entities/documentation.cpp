#include "entities/documentation.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/text.h"
#include "wright/json.h"

namespace wright::entities {
namespace {

constexpr std::size_t kLongest = 300;
constexpr int kMostLines = 12;

bool is_decoration(std::string_view line) {
  return line.starts_with('@') || (line.starts_with("#[") && line.ends_with(']')) ||
         (line.starts_with('[') && line.ends_with(']')) || line.starts_with("template");
}

bool is_comment(std::string_view line, std::string_view language) {
  constexpr auto kHashes = std::to_array<std::string_view>(
      {"Python", "Sh", "Ruby", "Perl", "Make", "CMake", "R", "Julia", "Elixir", "Tcl", "PHP"});
  constexpr auto kDashes =
      std::to_array<std::string_view>({"Lua", "SQL", "Haskell", "Ada", "VHDL"});
  if (line.starts_with('#')) {
    return std::ranges::find(kHashes, language) != kHashes.end() && !line.starts_with("#!");
  }
  if (line.starts_with("--")) return std::ranges::find(kDashes, language) != kDashes.end();
  return line.starts_with("//") || line.starts_with("/*") || line.starts_with('*') ||
         line.ends_with("*/") || line.starts_with(";;");
}

// The words of a line of comment.
std::string_view uncommented(std::string_view line) {
  const std::size_t start = line.find_first_not_of("/*#-;! \t<");
  if (start == std::string_view::npos) return {};
  line.remove_prefix(start);
  if (line.ends_with("*/")) line.remove_suffix(2);
  return trimmed(line);
}

std::string joined(const std::vector<std::string_view>& parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += ' ';
    text += part.substr(0, kLongest);
    if (text.size() >= kLongest) break;
  }
  text = to_valid_utf8(std::move(text));
  return std::string(utf8_prefix(text, kLongest));
}

std::string comment_above(const SourceLines& lines, int start_line, std::string_view language) {
  std::vector<std::string_view> parts;
  int number = start_line - 1;
  while (number > 0 && start_line - number <= 4 && is_decoration(trimmed(lines.line(number)))) {
    --number;
  }
  for (; number > 0 && std::ssize(parts) < kMostLines; --number) {
    const std::string_view line = trimmed(lines.line(number));
    if (line.empty() || !is_comment(line, language)) break;
    parts.push_back(uncommented(line));
  }
  std::ranges::reverse(parts);
  return joined(parts);
}

std::string docstring_from(const SourceLines& lines, int number) {
  std::string_view first = trimmed(lines.line(number));
  if (first.starts_with('r') || first.starts_with('u')) first.remove_prefix(1);
  if (!first.starts_with("\"\"\"") && !first.starts_with("'''")) return {};
  const std::string_view quote = first.substr(0, 3);
  first.remove_prefix(3);
  std::vector<std::string_view> parts;
  for (int i = 0; i < kMostLines; ++i) {
    const std::string_view line = i == 0 ? first : trimmed(lines.line(number + i));
    const std::size_t end = line.find(quote);
    parts.push_back(line.substr(0, end));
    if (end != std::string_view::npos) break;
  }
  return joined(parts);
}

// After the line that ends the head of the definition with a colon.
std::string docstring_below(const SourceLines& lines, int start_line) {
  int number = start_line;
  while (number < start_line + kMostLines && !trimmed(lines.line(number)).ends_with(':')) ++number;
  return docstring_from(lines, number + 1);
}

}  // namespace

std::string opening_documentation(const SourceLines& lines, std::string_view language) {
  int number = 1;
  while (number <= 3 &&
         (trimmed(lines.line(number)).empty() || lines.line(number).starts_with("#!"))) {
    ++number;
  }
  if (language == "Python") {
    if (std::string text = docstring_from(lines, number); !text.empty()) return text;
  }
  std::vector<std::string_view> parts;
  for (; std::ssize(parts) < kMostLines; ++number) {
    const std::string_view line = trimmed(lines.line(number));
    if (line.empty() || !is_comment(line, language)) break;
    parts.push_back(uncommented(line));
  }
  return joined(parts);
}

std::string documentation_at(const SourceLines& lines, int start_line, std::string_view language) {
  if (language == "Python") {
    if (std::string text = docstring_below(lines, start_line); !text.empty()) return text;
  }
  return comment_above(lines, start_line, language);
}

}  // namespace wright::entities
