#include "offline/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "offline/wording.h"
#include "wright/json.h"

namespace wright::offline {
namespace {

std::size_t longest_run(std::string_view text, char wanted) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == wanted ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// On one line: line ends and tabs become spaces, other control characters visible signs.
std::string printable(std::string_view text) {
  std::string clean = visible(text);
  std::ranges::replace_if(
      clean, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return clean;
}

// On one line, with a line end (which only a file's name can bring here) written out.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : visible(text)) {
    if (c == '\n') {
      line += "\\n";
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  for (const char c : to_valid_utf8(std::string(text))) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0x7f) {
      shown += "␡";
    } else if (byte < 0x20 && c != '\n' && c != '\t') {
      shown += "\xe2\x90";  // U+2400 and on are the pictures of the control characters
      shown += static_cast<char>(0x80 + byte);
    } else {
      shown += c;
    }
  }
  return shown;
}

std::string code_span(std::string_view text) {
  constexpr std::size_t kLongest = 160;
  const std::string line = shortened(text, kLongest);
  const std::string fence(longest_run(line, '`') + 1, '`');
  const bool needs_space = line.starts_with('`') || line.ends_with('`');
  return fmt::format("{0}{1}{2}{1}{0}", fence, needs_space ? " " : "", line);
}

std::string place(std::string_view path, int line) {
  return fmt::format("{}:{}", on_one_line(path), line);
}

std::string with_separators(std::int64_t number) {
  const std::string digits = fmt::format("{}", number);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool is_group_start = (digits.size() - i) % 3 == 0;
    if (i > 0 && is_group_start && digits[i - 1] != '-') grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string counted(std::int64_t count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", with_separators(count), count == 1 ? singular : plural);
}

std::string human_size(std::int64_t bytes) {
  constexpr auto kUnits = std::to_array<std::string_view>({"KB", "MB", "GB", "TB"});
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (value /= 1024; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string shortened(std::string_view text, std::size_t longest) {
  const std::string line(trim(printable(text.substr(0, longest * 4))));
  const std::string_view kept = utf8_prefix(line, longest);
  return std::string(kept) + (kept.size() < line.size() || text.size() > longest * 4 ? "…" : "");
}

std::string excerpt(const Window& window, std::size_t first, std::size_t last,
                    std::size_t most_lines) {
  constexpr std::size_t kLongestLine = 200;
  if (window.lines.empty() || first >= window.lines.size()) return {};
  last = std::min(last, window.lines.size() - 1);
  const std::size_t shown = std::min(last - first + 1, most_lines);
  const std::size_t width = fmt::format("{}", window.line_of(first + shown - 1)).size();
  std::string body;
  for (std::size_t i = first; i < first + shown; ++i) {
    std::string line = to_valid_utf8(std::string(utf8_prefix(window.lines[i], kLongestLine)));
    if (line.size() < window.lines[i].size()) line += "…";
    body += fmt::format("{:>{}}  {}\n", window.line_of(i), width, line);
  }
  const std::string fence(std::max<std::size_t>(3, longest_run(body, '`') + 1), '`');
  const Language& language = language_of(window.path);
  std::string block = fmt::format("{}{}\n{}{}", fence, language.fence, body, fence);
  if (shown < last - first + 1) {
    block += fmt::format("\n(it goes on after {})",
                         place(window.path, window.line_of(first + shown - 1)));
  }
  return block;
}

void AnswerText::separate(Last next) {
  if (last_ != Last::nothing) {
    text_ += last_ == Last::item && next == Last::item ? "\n" : "\n\n";
  }
  last_ = next;
}

AnswerText& AnswerText::paragraph(std::string_view text) {
  if (text.empty()) return *this;
  separate(Last::other);
  text_ += text;
  return *this;
}

AnswerText& AnswerText::heading(std::string_view text) {
  separate(Last::other);
  text_ += "**";
  text_ += on_one_line(text);
  text_ += "**";
  return *this;
}

AnswerText& AnswerText::item(std::string_view text) {
  separate(Last::item);
  text_ += "- ";
  text_ += on_one_line(text);
  return *this;
}

AnswerText& AnswerText::block(std::string_view text) {
  return paragraph(text);
}

AnswerText& AnswerText::items(const std::vector<std::string>& items, std::size_t most,
                              std::string_view noun) {
  for (std::size_t i = 0; i < items.size() && i < most; ++i) item(items[i]);
  if (items.size() > most) {
    item(fmt::format("… and {} more {}",
                     with_separators(static_cast<std::int64_t>(items.size() - most)), noun));
  }
  return *this;
}

}  // namespace wright::offline
