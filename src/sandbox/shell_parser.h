// The parser behind parse_shell_line(): a cursor over one line, the grammar of commands
// (shell_grammar.cpp, shell_command_parts.cpp) and that of words and expansions (shell_words.cpp).
// It stops at the first thing it does not understand: the cursor jumps to the end, so that every
// loop ends too.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/shell_syntax.h"
#include "sandbox/shell_word_builder.h"

namespace wright::sandbox {

class ShellParser {
 public:
  ShellParser(std::string_view text, int depth, ShellDialect dialect)
      : text_(text), depth_(depth), dialect_(dialect) {}

  // A whole line.
  Result<std::vector<ShellCommand>> parse_line();
  // The text of a here-document in which expansions are done.
  Result<std::vector<ShellCommand>> parse_here_document();

 private:
  enum class Quoting : std::uint8_t { none, in_double_quotes };

  struct HereDocument {
    std::string delimiter;
    bool strips_tabs = false;
    bool is_quoted = false;
  };

  // Counts how deeply constructs are nested; refuses to go deeper than a bound.
  class Level {
   public:
    explicit Level(ShellParser& parser);
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    ShellParser& parser_;
  };

  // The cursor. A backslash before a newline is no character at all.
  char current();
  char following();
  void advance();
  bool take(std::string_view symbol);
  bool is_bash() const { return dialect_ == ShellDialect::bash; }
  bool is_ok() const { return problem_.empty(); }
  void refuse(std::string_view problem);
  // No shell runs it. A line that only ends too early is called so where it has ended, and where it
  // goes on is refused like any other that is not understood.
  void refuse_unfinished(std::string_view problem);
  void refuse_as_no_shell(std::string_view problem);
  Result<std::vector<ShellCommand>> finish();

  void skip_blanks();    // and a comment
  void take_newline();   // and the here-documents that start after it
  void skip_newlines();  // and blanks
  void read_here_document(const HereDocument& document);

  // Grammar.
  void parse_list();
  bool parse_command();  // false where none starts here
  bool parse_compound(const std::string& keyword);
  void parse_if();
  void parse_loop();
  void parse_for();
  void parse_case();
  void parse_case_item();
  void parse_conditional();
  void parse_function();
  void parse_function_body();
  void parse_subshell();
  void parse_simple_command();
  void parse_trailing_redirections(std::size_t start);
  bool parse_assignment(ShellCommand& command);
  ShellWord parse_array();
  bool is_at_redirection();
  void parse_redirection(ShellCommand& command);
  bool take_redirection(std::string_view symbol, ShellRedirection::Kind kind,
                        ShellCommand& command);
  std::string upcoming_word();  // without quoting; empty where there is none
  void skip_upcoming_word();
  bool is_at(std::initializer_list<std::string_view> keywords);
  void expect(std::string_view keyword);
  void emit(ShellCommand command, std::size_t start);
  std::string source_from(std::size_t start) const;

  // Words.
  ShellWord parse_word();
  void parse_word_into(ShellWordBuilder& word);
  void parse_single_quotes(ShellWordBuilder& word);
  void parse_double_quotes(ShellWordBuilder& word);
  void parse_escaped_quotes(ShellWordBuilder& word);  // $'…'
  void parse_dollar(ShellWordBuilder& word, Quoting quoting);
  void parse_parameter(ShellWordBuilder& word, Quoting quoting);
  void parse_parameter_operation(Quoting quoting);
  void parse_command_substitution();
  void parse_backticks(Quoting quoting);
  void parse_arithmetic(std::size_t start);  // after ((, through ))

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
  ShellDialect dialect_;
  std::string problem_;
  bool is_no_shell_ = false;  // the problem is the line's, not that it is not understood
  std::vector<ShellCommand> commands_;
  std::vector<HereDocument> pending_;  // here-documents that start at the next newline
  bool keeps_escaped_quotes_ = false;  // in a here-document, or in "${…}"
  bool is_after_pipe_ = false;         // the next command is fed by one before it
  std::size_t outer_pending_ = 0;      // how many of them belong to a construct around this one
};

}  // namespace wright::sandbox
