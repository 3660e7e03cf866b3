#include "app/terminal/markdown_stream.h"

#include <algorithm>
#include <utility>

#include "app/terminal/code_colours.h"
#include "app/terminal/markdown_table.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/text_style.h"
#include "core/text.h"

namespace wright::app {
namespace {

constexpr std::size_t kRuleColumns = 20;
// A span that does not end within so many bytes is none.
constexpr std::size_t kMostHeld = 2000;
constexpr std::size_t kMostNested = 4;
// A longer table is shown in parts.
constexpr std::size_t kMostRows = 500;

// Without what may be the beginning of a character, or of the end of a line.
std::size_t whole_characters(std::string_view text) {
  if (text.ends_with('\r')) return text.size() - 1;
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) break;
    if (byte < 0xC0) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return length > back ? text.size() - back : text.size();
  }
  return text.size();
}

std::size_t count_first(std::string_view text, char c) {
  return std::min(text.find_first_not_of(c), text.size());
}

std::string_view without_indent(std::string_view line) {
  line.remove_prefix(count_first(line, ' '));
  return line;
}

bool consists_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

// What begins at a special character.
struct Span {
  enum class Kind : std::uint8_t { literal, open, bold, italic, code, link };
  Kind kind = Kind::literal;
  std::size_t length = 1;  // of all of it, marks included
  std::string_view text = {};
  std::string_view address = {};
};

Span code_span(std::string_view rest) {
  const std::size_t marks = count_first(rest, '`');
  std::size_t at = marks;
  while (true) {
    at = rest.find('`', at);
    if (at == std::string_view::npos) return {Span::Kind::open, marks};
    const std::size_t run = count_first(rest.substr(at), '`');
    if (run == marks) {
      return {Span::Kind::code, at + marks, rest.substr(marks, at - marks)};
    }
    at += run;
  }
}

// Behind a letter or a digit a mark means something else: a product, a name.
bool is_part_of_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
}

Span italic_span(std::string_view rest, char before) {
  const char mark = rest.front();
  if (rest.size() == 1) return {Span::Kind::open, 1};
  if (is_part_of_word(before) || rest[1] == ' ' || rest[1] == mark) {
    return {Span::Kind::literal, count_first(rest, mark)};
  }
  for (std::size_t end = rest.find(mark, 1); end != std::string_view::npos;
       end = rest.find(mark, end + 1)) {
    if (end + 1 == rest.size()) return {Span::Kind::open, 1, rest.substr(1, end - 1)};
    const bool closes =
        rest[end - 1] != ' ' && !is_part_of_word(rest[end + 1]) && rest[end + 1] != mark;
    if (closes) return {Span::Kind::italic, end + 1, rest.substr(1, end - 1)};
  }
  return {Span::Kind::open, 1};
}

Span bold_span(std::string_view rest, char before) {
  constexpr std::string_view kMark = "**";
  if (rest.size() <= kMark.size() && kMark.starts_with(rest)) {
    return {Span::Kind::open, rest.size()};
  }
  const std::size_t marks = count_first(rest, '*');
  if (marks == 1) return italic_span(rest, before);
  if (marks != kMark.size() || rest[marks] == ' ') return {Span::Kind::literal, marks};
  const std::size_t end = rest.find(kMark, marks);
  if (end == std::string_view::npos) return {Span::Kind::open, marks};
  if (rest[end - 1] == ' ') return {Span::Kind::literal, marks};
  return {Span::Kind::bold, end + marks, rest.substr(marks, end - marks)};
}

Span link_span(std::string_view rest) {
  const std::size_t close = rest.find(']');
  if (close == std::string_view::npos || close + 1 == rest.size()) return {Span::Kind::open};
  if (rest[close + 1] != '(') return {};
  const std::size_t end = rest.find(')', close);
  if (end == std::string_view::npos) return {Span::Kind::open};
  return {Span::Kind::link, end + 1, rest.substr(1, close - 1),
          rest.substr(close + 2, end - close - 2)};
}

Span span_at(std::string_view rest, char before) {
  switch (rest.front()) {
    case '`': return code_span(rest);
    case '*': return bold_span(rest, before);
    case '_': return italic_span(rest, before);
    case '[': return link_span(rest);
    default: return {};
  }
}

std::string inline_text(std::string_view text, std::string_view style, std::size_t depth);

std::string shown_span(const Span& span, std::string_view style, std::size_t depth) {
  std::string out;
  switch (span.kind) {
    case Span::Kind::bold:
      out.append(style::kBold).append(inline_text(span.text, style::kBold, depth + 1));
      break;
    case Span::Kind::italic:
      out.append(style)
          .append(style::kItalic)
          .append(inline_text(span.text, style::kItalic, depth + 1));
      break;
    case Span::Kind::code: out.append(style::kCyan).append(span.text); break;
    case Span::Kind::link:
      out = inline_text(span.text, style, depth + 1);
      if (span.text == span.address) return out;
      out.append(style::kDim).append(" (").append(span.address).append(")");
      break;
    case Span::Kind::literal:
    case Span::Kind::open: return out;
  }
  return out.append(style::kPlain).append(style);
}

struct Inline {
  std::string shown;
  std::size_t taken = 0;
};

// Up to the first span that has not ended, where more may come.
template <class MayCome>
Inline inline_part(std::string_view text, char before, std::string_view style, std::size_t depth,
                   MayCome may_come) {
  Inline part;
  while (part.taken < text.size()) {
    std::string_view rest = text.substr(part.taken);
    const std::size_t special =
        depth > kMostNested ? rest.size() : std::min(rest.find_first_of("*`[_"), rest.size());
    part.shown += rest.substr(0, special);
    part.taken += special;
    if (special == rest.size()) break;
    rest.remove_prefix(special);
    const char left = part.taken > 0 ? text[part.taken - 1] : before;
    Span span = span_at(rest, left);
    if (span.kind == Span::Kind::open && may_come(rest)) break;
    // At the end of a line nothing follows that could keep it open.
    const bool is_closed_by_end = span.kind == Span::Kind::open && !span.text.empty() &&
                                  span.text.back() != ' ' && rest.size() == span.text.size() + 2;
    if (is_closed_by_end) span = {Span::Kind::italic, rest.size(), span.text};
    if (span.kind == Span::Kind::open || span.kind == Span::Kind::literal) {
      part.shown += rest.substr(0, span.length);
    } else {
      part.shown += shown_span(span, style, depth);
    }
    part.taken += span.length;
  }
  return part;
}

std::string inline_text(std::string_view text, std::string_view style, std::size_t depth) {
  return inline_part(text, ' ', style, depth, [](std::string_view) { return false; }).shown;
}

}  // namespace

void MarkdownStream::fit(std::size_t columns) {
  columns_ = columns;
  wrap_.fit(columns);
}

std::string MarkdownStream::add(std::string_view text) {
  raw_.append(text);
  const std::size_t whole = whole_characters(raw_);
  const std::string come = sanitised(std::string_view(raw_).substr(0, whole));
  raw_.erase(0, whole);
  return take(come);
}

std::string MarkdownStream::take(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    line_ += text.substr(0, end);
    if (end == std::string_view::npos) break;
    out += show(Extent::whole);
    if (kind_ != LineKind::fence && kind_ != LineKind::table) out += '\n';
    end_line();
    if (table_.size() == kMostRows) out += end_table();
    text.remove_prefix(end + 1);
  }
  return out + show(Extent::so_far);
}

std::string MarkdownStream::finish() {
  std::string out = take(sanitised(std::exchange(raw_, {})));
  const bool is_line_open = !line_.empty();
  if (is_line_open) out += show(Extent::whole);
  const bool ends_with_table = kind_ == LineKind::table;
  end_line();
  out += end_table();
  if (is_line_open && ends_with_table) out.pop_back();  // its line has no end
  *this = MarkdownStream(columns_);
  return out;
}

std::optional<MarkdownStream::LineKind> MarkdownStream::kind_in_code(std::string_view text,
                                                                     Extent extent) const {
  const std::size_t marks = count_first(text, fence_.front());
  if (!consists_of(text.substr(marks), " ")) return LineKind::code;
  if (extent == Extent::so_far) return std::nullopt;
  return marks >= fence_.size() ? LineKind::fence : LineKind::code;
}

std::optional<MarkdownStream::LineKind> MarkdownStream::kind_of_line(Extent extent) const {
  const std::string_view text = without_indent(line_);
  if (!fence_.empty()) return kind_in_code(text, extent);
  const bool is_whole = extent == Extent::whole;
  if (text.empty()) return is_whole ? std::optional(LineKind::prose) : std::nullopt;
  const char first = text.front();
  const std::size_t marks = count_first(text, first);
  const bool may_go_on = marks == text.size() && !is_whole;
  const char next = marks < text.size() ? text[marks] : ' ';
  switch (first) {
    case '`':
    case '~':
      if (may_go_on) return std::nullopt;
      if (marks < 3 || text.substr(marks).find('`') != std::string_view::npos) break;
      return is_whole ? std::optional(LineKind::fence) : std::nullopt;
    case '|': return is_whole ? std::optional(LineKind::table) : std::nullopt;
    case '#':
      if (may_go_on) return std::nullopt;
      if (marks <= 6 && next == ' ') return LineKind::heading;
      break;
    case '>':
      // The blank behind the mark belongs to it.
      if (text.size() == 1 && !is_whole) return std::nullopt;
      return LineKind::quote;
    case '-':
    case '*':
    case '_':
      if (consists_of(text, {text.data(), 1}) || consists_of(text, std::string{first, ' '})) {
        if (!is_whole) return std::nullopt;
        if (std::ranges::count(text, first) >= 3) return LineKind::rule;
      }
      [[fallthrough]];
    case '+':
      if (may_go_on) return std::nullopt;
      if (first != '_' && marks == 1 && next == ' ') return LineKind::bullet;
      break;
    default: break;
  }
  return LineKind::prose;
}

// The line's mark in our manner, and how the rest of it looks.
std::string MarkdownStream::begin_line() {
  const std::size_t indent = count_first(line_, ' ');
  const std::string_view text = without_indent(line_);
  const std::string margin(indent, ' ');
  const auto after_mark = [&](std::size_t mark) {
    shown_ = std::min(indent + mark, line_.size());
    if (shown_ < line_.size() && line_[shown_] == ' ') ++shown_;
  };
  switch (*kind_) {
    case LineKind::heading:
      after_mark(count_first(text, '#'));
      style_ = style::kBold;
      return std::string(style::kBold);
    case LineKind::bullet: after_mark(1); return margin + "• ";
    case LineKind::quote:
      after_mark(1);
      style_ = style::kDim;
      return margin + std::string(style::kDim) + "│ ";
    case LineKind::rule: {
      shown_ = line_.size();
      std::string rule;
      for (std::size_t i = 0; i < kRuleColumns; ++i) rule += "─";
      return rule;
    }
    case LineKind::fence: shown_ = line_.size(); return {};
    case LineKind::code:
      if (code_) return "    ";
      style_ = style::kDim;
      return std::string(style::kDim) + "    ";
    case LineKind::table: shown_ = line_.size(); return {};
    case LineKind::prose: return {};
  }
  return {};
}

bool MarkdownStream::is_wrapped() const {
  return kind_ == LineKind::prose || kind_ == LineKind::heading || kind_ == LineKind::bullet ||
         kind_ == LineKind::quote;
}

// Where the text of a line of prose begins: behind blanks, and behind the number of a list.
std::size_t MarkdownStream::hanging_indent() const {
  const std::size_t indent = count_first(line_, ' ');
  const std::string_view text = without_indent(line_);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view rest = text.substr(digits);
  const bool is_numbered = digits > 0 && (rest.starts_with(". ") || rest.starts_with(") "));
  return indent + (is_numbered ? digits + 2 : 0);
}

std::string MarkdownStream::show(Extent extent) {
  std::string out;
  if (!kind_) {
    kind_ = kind_of_line(extent);
    if (!kind_) return out;
    if (kind_ != LineKind::table) out = end_table();
    const std::string mark = begin_line();
    const std::size_t taken = columns_of_coloured(mark);
    std::string margin(taken, ' ');
    if (kind_ == LineKind::quote) margin = margin.substr(0, taken - 2) + "│ ";
    wrap_.begin_line(taken, std::move(margin));
    out += mark;
  }
  const std::string_view rest = std::string_view(line_).substr(shown_);
  if (*kind_ == LineKind::code && code_) {
    if (extent == Extent::so_far) return out;
    out += code_->line(rest);
    shown_ = line_.size();
  } else if (*kind_ == LineKind::code) {
    out += rest;
    shown_ = line_.size();
  } else {
    const char before = shown_ > 0 ? line_[shown_ - 1] : ' ';
    Inline part = inline_part(rest, before, style_, 0, [&](std::string_view held) {
      return extent == Extent::so_far && held.size() < kMostHeld;
    });
    // The number of a list may have come meanwhile.
    if (kind_ == LineKind::prose) wrap_.set_margin(std::string(hanging_indent(), ' '));
    out += is_wrapped() ? wrap_.add(part.shown) : part.shown;
    shown_ += part.taken;
  }
  if (extent == Extent::whole && is_wrapped()) out += wrap_.end_line();
  if (extent == Extent::whole && !style_.empty()) out += style::kPlain;
  return out;
}

void MarkdownStream::end_line() {
  if (kind_ == LineKind::fence) pass_fence();
  if (kind_ == LineKind::table) table_.push_back(line_);
  line_.clear();
  shown_ = 0;
  kind_.reset();
  style_ = {};
}

void MarkdownStream::pass_fence() {
  const std::string_view text = without_indent(line_);
  const std::size_t marks = count_first(text, text.front());
  const bool begins = fence_.empty();
  const std::string_view language = trimmed(text.substr(marks));
  fence_ = begins ? std::string(text.substr(0, marks)) : "";
  code_ = begins ? CodeColours::of(language) : std::nullopt;
}

// What was held back as a table; as it is where it is none.
std::string MarkdownStream::end_table() {
  if (table_.empty()) return {};
  const std::vector<std::string> lines = std::exchange(table_, {});
  const ShowCell show = [](std::string_view cell) { return inline_text(cell, "", 0); };
  if (auto drawn = drawn_table(lines, columns_, show)) return std::move(*drawn);
  std::string out;
  for (const std::string& line : lines) out += inline_text(line, "", 0) + '\n';
  return out;
}

std::string rendered_markdown(std::string_view text, std::size_t columns) {
  MarkdownStream stream(columns);
  std::string shown = stream.add(text);
  return shown + stream.finish();
}

}  // namespace wright::app
