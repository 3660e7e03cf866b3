#include "app/screen_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "wright/json.h"

namespace wright::app {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "…";

struct Character {
  char32_t code;
  std::size_t length;
};

// Decodes the first character of valid UTF-8.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto tail = [&](std::size_t i) { return static_cast<char32_t>(byte(i) & 0x3F); };
  if (byte(0) < 0x80) return {byte(0), 1};
  if (byte(0) < 0xE0) return {static_cast<char32_t>(byte(0) & 0x1F) << 6 | tail(1), 2};
  if (byte(0) < 0xF0) {
    return {static_cast<char32_t>(byte(0) & 0x0F) << 12 | tail(1) << 6 | tail(2), 3};
  }
  return {static_cast<char32_t>(byte(0) & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4};
}

struct Range {
  char32_t first;
  char32_t last;
};

constexpr std::array kCombining{
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489},   Range{0x0591, 0x05BD},  Range{0x0610, 0x061A},
    Range{0x064B, 0x065F}, Range{0x0E34, 0x0E3A},   Range{0x0E47, 0x0E4E},  Range{0x1AB0, 0x1AFF},
    Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200D},   Range{0x2060, 0x2064},  Range{0x20D0, 0x20FF},
    Range{0x302A, 0x302D}, Range{0x3099, 0x309A},   Range{0xFE00, 0xFE0F},  Range{0xFE20, 0xFE2F},
    Range{0xFEFF, 0xFEFF}, Range{0x1F3FB, 0x1F3FF}, Range{0xE0100, 0xE01EF}};

constexpr std::array kWide{
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x23E9, 0x23EC},
    Range{0x25FD, 0x25FE},   Range{0x2614, 0x2615},   Range{0x2648, 0x2653},
    Range{0x26AA, 0x26AB},   Range{0x2705, 0x2705},   Range{0x270A, 0x270B},
    Range{0x274C, 0x274E},   Range{0x2753, 0x2757},   Range{0x2E80, 0x303E},
    Range{0x3041, 0x33FF},   Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},
    Range{0xA000, 0xA4CF},   Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},
    Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
    Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF},
    Range{0x1F7E0, 0x1F7EB}, Range{0x1F900, 0x1F9FF}, Range{0x1FA70, 0x1FAFF},
    Range{0x20000, 0x3FFFD}};

template <std::size_t N>
bool contains(const std::array<Range, N>& ranges, char32_t code) {
  return std::ranges::any_of(
      ranges, [&](Range range) { return code >= range.first && code <= range.last; });
}

std::size_t columns_of_character(char32_t code) {
  if (code < 0x300) return 1;
  if (contains(kCombining, code)) return 0;
  return contains(kWide, code) ? 2 : 1;
}

// What is drawn as one: a character, what combines with it, and what is joined to it.
struct Cluster {
  std::size_t length = 0;
  std::size_t columns = 0;
};

Cluster first_cluster(std::string_view text) {
  constexpr char32_t kJoiner = 0x200D;
  const Character first = first_character(text);
  Cluster cluster{first.length, columns_of_character(first.code)};
  bool is_joined = false;
  while (cluster.length < text.size()) {
    const Character next = first_character(text.substr(cluster.length));
    const bool is_part = columns_of_character(next.code) == 0 || (is_joined && next.code >= 0x2000);
    if (!is_part || next.code == '\n') break;
    is_joined = next.code == kJoiner && cluster.columns == 2;
    cluster.length += next.length;
  }
  return cluster;
}

// Characters that reorder or hide what is around them.
bool is_deceptive(char32_t code) {
  return (code >= 0x80 && code <= 0x9F) || (code >= 0x200E && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
         (code >= 0xE0000 && code <= 0xE007F);
}

// U+2400 … U+241F are pictures of the control characters.
void append_picture(std::string& out, char32_t code) {
  out += '\xE2';
  out += '\x90';
  out += static_cast<char>(0x80 + (code == 0x7F ? 0x21 : code));
}

// A line that fits stays as it is, spaces and all.
std::string wrapped_line(std::string_view line, std::size_t columns) {
  if (columns_of(line) <= columns) return std::string(line);
  std::string out;
  std::size_t used = 0;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    const std::size_t width = columns_of(word);
    if (width == 0) continue;
    const bool fits = used + 1 + width <= columns;
    if (used > 0) out += fits ? ' ' : '\n';
    used = used > 0 && fits ? used + 1 + width : width;
    out += word;
  }
  return out;
}

// Without the colours.
std::string plain(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t escape = std::min(text.find('\x1b'), text.size());
    out += text.substr(0, escape);
    text.remove_prefix(escape);
    if (!text.empty()) text.remove_prefix(std::min(text.find('m'), text.size() - 1) + 1);
  }
  return out;
}

// Where the last column of a line begins, if that leaves room for its words: behind two spaces.
std::size_t hanging_indent(std::string_view line, std::size_t columns) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::size_t hang = indent;
  for (std::size_t gap = line.find("  ", indent); gap != std::string_view::npos;
       gap = line.find("  ", gap)) {
    gap = std::min(line.find_first_not_of(' ', gap), line.size());
    const std::size_t column = columns_of(line.substr(0, gap));
    if (gap < line.size() && column <= columns / 2) hang = column;
  }
  return hang == indent ? indent + (indent > 0 ? 2 : 0) : hang;
}

std::string fitted_line(std::string_view line, std::size_t columns) {
  const std::string seen = plain(line);
  if (columns_of(seen) <= columns) return std::string(line);
  const std::size_t hang = std::min(hanging_indent(seen, columns), columns / 2);
  std::string out;
  std::size_t used = 0;
  bool is_row_empty = true;
  while (!line.empty()) {
    // Spaces belong to the word behind them, so that columns stay where they are.
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::size_t width = columns_of(plain(line.substr(begin, end - begin)));
    if (!is_row_empty && used + begin + width > columns) {
      out.append("\n").append(hang, ' ');
      used = hang;
    } else {
      out.append(begin, ' ');
      used += begin;
    }
    out += line.substr(begin, end - begin);
    used += width;
    is_row_empty = is_row_empty && width == 0;
    line.remove_prefix(end);
  }
  return out;
}

}  // namespace

std::string sanitised(std::string_view text) {
  std::string repaired;
  if (!is_valid_utf8(text)) {
    repaired = to_valid_utf8(std::string(text));
    text = repaired;
  }
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    const bool is_line_end = text.starts_with("\r\n");
    if (is_line_end) {
      // The line feed that follows says it all.
    } else if (character.code < 0x20 && character.code != '\n' && character.code != '\t') {
      append_picture(out, character.code);
    } else if (character.code == 0x7F) {
      append_picture(out, character.code);
    } else if (is_deceptive(character.code)) {
      out += kReplacement;
    } else {
      out += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
  }
  return out;
}

std::string on_one_line(std::string_view text) {
  const std::string harmless = sanitised(text);
  std::string out;
  out.reserve(harmless.size());
  for (const char c : harmless) {
    const bool is_space = c == '\n' || c == '\t' || c == ' ';
    if (!is_space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Cluster cluster = first_cluster(text);
    columns += cluster.columns;
    text.remove_prefix(cluster.length);
  }
  return columns;
}

std::size_t columns_of_coloured(std::string_view text) {
  return columns_of(plain(text));
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const Cluster cluster = first_cluster(text.substr(end));
    if (used + cluster.columns > columns - 1) break;
    used += cluster.columns;
    end += cluster.length;
  }
  return std::string(text.substr(0, end)).append(kEllipsis);
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t used = columns_of(text);
  std::string out(text);
  if (used < columns) out.append(columns - used, ' ');
  return out;
}

std::string wrapped(std::string_view text, std::size_t columns) {
  std::string out;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += wrapped_line(text.substr(0, end), columns);
    if (end == text.size()) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string fitted_lines(std::string_view text, std::size_t columns) {
  std::string out;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += fitted_line(text.substr(0, end), columns);
    if (end == text.size()) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string indented(std::string_view text, std::size_t margin) {
  std::string out;
  while (text.ends_with('\n')) text.remove_suffix(1);
  while (true) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) out.append(margin, ' ').append(line);
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace wright::app
