#include "app/terminal/code_colours.h"

#include <algorithm>
#include <array>
#include <span>

#include "app/terminal/text_style.h"
#include "core/text.h"

namespace wright::app {
namespace {

struct Family {
  std::string_view languages;  // with a blank around each
  std::string_view comment;    // what begins one that ends with its line
  std::string_view quotes;
  std::string_view keywords;  // with a blank around each
};

constexpr std::array kFamilies{
    Family{
        " c cpp c++ cc h hpp java javascript js jsx typescript ts tsx rust rs go csharp cs kotlin "
        "swift php ",
        "//", "\"'`",
        " auto async await bool break case catch char class const constexpr continue def default "
        "delete do double else enum export extends extern false final float fn for func function "
        "if impl import in int interface let long match mut namespace new nil null nullptr "
        "override package private protected pub public return self short static string struct "
        "super switch template this throw trait true try type typename union unsigned use using "
        "var virtual void where while yield "},
    Family{
        " python py ruby rb sh bash shell zsh yaml yml toml make makefile dockerfile ", "#", "\"'",
        " and as assert async await begin break case class continue def del do done elif else end "
        "esac except export fi finally for from function global if import in is lambda local "
        "module None not or pass raise require rescue return self then true True false False try "
        "unless until while with yield "},
    Family{
        " sql sqlite postgresql lua haskell ", "--", "\"'",
        " all alter and as asc avg begin between by case count create cross delete desc distinct "
        "drop else end exists from full function group having if in index inner insert into is "
        "join key left like limit local max min not null offset on or order outer primary right "
        "return select set sum table then union unique update values view when where with "},
    Family{" json ", "", "\"", " true false null "},
};

bool holds(std::string_view list, std::string_view word) {
  const std::string padded = " " + std::string(word) + " ";
  return list.find(padded) != std::string_view::npos;
}

const Family* family_of(std::string_view language) {
  if (language.empty() || language.find(' ') != std::string_view::npos) return nullptr;
  const std::string wanted = lower(language);
  const auto found = std::ranges::find_if(
      kFamilies, [&](const Family& family) { return holds(family.languages, wanted); });
  return found == kFamilies.end() ? nullptr : &*found;
}

bool is_diff(std::string_view language) {
  return language == "diff" || language == "patch";
}

bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

std::string painted_as(std::string_view text, std::string_view style) {
  return std::string(style).append(text).append(style::kPlain);
}

std::string coloured_diff(std::string_view line) {
  if (line.starts_with('+')) return painted_as(line, style::kGreen);
  if (line.starts_with('-')) return painted_as(line, style::kRed);
  return line.starts_with('@') ? painted_as(line, style::kCyan) : std::string(line);
}

// The length of the string that begins the text; all of it when the string does not end.
std::size_t length_of_string(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text.front()) {
      return i + 1;
    }
  }
  return text.size();
}

}  // namespace

bool has_colours(std::string_view language) {
  return is_diff(language) || family_of(language) != nullptr;
}

std::string coloured_code(std::string_view line, std::string_view language) {
  if (is_diff(language)) return coloured_diff(line);
  const Family* family = family_of(language);
  if (family == nullptr) return std::string(line);
  std::string out;
  char before = ' ';
  while (!line.empty()) {
    const char first = line.front();
    std::size_t length = 1;
    std::string_view style;
    const bool is_comment = !family->comment.empty() && line.starts_with(family->comment);
    if (is_comment && (family->comment != "#" || !is_word(before))) {
      length = line.size();
      style = style::kDim;
    } else if (family->quotes.find(first) != std::string_view::npos && !is_word(before)) {
      length = length_of_string(line);
      // An apostrophe that nothing closes is no string.
      style = length == line.size() && line.back() != first ? std::string_view() : style::kGreen;
      if (style.empty()) length = 1;
    } else if (is_word(first)) {
      length = static_cast<std::size_t>(std::ranges::find_if_not(line, is_word) - line.begin());
      const std::string_view word = line.substr(0, length);
      const bool is_sql = family->comment == "--";
      if (holds(family->keywords, is_sql ? lower(word) : std::string(word))) style = style::kCyan;
    }
    const std::string_view part = line.substr(0, length);
    out += style.empty() ? std::string(part) : painted_as(part, style);
    before = part.back();
    line.remove_prefix(length);
  }
  return out;
}

}  // namespace wright::app
