#include "app/terminal/code_colours.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

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

// What may go on over lines.
struct Block {
  std::string_view languages;  // with a blank around each
  std::string_view begin;
  std::string_view end;
  std::string_view style;
};

constexpr std::array kBlocks{
    Block{
        " c cpp c++ cc h hpp java javascript js jsx typescript ts tsx rust rs go csharp cs kotlin "
        "swift php sql sqlite postgresql ",
        "/*", "*/", style::kDim},
    Block{" python py toml kotlin java swift ", "\"\"\"", "\"\"\"", style::kGreen},
    Block{" python py toml ", "'''", "'''", style::kGreen},
    Block{" javascript js jsx typescript ts tsx go ", "`", "`", style::kGreen},
    Block{" lua ", "--[[", "]]", style::kDim},
    Block{" haskell ", "{-", "-}", style::kDim},
};

constexpr std::string_view kShells = " sh bash shell zsh ruby rb dockerfile ";

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

std::optional<CodeColours> CodeColours::of(std::string_view language) {
  if (!is_diff(language) && family_of(language) == nullptr) return std::nullopt;
  return CodeColours(lower(language));
}

// What still belongs to the open block; `line` is what comes behind it.
std::string CodeColours::rest_of_open(std::string_view& line) {
  const Open& open = *open_;
  const std::string_view whole = line;
  if (open.is_whole_line) {
    std::string_view word = line;
    while (open.may_be_indented && word.starts_with('\t')) word.remove_prefix(1);
    line = {};
    if (word == open.end) open_.reset();
    return std::string(whole);
  }
  std::size_t at = 0;
  while (at < line.size() && !line.substr(at).starts_with(open.end)) {
    at += open.has_escapes && line[at] == '\\' ? 2 : 1;
  }
  if (at >= line.size()) {
    line = {};
    return std::string(whole);
  }
  at += open.end.size();
  line.remove_prefix(at);
  open_.reset();
  return std::string(whole.substr(0, at));
}

std::size_t CodeColours::begin_block(std::string_view line) {
  for (const Block& block : kBlocks) {
    if (!line.starts_with(block.begin) || !holds(block.languages, language_)) continue;
    open_ = Open{.end = std::string(block.end),
                 .style = block.style,
                 .has_escapes = block.style == style::kGreen};
    return block.begin.size();
  }
  return 0;
}

// <<WORD, <<-WORD, <<~WORD, <<'WORD'
std::size_t CodeColours::begin_document(std::string_view line) {
  if (!line.starts_with("<<") || line.starts_with("<<<") || !holds(kShells, language_)) return 0;
  std::size_t at = 2;
  Open open{.style = style::kGreen, .is_whole_line = true};
  if (at < line.size() && (line[at] == '-' || line[at] == '~')) {
    open.may_be_indented = true;
    ++at;
  }
  const char quote = at < line.size() && (line[at] == '\'' || line[at] == '"') ? line[at] : '\0';
  if (quote != '\0') ++at;
  while (at < line.size() && is_word(line[at])) open.end += line[at++];
  if (open.end.empty() || is_digit(open.end.front())) return 0;
  if (quote != '\0' && at < line.size() && line[at] == quote) ++at;
  below_ = std::move(open);
  return at;
}

std::string CodeColours::line(std::string_view line) {
  if (is_diff(language_)) return coloured_diff(line);
  const Family* family = family_of(language_);
  std::string out;
  char before = ' ';
  while (!line.empty()) {
    if (open_) {
      const std::string_view style = open_->style;
      out += painted_as(rest_of_open(line), style);
      before = ' ';
      continue;
    }
    const char first = line.front();
    std::size_t length = 1;
    std::string_view style;
    if (const std::size_t begun = begin_block(line); begun > 0) {
      const std::string mark(line.substr(0, begun));
      line.remove_prefix(begun);
      const std::string_view block_style = open_->style;
      out += painted_as(mark + (line.empty() ? "" : rest_of_open(line)), block_style);
      before = ' ';
      continue;
    }
    const bool is_comment = !family->comment.empty() && line.starts_with(family->comment);
    if (is_comment && (family->comment != "#" || !is_word(before))) {
      length = line.size();
      style = style::kDim;
    } else if (const std::size_t word = begin_document(line); word > 0) {
      length = word;
    } else if (family->quotes.find(first) != std::string_view::npos && !is_word(before)) {
      length = length_of_string(line);
      // An apostrophe that nothing closes is no string.
      style = length == line.size() && line.back() != first ? std::string_view() : style::kGreen;
      if (style.empty()) length = 1;
    } else if (is_word(first)) {
      length = static_cast<std::size_t>(std::ranges::find_if_not(line, is_word) - line.begin());
      const std::string_view word_here = line.substr(0, length);
      const bool is_sql = family->comment == "--";
      if (holds(family->keywords, is_sql ? lower(word_here) : std::string(word_here))) {
        style = style::kCyan;
      }
    }
    const std::string_view part = line.substr(0, length);
    out += style.empty() ? std::string(part) : painted_as(part, style);
    before = part.back();
    line.remove_prefix(length);
  }
  if (below_) open_ = std::exchange(below_, std::nullopt);
  return out;
}

}  // namespace wright::app
