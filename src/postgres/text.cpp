#include "postgres/text.h"

#include "wright/json.h"

namespace wright::postgres {
namespace {

constexpr std::string_view kEscape = "\xF4\x8F\xBF\xBD";  // U+10FFFD
constexpr char kNul = '0';
constexpr char kItself = '1';

}  // namespace

std::string to_column(std::string_view text) {
  const bool is_plain = is_valid_utf8(text) && !text.contains('\0') && !text.contains(kEscape);
  if (is_plain) return std::string(text);
  const std::string valid = to_valid_utf8(std::string(text));
  std::string column;
  column.reserve(valid.size() + kEscape.size());
  for (std::size_t i = 0; i < valid.size(); ++i) {
    if (valid[i] == '\0') {
      (column += kEscape) += kNul;
    } else if (std::string_view(valid).substr(i).starts_with(kEscape)) {
      (column += kEscape) += kItself;
      i += kEscape.size() - 1;
    } else {
      column += valid[i];
    }
  }
  return column;
}

std::string from_column(std::string_view column) {
  std::string text;
  std::size_t from = 0;
  while (true) {
    const std::size_t at = column.find(kEscape, from);
    text += column.substr(from, at == std::string_view::npos ? at : at - from);
    if (at == std::string_view::npos) return text;
    from = at + kEscape.size();
    const char what = from < column.size() ? column[from] : '\0';
    if (what == kNul) {
      text += '\0';
    } else {
      text += kEscape;
    }
    if (what == kNul || what == kItself) ++from;
  }
}

std::string array_literal(const std::vector<std::string>& texts) {
  std::string literal = "{";
  for (const std::string& text : texts) {
    if (literal.size() > 1) literal += ',';
    literal += '"';
    for (const char c : to_column(text)) {
      if (c == '"' || c == '\\') literal += '\\';
      literal += c;
    }
    literal += '"';
  }
  return literal += '}';
}

}  // namespace wright::postgres
