#include "app/terminal/screen_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "core/cut_text.h"
#include "core/deceptive_characters.h"
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

using Range = CharacterRange;

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

std::size_t columns_of_character(char32_t code) {
  if (code < 0x300) return 1;
  if (contains(kCombining, code)) return 0;
  return contains(kWide, code) ? 2 : 1;
}

constexpr std::array kPictures{Range{0x00A9, 0x00AE}, Range{0x203C, 0x2BFF}, Range{0x3030, 0x303D},
                               Range{0x3297, 0x3299}, Range{0x1F000, 0x1FAFF}};

constexpr std::array kIdeographs{Range{0x3400, 0x9FFF}, Range{0xF900, 0xFAFF},
                                 Range{0x20000, 0x3FFFD}};

// Scripts whose letters change their form beside each other.
constexpr std::array kJoinedScripts{Range{0x0600, 0x0DFF}, Range{0x1000, 0x109F},
                                    Range{0x1780, 0x18AF}, Range{0xA840, 0xA87F},
                                    Range{0xFB50, 0xFDFF}, Range{0xFE70, 0xFEFE}};

// Decides about one character after the other. A joiner or a selector is safe where it shapes the
// character before it, once.
class Safety {
 public:
  bool is_safe(char32_t code) {
    constexpr char32_t kNonJoiner = 0x200C;
    constexpr char32_t kJoiner = 0x200D;
    if (code == kJoiner || code == kNonJoiner) {
      const bool joins =
          (code == kJoiner && contains(kPictures, base_)) || contains(kJoinedScripts, base_);
      return !std::exchange(has_joiner_, true) && joins;
    }
    if (is_selector(code)) {
      return !std::exchange(has_selector_, true) && !has_joiner_ && may_be_selected(code);
    }
    base_ = code;
    has_joiner_ = has_selector_ = false;
    if (code < 0x7F) return code >= 0x20 || code == '\n' || code == '\t';
    return !contains(kDeceptive, code);
  }

 private:
  static bool is_selector(char32_t code) {
    return (code >= 0xFE00 && code <= 0xFE0F) || (code >= 0xE0100 && code <= 0xE01EF);
  }
  bool may_be_selected(char32_t selector) const {
    constexpr std::u32string_view kOnKeys = U"0123456789#*";
    const bool is_for_pictures = selector == 0xFE0E || selector == 0xFE0F;
    if (!is_for_pictures) return contains(kIdeographs, base_);
    return contains(kPictures, base_) || kOnKeys.find(base_) != std::u32string_view::npos;
  }

  char32_t base_ = 0;
  bool has_joiner_ = false;
  bool has_selector_ = false;
};

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

// U+2400 … U+241F are pictures of the control characters.
void append_picture(std::string& out, char32_t code) {
  out += '\xE2';
  out += '\x90';
  out += static_cast<char>(0x80 + (code == 0x7F ? 0x21 : code));
}

// Something visible in place of a character that is not safe.
void append_harmless(std::string& out, char32_t code) {
  if (code < 0x20 || code == 0x7F) {
    append_picture(out, code);
  } else {
    out += kReplacement;
  }
}

void append_escape(std::string& out, char32_t code) {
  if (code <= 0xFFFF) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    return;
  }
  const auto above = static_cast<unsigned>(code - 0x10000);
  out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (above >> 10U), 0xDC00 + (above & 0x3FFU));
}

// The bytes at the start of a screen that draw it, as painted() and a redrawn line have them.
std::size_t drawing_length(std::string_view screen) {
  constexpr std::string_view kRedraw = "\r\x1b[K";
  if (screen.starts_with(kRedraw)) return kRedraw.size();
  if (!screen.starts_with("\x1b[")) return 0;
  // Colours and styles by one number; nothing that hides or blinks.
  std::size_t end = 2;
  unsigned style = 0;
  while (end < screen.size() && end < 4 && screen[end] >= '0' && screen[end] <= '9') {
    style = style * 10 + static_cast<unsigned>(screen[end++] - '0');
  }
  const bool is_ours = style <= 4 || (style >= 22 && style <= 24) || (style >= 30 && style <= 39) ||
                       (style >= 90 && style <= 97);
  return end > 2 && is_ours && screen.substr(end).starts_with('m') ? end + 1 : 0;
}

enum class Drawing : std::uint8_t { none, kept };

// `replace` appends something for each character that is not safe.
template <class Replace>
std::string rewritten(std::string_view text, Drawing drawing, Replace replace) {
  std::string repaired;
  if (!is_valid_utf8(text)) {
    repaired = to_valid_utf8(std::string(text));
    text = repaired;
  }
  std::string out;
  out.reserve(text.size());
  Safety safety;
  while (!text.empty()) {
    const std::size_t drawn = drawing == Drawing::kept ? drawing_length(text) : 0;
    const Character character = first_character(text);
    const std::size_t length = drawn > 0 ? drawn : character.length;
    if (drawn > 0 || safety.is_safe(character.code)) {
      out += text.substr(0, length);
    } else if (!text.starts_with("\r\n")) {  // there, the line feed says it all
      replace(out, character.code);
    }
    text.remove_prefix(length);
  }
  return out;
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
  return rewritten(text, Drawing::none, append_harmless);
}

std::string guarded_screen(std::string_view screen) {
  return rewritten(screen, Drawing::kept, append_harmless);
}

std::string escaped_json(std::string_view json) {
  return rewritten(json, Drawing::none, append_escape);
}

std::string shown_name(std::string_view name) {
  return on_one_line(short_name(name));
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
