// The grammar of commands: lists, pipelines, branches, loops, functions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sandbox/shell_characters.h"
#include "sandbox/shell_parser.h"
#include "wright/json.h"

namespace wright::sandbox {
namespace {

constexpr int kDeepest = 100;
constexpr std::size_t kLongestSource = 200;

bool ends_list(std::string_view word) {
  constexpr std::array kEnds{"then", "do", "done", "fi", "esac", "elif", "else", "}"};
  return std::ranges::find(kEnds, word) != kEnds.end();
}

}  // namespace

ShellCommand unknown_command(std::string_view source) {
  return {.words = {{ShellWord::Kind::many_words, "", false}}, .source = std::string(source)};
}

Result<std::vector<ShellCommand>> parse_shell_line(std::string_view line, ShellDialect dialect) {
  if (line.size() > kLongestShellLine) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the command has {} bytes; at most {} can be handed to a shell",
                            line.size(), kLongestShellLine));
  }
  if (line.find('\0') != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument, "the command contains a NUL byte");
  }
  return ShellParser(line, 0, dialect).parse_line();
}

ShellParser::Level::Level(ShellParser& parser) : parser_(parser) {
  if (++parser_.depth_ > kDeepest) parser_.refuse("it is nested too deeply");
}

Result<std::vector<ShellCommand>> ShellParser::parse_line() {
  parse_list();
  if (is_ok() && current() != '\0') {
    const std::string keyword = upcoming_word();
    const std::string_view shown = keyword.empty() ? text_.substr(position_, 1) : keyword;
    const std::string problem =
        fmt::format("'{}' stands where no command can start", to_valid_utf8(std::string(shown)));
    skip_upcoming_word();
    // With a substitution behind it, as in "fi>(x)", it is the start of a word.
    const bool may_go_on = current() == '<' || current() == '>';
    if (may_go_on) {
      refuse(problem);
    } else {
      refuse_as_no_shell(problem);
    }
  }
  return finish();
}

Result<std::vector<ShellCommand>> ShellParser::finish() {
  if (is_ok() && !pending_.empty()) refuse("a here-document has no text");
  if (is_ok()) return std::move(commands_);
  return fail(is_no_shell_ ? ErrorCode::invalid_argument : ErrorCode::unsupported, problem_);
}

void ShellParser::refuse(std::string_view problem) {
  if (problem_.empty()) problem_ = problem;
  position_ = text_.size();
}

void ShellParser::refuse_unfinished(std::string_view problem) {
  if (current() == '\0') return refuse_as_no_shell(problem);
  refuse(problem);
}

void ShellParser::refuse_as_no_shell(std::string_view problem) {
  if (problem_.empty()) is_no_shell_ = true;
  refuse(problem);
}

char ShellParser::current() {
  while (text_.substr(position_).starts_with("\\\n")) position_ += 2;
  return position_ < text_.size() ? text_[position_] : '\0';
}

char ShellParser::following() {
  if (current() == '\0') return '\0';
  const std::size_t here = position_++;
  const char next = current();
  position_ = here;
  return next;
}

void ShellParser::advance() {
  if (current() != '\0') ++position_;
}

bool ShellParser::take(std::string_view symbol) {
  const std::size_t start = position_;
  for (const char wanted : symbol) {
    if (current() != wanted) {
      position_ = start;
      return false;
    }
    advance();
  }
  return true;
}

void ShellParser::skip_blanks() {
  while (is_blank(current())) advance();
  if (current() != '#') return;
  // In a comment, a backslash before the newline has no meaning.
  position_ = std::min(text_.find('\n', position_), text_.size());
}

void ShellParser::take_newline() {
  advance();
  if (pending_.size() == outer_pending_) {
    if (outer_pending_ != 0) refuse("a here-document starts inside a substitution");
    return;
  }
  std::vector<HereDocument> starting(pending_.begin() + static_cast<std::ptrdiff_t>(outer_pending_),
                                     pending_.end());
  pending_.resize(outer_pending_);
  if (outer_pending_ != 0) return refuse("a here-document starts inside a substitution");
  for (const HereDocument& document : starting) {
    if (is_ok()) read_here_document(document);
  }
}

void ShellParser::skip_newlines() {
  skip_blanks();
  while (current() == '\n') {
    take_newline();
    skip_blanks();
  }
}

void ShellParser::read_here_document(const HereDocument& document) {
  const std::size_t start = position_;
  while (position_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    std::string_view line = text_.substr(position_, end - position_);
    const std::size_t line_start = position_;
    position_ = std::min(end + 1, text_.size());
    if (document.strips_tabs)
      line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    if (line == document.delimiter) {
      if (document.is_quoted) return;
      ShellParser body(text_.substr(start, line_start - start), depth_ + 1, dialect_);
      auto inside = body.parse_here_document();
      if (!inside) return refuse(inside.error().message);
      std::ranges::move(*inside, std::back_inserter(commands_));
      return;
    }
    if (!document.is_quoted && line.ends_with('\\')) {
      return refuse("a line of a here-document ends in a backslash");
    }
  }
  refuse(fmt::format("a here-document has no end '{}'", document.delimiter));
}

std::string ShellParser::source_from(std::size_t start) const {
  std::string_view source = text_.substr(start, position_ - start);
  while (!source.empty() && (is_blank(source.back()) || source.back() == '\n')) {
    source.remove_suffix(1);
  }
  return to_valid_utf8(std::string(utf8_prefix(source, kLongestSource)));
}

void ShellParser::emit(ShellCommand command, std::size_t start) {
  if (!is_ok()) return;
  command.source = source_from(start);
  command.dialect = dialect_;
  commands_.push_back(std::move(command));
}

std::string ShellParser::upcoming_word() {
  const std::size_t start = position_;
  std::string word;
  while (!ends_word(current())) {
    if (std::string_view("\\'\"`$").find(current()) != std::string_view::npos) {
      word.clear();
      break;
    }
    word += current();
    advance();
  }
  position_ = start;
  return word;
}

void ShellParser::skip_upcoming_word() {
  while (!ends_word(current())) advance();
}

bool ShellParser::is_at(std::initializer_list<std::string_view> keywords) {
  return std::ranges::find(keywords, std::string_view(upcoming_word())) != keywords.end();
}

void ShellParser::expect(std::string_view keyword) {
  if (upcoming_word() == keyword) return skip_upcoming_word();
  refuse_unfinished(fmt::format("'{}' is missing", keyword));
}

void ShellParser::parse_list() {
  const Level level(*this);
  while (is_ok()) {
    skip_newlines();
    const char c = current();
    if (c == '\0' || c == ')') return;
    if (c == ';') {
      const char next = following();
      if (next == ';' || (next == '&' && is_bash())) return;  // the end of a case
      advance();
    } else if (take("||")) {
      is_after_pipe_ = false;
    } else if ((is_bash() && take("|&")) || take("|")) {
      is_after_pipe_ = true;
    } else if (c == '&' && !(following() == '>' && is_bash())) {
      advance();
    } else if (!parse_command()) {
      return;
    }
  }
}

bool ShellParser::parse_command() {
  const Level level(*this);
  skip_blanks();
  std::string keyword = upcoming_word();
  // After a pipe these are names of commands like any other.
  const bool starts_pipeline = !std::exchange(is_after_pipe_, false);
  while (starts_pipeline && (keyword == "!" || (keyword == "time" && is_bash()))) {
    skip_upcoming_word();
    skip_blanks();
    for (const std::string_view option : {"-p", "--"}) {
      if (keyword == "time" && is_at({option})) skip_upcoming_word();
      skip_blanks();
    }
    keyword = upcoming_word();
  }
  if (ends_list(keyword)) return false;
  const std::size_t start = position_;
  if (!parse_compound(keyword)) {
    parse_simple_command();
    return true;
  }
  parse_trailing_redirections(start);
  return true;
}

bool ShellParser::parse_compound(const std::string& keyword) {
  if (current() == '(') {
    parse_subshell();
  } else if (keyword == "{") {
    skip_upcoming_word();
    parse_list();
    expect("}");
  } else if (keyword == "if") {
    parse_if();
  } else if (keyword == "while" || keyword == "until") {
    skip_upcoming_word();
    parse_list();
    parse_loop();
  } else if (keyword == "for" || (keyword == "select" && is_bash())) {
    parse_for();
  } else if (keyword == "case") {
    parse_case();
  } else if (keyword == "[[" && is_bash()) {
    parse_conditional();
  } else if (keyword == "function" && is_bash()) {
    parse_function();
  } else if (keyword == "coproc" && is_bash()) {
    refuse("coprocesses are not understood");
  } else {
    return false;
  }
  return true;
}

void ShellParser::parse_trailing_redirections(std::size_t start) {
  ShellCommand around;
  skip_blanks();
  while (is_ok() && is_at_redirection()) {
    parse_redirection(around);
    skip_blanks();
  }
  if (!around.redirections.empty()) emit(std::move(around), start);
  const char c = current();
  if (is_ok() && !(ends_word(c) && c != '(' && c != '<' && c != '>')) {
    refuse("something follows the end of a compound command");
  }
}

void ShellParser::parse_subshell() {
  const std::size_t start = position_;
  advance();
  if (is_bash() && take("(")) return parse_arithmetic(start);
  parse_list();
  if (is_ok() && !take(")")) refuse_unfinished("a parenthesis is not closed");
}

void ShellParser::parse_if() {
  do {  // the first time at "if", then at each "elif"
    skip_upcoming_word();
    parse_list();
    expect("then");
    parse_list();
  } while (is_ok() && is_at({"elif"}));
  if (is_at({"else"})) {
    skip_upcoming_word();
    parse_list();
  }
  expect("fi");
}

void ShellParser::parse_loop() {
  expect("do");
  parse_list();
  expect("done");
}

void ShellParser::parse_for() {
  const std::size_t start = position_;
  skip_upcoming_word();
  skip_blanks();
  if (is_bash() && take("((")) {
    parse_arithmetic(start);
  } else {
    const std::string name = upcoming_word();
    if (name.empty() || !is_name_start(name.front()) || !std::ranges::all_of(name, is_name)) {
      return refuse_unfinished("a loop has no name for its variable");
    }
    skip_upcoming_word();
    skip_newlines();
    if (is_at({"in"})) {
      skip_upcoming_word();
      ShellAssignment variable{name, {ShellWord::Kind::many_words, "", false}};
      skip_blanks();
      while (is_ok() && current() != ';' && current() != '\n' && current() != '\0') {
        if (parse_word(); is_ok() && ends_word(current()) &&
                          std::string_view("&|()<>").find(current()) != std::string_view::npos) {
          return refuse("a list of words ends in an operator");
        }
        skip_blanks();
      }
      emit({.assignments = {std::move(variable)}}, start);
    }
  }
  skip_blanks();
  if (current() == ';') advance();
  skip_newlines();
  parse_loop();
}

void ShellParser::parse_case() {
  skip_upcoming_word();
  skip_blanks();
  parse_word();
  skip_newlines();
  expect("in");
  skip_newlines();
  while (is_ok() && !is_at({"esac"})) {
    if (current() == '\0') return refuse_unfinished("'esac' is missing");
    parse_case_item();
    skip_newlines();
  }
  expect("esac");
}

void ShellParser::parse_case_item() {
  take("(");
  do {
    skip_blanks();
    if (ends_word(current())) return refuse("a case has an empty pattern");
    parse_word();
    skip_blanks();
  } while (is_ok() && take("|"));
  if (is_ok() && !take(")")) return refuse_unfinished("a pattern of a case has no ')'");
  parse_list();
  if (!is_ok() || is_at({"esac"})) return;
  if (!(is_bash() && take(";;&")) && !take(";;") && !(is_bash() && take(";&"))) {
    refuse_unfinished("';;' is missing");
  }
}

void ShellParser::parse_conditional() {
  const std::size_t start = position_;
  bool evaluates = false;
  while (is_ok()) {
    while (is_blank(current())) advance();
    // A comment to bash in some places, a part of a pattern in others.
    if (current() == '#') return refuse("a # stands in [[ … ]]");
    const char c = current();
    if (c == '\0') return refuse_unfinished("']]' is missing");
    if (c == '\n') {
      take_newline();
      continue;
    }
    const bool is_substitution = (c == '<' || c == '>') && following() == '(';
    if (ends_word(c) && !is_substitution) {
      advance();
      continue;
    }
    const ShellWord word = parse_word();
    const bool is_end = word.is_plain && word.is("]]");
    constexpr std::array kArithmetic{"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"};
    if (word.is_literal() && std::ranges::find(kArithmetic, word.text) != kArithmetic.end()) {
      evaluates = true;
    }
    if (is_end) break;
  }
  // bash evaluates the operands of such an operator, and what they refer to.
  if (is_ok() && evaluates) commands_.push_back(unknown_command(source_from(start)));
}

void ShellParser::parse_function() {
  skip_upcoming_word();
  skip_blanks();
  if (upcoming_word().empty()) return refuse("a function has no plain name");
  skip_upcoming_word();
  skip_blanks();
  if (take("(")) {
    skip_blanks();
    if (!take(")")) return refuse("a function has something between its parentheses");
  }
  parse_function_body();
}

void ShellParser::parse_function_body() {
  skip_newlines();
  const std::size_t start = position_;
  if (!parse_compound(upcoming_word()))
    return refuse_unfinished("a function has no body in braces");
  parse_trailing_redirections(start);
}

void ShellParser::parse_simple_command() {
  const std::size_t start = position_;
  ShellCommand command;
  while (is_ok()) {
    skip_blanks();
    if (is_at_redirection()) {
      parse_redirection(command);
      continue;
    }
    const char c = current();
    if (c == '(') {
      const bool may_be_function = command.words.size() == 1 && command.words[0].is_plain &&
                                   command.assignments.empty() && command.redirections.empty();
      advance();
      skip_blanks();
      if (!may_be_function || !take(")")) return refuse("a parenthesis stands among words");
      return parse_function_body();
    }
    const bool is_substitution = (c == '<' || c == '>') && following() == '(';
    if (ends_word(c) && !is_substitution) break;
    if (command.words.empty() && parse_assignment(command)) continue;
    command.words.push_back(parse_word());
    const ShellWord& word = command.words.back();
    if (is_ok() && word.is_plain && word.text.starts_with('{') && word.text.ends_with('}') &&
        is_at_redirection()) {
      return refuse("a redirection to a variable is not understood");
    }
  }
  emit(std::move(command), start);
}

}  // namespace wright::sandbox
