// The parts of a simple command other than its words: assignments and redirections.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "sandbox/shell_characters.h"
#include "sandbox/shell_parser.h"

namespace wright::sandbox {
namespace {

bool is_network_file(std::string_view path) {
  return path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/");
}

}  // namespace

bool ShellParser::parse_assignment(ShellCommand& command) {
  const std::size_t start = position_;
  std::string name;
  while (is_name(current())) {
    name += current();
    advance();
  }
  const bool is_named = !name.empty() && is_name_start(name.front());
  if (is_named && current() == '[' && is_bash()) {
    // A subscript is an expression and may run commands; only plain numbers are understood.
    advance();
    const std::size_t digits = position_;
    while (is_digit(current())) advance();
    const bool is_number = position_ > digits && current() == ']';
    if (!is_number) {
      refuse("the subscript of an array is not a plain number");
      return true;
    }
    advance();
  }
  if (!is_named || !(take("=") || (is_bash() && take("+=")))) {
    position_ = start;
    return false;
  }
  ShellAssignment assignment{std::move(name), {}};
  if (current() == '(') {
    assignment.value = parse_array();
  } else {
    ShellWordBuilder value;
    parse_word_into(value);
    assignment.value = std::move(value).finish();
  }
  command.assignments.push_back(std::move(assignment));
  return true;
}

ShellWord ShellParser::parse_array() {
  if (!is_bash()) refuse("a parenthesis follows an assignment");
  advance();
  skip_newlines();
  while (is_ok() && current() != ')') {
    if (current() == '\0') refuse_unfinished("a list of values is not closed");
    if (current() == '[') refuse("the subscript of an array is not a plain number");
    if (is_ok() && ends_word(current())) refuse("an operator stands in a list of values");
    parse_word();
    skip_newlines();
  }
  take(")");
  if (is_ok() && !ends_word(current())) refuse("something follows a list of values");
  return {ShellWord::Kind::many_words, "", false};
}

bool ShellParser::is_at_redirection() {
  const std::size_t start = position_;
  std::size_t digits = 0;
  for (; is_digit(current()); ++digits) advance();
  const char c = current();
  const char next = following();
  position_ = start;
  if (c == '&') return next == '>' && digits == 0 && is_bash();
  // To dash, only a single digit is the number of a descriptor; more are a separate word.
  if (digits > 1 && !is_bash()) return false;
  return (c == '<' || c == '>') && next != '(';
}

bool ShellParser::take_redirection(std::string_view symbol, ShellRedirection::Kind kind,
                                   ShellCommand& command) {
  if (!take(symbol)) return false;
  skip_blanks();
  // Here a dash is a separate word, whatever follows it.
  if ((symbol == "<&" || symbol == ">&") && take("-")) {
    command.redirections.push_back({ShellRedirection::Kind::duplicate, {.text = "-"}});
    return true;
  }
  ShellWordBuilder builder;
  parse_word_into(builder);
  if (!builder.has_content()) refuse_unfinished("a redirection has no target");
  const ShellWord target = std::move(builder).finish();
  if (kind == ShellRedirection::Kind::here_document && symbol != "<<<") {
    if (!target.is_literal()) refuse("the end of a here-document is not a plain word");
    pending_.push_back({target.text, symbol == "<<-", !target.is_plain});
  }
  // With a dash at the end, the descriptor moves; with more after that, it is the name of a file.
  std::string_view digits = target.text;
  if (digits.ends_with('-')) digits.remove_suffix(1);
  const bool is_number = target.is_literal() && !digits.empty() &&
                         digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_bash() && (symbol == "<<<" || (symbol == ">&" && !is_number))) {
    return refuse("a redirection is not understood"), true;
  }
  if (symbol == "<&" || (symbol == ">&" && is_number)) kind = ShellRedirection::Kind::duplicate;
  // bash opens connections by these names.
  if (kind == ShellRedirection::Kind::read && is_network_file(target.text)) {
    kind = ShellRedirection::Kind::write;
  }
  command.redirections.push_back({kind, target});
  return true;
}

void ShellParser::parse_redirection(ShellCommand& command) {
  using Kind = ShellRedirection::Kind;
  while (is_digit(current())) advance();
  struct Operator {
    std::string_view symbol;
    Kind kind;
  };
  constexpr std::array kOperators{
      Operator{"&>>", Kind::write},         Operator{"&>", Kind::write},
      Operator{"<<<", Kind::here_document}, Operator{"<<-", Kind::here_document},
      Operator{"<<", Kind::here_document},  Operator{"<>", Kind::write},
      Operator{"<&", Kind::duplicate},      Operator{"<", Kind::read},
      Operator{">>", Kind::write},          Operator{">&", Kind::write},
      Operator{">|", Kind::write},          Operator{">", Kind::write}};
  for (const Operator& each : kOperators) {
    if (take_redirection(each.symbol, each.kind, command)) return;
  }
  refuse("a redirection is not understood");
}

}  // namespace wright::sandbox
