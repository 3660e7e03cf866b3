#include "tools/search/pattern_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace wright::tools {
namespace {

// Members of sets. A word is made of letters, marks, digits and connectors, and of what Unicode
// counts as alphabetic among the numbers and symbols.
constexpr std::string_view kDigits = R"(\p{Nd})";
constexpr std::string_view kSpaces = R"(\t-\r\x{85}\p{Z})";
constexpr std::string_view kNoSpaces =
    R"(\x{0}-\x{8}\x{E}-\x{1F}\x{21}-\x{84}\x{86}-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF})"
    R"(\x{200B}-\x{2027}\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{10FFFF})";
constexpr std::string_view kWords =
    R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200C}\x{200D}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149})"
    R"(\x{1F150}-\x{1F169}\x{1F170}-\x{1F189})";

struct ClassMembers {
  std::string_view escape;
  std::string_view members;
  std::string_view members_of_opposite;  // for an escape that means what is not among `members`
};
constexpr std::array kClasses{
    ClassMembers{R"(\d)", kDigits, {}}, ClassMembers{R"(\D)", R"(\P{Nd})", {}},
    ClassMembers{R"(\s)", kSpaces, {}}, ClassMembers{R"(\S)", kNoSpaces, {}},
    ClassMembers{R"(\w)", kWords, {}},  ClassMembers{R"(\W)", {}, kWords},
};

std::string_view set_opening(std::string_view text) {
  std::size_t length = 1;
  if (text.substr(length).starts_with('^')) ++length;
  if (text.substr(length).starts_with(']')) ++length;
  return text.substr(0, length);
}

std::string_view first_piece(std::string_view text, bool is_in_set) {
  if (text.starts_with("\\Q") && !is_in_set) {
    const std::size_t end = text.find("\\E", 2);
    return text.substr(0, end == std::string_view::npos ? end : end + 2);
  }
  if (text.starts_with('\\')) return text.substr(0, 2);
  if (text.starts_with('[') && !is_in_set) return set_opening(text);
  if (text.starts_with("[:") && is_in_set) {
    const std::size_t end = text.find(":]", 2);
    if (end != std::string_view::npos) return text.substr(0, end + 2);
  }
  return text.substr(0, 1);
}

}  // namespace

std::vector<PatternPiece> pieces_of(std::string_view pattern) {
  std::vector<PatternPiece> pieces;
  bool is_in_set = false;
  while (!pattern.empty()) {
    const std::string_view piece = first_piece(pattern, is_in_set);
    pieces.push_back({piece, is_in_set});
    if (!is_in_set && piece.starts_with('[')) {
      is_in_set = true;
    } else if (is_in_set && piece == "]") {
      is_in_set = false;
    }
    pattern.remove_prefix(piece.size());
  }
  return pieces;
}

bool asks_for_line_break(std::string_view pattern) {
  return std::ranges::any_of(pieces_of(pattern), [](const PatternPiece& piece) {
    if (piece.is_in_set) return false;  // there it only widens or narrows
    return piece.text == "\\n" || piece.text.find('\n') != std::string_view::npos;
  });
}

bool may_match_line_break(std::string_view pattern) {
  return std::ranges::any_of(pieces_of(pattern), [](const PatternPiece& piece) {
    const std::string_view text = piece.text;
    if (text.find('\n') != std::string_view::npos || text.starts_with("[^")) return true;
    if (text == ".") return !piece.is_in_set;
    if (piece.is_in_set) return text.starts_with('\\') || text.starts_with("[:");
    constexpr std::string_view kSingleCharacters = "AbBdfrtvwzQ";
    return text.size() == 2 && text.front() == '\\' &&
           std::isalnum(static_cast<unsigned char>(text.back())) != 0 &&
           kSingleCharacters.find(text.back()) == std::string_view::npos;
  });
}

std::string with_unicode_classes(std::string_view pattern) {
  std::string made;
  for (const PatternPiece& piece : pieces_of(pattern)) {
    const auto found = std::ranges::find(kClasses, piece.text, &ClassMembers::escape);
    if (found == kClasses.end() || (piece.is_in_set && found->members.empty())) {
      made += piece.text;
    } else if (piece.is_in_set) {
      made += found->members;
    } else if (found->members.empty()) {
      made += fmt::format("[^{}]", found->members_of_opposite);
    } else {
      made += fmt::format("[{}]", found->members);
    }
  }
  return made;
}

std::string with_line_anchors(std::string_view pattern) {
  std::string made;
  for (const PatternPiece& piece : pieces_of(pattern)) {
    made += piece.text == "\\A" ? "^" : piece.text == "\\z" ? "$" : piece.text;
  }
  return made;
}

}  // namespace wright::tools
