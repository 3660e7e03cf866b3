// The grammar of words: quotes, expansions, substitutions.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sandbox/shell_characters.h"
#include "sandbox/shell_parser.h"

namespace wright::sandbox {
namespace {

// The last background process, this one, the last exit code, how many parameters there are.
bool is_number_parameter(char c) {
  return c != '\0' && std::string_view("!$?#").find(c) != std::string_view::npos;
}

bool is_special_parameter(char c) {
  return c != '\0' && std::string_view("@*#?-$!").find(c) != std::string_view::npos;
}

}  // namespace

Result<std::vector<ShellCommand>> ShellParser::parse_here_document() {
  const Level level(*this);
  ShellWordBuilder ignored;
  keeps_escaped_quotes_ = true;
  while (is_ok() && current() != '\0') {
    switch (current()) {
      case '\\': position_ = std::min(position_ + 2, text_.size()); break;
      case '$': parse_dollar(ignored, Quoting::in_double_quotes); break;
      case '`': parse_backticks(Quoting::in_double_quotes); break;
      default: advance();
    }
  }
  return finish();
}

ShellWord ShellParser::parse_word() {
  ShellWordBuilder word;
  const std::size_t start = position_;
  parse_word_into(word);
  if (is_ok() && position_ == start) refuse("a word is missing");
  return std::move(word).finish();
}

void ShellParser::parse_word_into(ShellWordBuilder& word) {
  const Level level(*this);
  while (is_ok()) {
    const char c = current();
    switch (c) {
      case '\0':
      case '\n':
      case ' ':
      case '\t':
      case ';':
      case '&':
      case '|':
      case '(':
      case ')': return;
      case '<':
      case '>':
        if (following() != '(') return;
        if (!is_bash()) return refuse("a parenthesis follows a redirection");
        advance();
        parse_command_substitution();
        word.note_quoting();
        word.add_unknown_in_quotes();
        break;
      case '\\':
        word.note_quoting();
        if (++position_ == text_.size()) return refuse("it ends in a backslash");
        word.add(text_[position_++]);
        break;
      case '\'': parse_single_quotes(word); break;
      case '"': parse_double_quotes(word); break;
      case '`':
        parse_backticks(Quoting::none);
        word.note_quoting();
        word.add_unknown();
        break;
      case '$': parse_dollar(word, Quoting::none); break;
      default: word.add_unquoted(c); advance();
    }
  }
}

void ShellParser::parse_single_quotes(ShellWordBuilder& word) {
  word.note_quoting();
  const std::size_t start = position_ + 1;
  const std::size_t end = text_.find('\'', start);
  if (end == std::string_view::npos) return refuse_as_no_shell("a single quote is not closed");
  word.add(text_.substr(start, end - start));
  position_ = end + 1;
}

void ShellParser::parse_double_quotes(ShellWordBuilder& word) {
  const Level level(*this);
  word.note_quoting();
  advance();
  while (is_ok()) {
    const char c = current();
    if (c == '\0') return refuse_unfinished("a double quote is not closed");
    if (c == '"') return advance();
    if (c == '`') {
      parse_backticks(Quoting::in_double_quotes);
      word.add_unknown_in_quotes();
    } else if (c == '$') {
      parse_dollar(word, Quoting::in_double_quotes);
    } else if (c == '\\') {
      ++position_;
      const char escaped = position_ < text_.size() ? text_[position_] : '\0';
      if (escaped == '\0') return refuse_unfinished("a double quote is not closed");
      if (std::string_view("$`\"\\").find(escaped) == std::string_view::npos) word.add('\\');
      word.add(escaped);
      ++position_;
    } else {
      word.add(c);
      advance();
    }
  }
}

void ShellParser::parse_escaped_quotes(ShellWordBuilder& word) {
  word.note_quoting();
  constexpr std::string_view kNames = "abefnrtv\\'\"?E";
  constexpr std::string_view kValues = "\a\b\033\f\n\r\t\v\\'\"?\033";
  while (position_ < text_.size() && text_[position_] != '\'') {
    const char c = text_[position_++];
    if (c != '\\') {
      word.add(c);
      continue;
    }
    const char escaped = position_ < text_.size() ? text_[position_++] : '\0';
    const std::size_t known = kNames.find(escaped);
    if (escaped != '\0' && known != std::string_view::npos) {
      word.add(kValues[known]);
    } else {
      // A character given by its number, which may even end the word early: not worth computing.
      word.add_unknown_in_quotes();
    }
  }
  if (position_ >= text_.size()) return refuse_as_no_shell("a quote $' is not closed");
  ++position_;
}

void ShellParser::parse_dollar(ShellWordBuilder& word, Quoting quoting) {
  const Level level(*this);
  const std::size_t start = position_;
  const char next = following();
  const bool is_quoted = quoting == Quoting::in_double_quotes;
  const auto add_unknown = [&] {
    word.note_quoting();
    is_quoted ? word.add_unknown_in_quotes() : word.add_unknown();
  };
  advance();
  if (next == '(') {
    if (take("((")) {
      parse_arithmetic(start);
    } else {
      parse_command_substitution();
    }
    add_unknown();
  } else if (next == '{') {
    parse_parameter(word, quoting);
  } else if (next == '[' && is_bash()) {
    refuse("the old form of arithmetic, $[…], is not understood");
  } else if (next == '\'' && !is_quoted && is_bash()) {
    advance();
    parse_escaped_quotes(word);
  } else if (next == '"' && !is_quoted && is_bash()) {
    // What bash finds as its translation, in a file that variables name, is expanded like a line.
    refuse("a text that may be translated, $\"…\", is not understood");
  } else if (is_number_parameter(next)) {
    advance();
    word.note_quoting();
    word.add_number();
  } else if (is_special_parameter(next) || is_digit(next)) {
    advance();
    add_unknown();
    if (next == '@') word.add_unknown();  // many words even in quotes
  } else if (is_name(next)) {
    while (is_name(current())) advance();
    add_unknown();
  } else {
    word.add('$');
  }
}

void ShellParser::parse_parameter(ShellWordBuilder& word, Quoting quoting) {
  const std::size_t start = position_;
  advance();
  word.note_quoting();
  bool evaluates = false;
  if (current() == '!') {
    // ${!x} evaluates the value of x as the name of a parameter.
    evaluates = following() != '}';
    advance();
  } else if (current() == '#' && following() != '}') {
    advance();
  }
  if (is_name(current())) {
    while (is_name(current())) advance();
  } else if (is_special_parameter(current())) {
    advance();
  } else if (current() != '}') {
    return refuse("an expansion ${…} is not understood");
  }
  if (current() == '[') {
    advance();
    const std::size_t subscript = position_;
    while (is_digit(current()) || current() == '@' || current() == '*') advance();
    if (current() != ']' || position_ == subscript) {
      return refuse("the subscript of an array is not a plain number");
    }
    advance();
  }
  if (current() == '@') evaluates = true;
  if (current() == ':' && std::string_view("-=+?").find(following()) == std::string_view::npos) {
    evaluates = true;
  }
  parse_parameter_operation(quoting);
  if (!is_ok()) return;
  const std::string_view inside = text_.substr(start, position_ - start);
  if (evaluates) {
    const bool is_plain = inside.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                              "UVWXYZ_0123456789{}:- ") == inside.npos;
    const std::size_t colon = inside.find(':');
    const bool is_numbers = is_plain && colon != inside.npos &&
                            inside.find_first_not_of("0123456789:- }", colon) == inside.npos;
    if (!is_numbers) commands_.push_back(unknown_command(source_from(start)));
  }
  if (quoting == Quoting::none || inside.find('@') != inside.npos) {
    word.add_unknown();
  } else {
    word.add_unknown_in_quotes();
  }
}

// What follows the name, through the closing brace.
void ShellParser::parse_parameter_operation(Quoting quoting) {
  ShellWordBuilder ignored;
  const bool kept = keeps_escaped_quotes_;
  if (quoting == Quoting::in_double_quotes) keeps_escaped_quotes_ = true;
  while (is_ok()) {
    const char c = current();
    if (c == '\0') return refuse_unfinished("an expansion ${…} is not closed");
    if (c == '}') {
      keeps_escaped_quotes_ = kept;
      return advance();
    }
    if (c == '\\') {
      position_ = std::min(position_ + 2, text_.size());
    } else if (c == '\'') {
      // Whether these quote depends on the operation.
      if (quoting == Quoting::in_double_quotes) {
        return refuse("single quotes stand in an expansion in double quotes");
      }
      parse_single_quotes(ignored);
    } else if (c == '"') {
      parse_double_quotes(ignored);
    } else if (c == '`') {
      parse_backticks(quoting);
    } else if (c == '$') {
      parse_dollar(ignored, quoting);
    } else if ((c == '<' || c == '>') && following() == '(') {
      advance();
      parse_command_substitution();
    } else {
      advance();
    }
  }
}

// From its opening parenthesis through the closing one.
void ShellParser::parse_command_substitution() {
  advance();
  const std::size_t outer = outer_pending_;
  outer_pending_ = pending_.size();
  parse_list();
  if (is_ok() && pending_.size() != outer_pending_) refuse("a here-document has no text");
  outer_pending_ = outer;
  if (is_ok() && !take(")")) refuse_unfinished("a substitution is not closed");
}

void ShellParser::parse_backticks(Quoting quoting) {
  constexpr std::string_view kEscapes = "$`\\";
  std::string inside;
  std::size_t at = position_ + 1;
  while (at < text_.size() && text_[at] != '`') {
    if (text_[at] == '\\' && at + 1 < text_.size()) {
      const bool is_quote = text_[at + 1] == '"' && quoting == Quoting::in_double_quotes;
      if (is_quote && keeps_escaped_quotes_) {
        return refuse("an escaped quote stands in backticks where shells disagree about it");
      }
      if (!is_quote && kEscapes.find(text_[at + 1]) == std::string_view::npos) inside += '\\';
      ++at;
    }
    inside += text_[at++];
  }
  if (at >= text_.size()) return refuse_as_no_shell("a backtick is not closed");
  position_ = at + 1;
  auto commands = ShellParser(inside, depth_ + 1, dialect_).parse_line();
  if (!commands) return refuse(commands.error().message);
  std::ranges::move(*commands, std::back_inserter(commands_));
}

void ShellParser::parse_arithmetic(std::size_t start) {
  ShellWordBuilder ignored;
  bool has_names = false;
  int open = 0;
  while (is_ok()) {
    const char c = current();
    if (c == '\0') return refuse("an arithmetic expression is not closed");
    if (c == ')' && open == 0) {
      if (take("))")) break;
      return refuse("'((' starts two things at once; put a space between the parentheses");
    }
    if (c == '(') ++open;
    if (c == ')') --open;
    if (c == '\'' || c == '"' || c == '\\') {
      return refuse("an arithmetic expression has quotes in it");
    }
    has_names = has_names || (is_name(c) && !is_digit(c)) || c == '$' || c == '`';
    if (c == '$') {
      parse_dollar(ignored, Quoting::in_double_quotes);
    } else if (c == '`') {
      parse_backticks(Quoting::in_double_quotes);
    } else {
      advance();
    }
    // bash looks for the closing parentheses first, and into what is between them when it runs.
    if (!is_ok()) is_no_shell_ = false;
  }
  // A name stands for an expression, which may contain the subscript of an array, which may contain
  // a command.
  if (is_ok() && has_names) commands_.push_back(unknown_command(source_from(start)));
}

}  // namespace wright::sandbox
