// What a shell line would run: every simple command in it, at any depth, before any of it runs.
// Parses the languages of bash and dash; a line it does not fully understand is refused, never
// guessed at. Knows nothing about permissions, runs nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"

namespace wright::sandbox {

// One word as written, and what can be known about what it becomes.
struct ShellWord {
  enum class Kind : std::uint8_t {
    literal,     // exactly `text`
    one_word,    // one word that starts with `text`
    many_words,  // any number of words (also none), each of which starts with `text`
  };
  Kind kind = Kind::literal;
  std::string text;
  bool is_plain = true;    // no quoting at all, so it may be a reserved word
  bool is_number = false;  // of what is not literal: digits, or nothing, such as $!

  bool is_literal() const { return kind == Kind::literal; }
  bool is(std::string_view value) const { return is_literal() && text == value; }
};

struct ShellAssignment {
  std::string name;
  ShellWord value;
};

struct ShellRedirection {
  enum class Kind : std::uint8_t { read, write, here_document, duplicate };
  Kind kind = Kind::read;
  ShellWord target;  // of a read or a write
};

// Whose language a line is in. `sh` is dash on some machines and bash on others.
enum class ShellDialect : std::uint8_t { bash, dash };

struct ShellCommand {
  std::vector<ShellAssignment> assignments = {};
  std::vector<ShellWord> words = {};
  std::vector<ShellRedirection> redirections = {};
  std::string source = {};                    // for people: the command as it stands in the line
  ShellDialect dialect = ShellDialect::bash;  // of the line
};

// A longer line cannot be passed to a shell in one piece.
inline constexpr std::size_t kLongestShellLine = 128 * 1024 - 1;

// All simple commands, also those in substitutions, functions, branches and loops. A command whose
// words cannot be known before it runs is a single word of the kind many_words: for example an
// arithmetic expansion with names in it, since bash evaluates what those names contain. Fails with
// ErrorCode::invalid_argument where no shell could run the line, such as one that ends in a quote,
// and with ErrorCode::unsupported where it is only not understood here.
Result<std::vector<ShellCommand>> parse_shell_line(std::string_view line,
                                                   ShellDialect dialect = ShellDialect::bash);

// A command about which nothing is known.
ShellCommand unknown_command(std::string_view source);

}  // namespace wright::sandbox
