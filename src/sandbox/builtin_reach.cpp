#include "sandbox/builtin_reach.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "core/text.h"
#include "sandbox/shell_variables.h"

namespace wright::sandbox {
namespace {

using Words = std::span<const ShellWord>;

// Builtins that change what later commands mean, or run text later.
constexpr std::array<std::string_view, 9> kMeaningChangers{
    "alias", "shopt", "enable", "hash", "complete", "compgen", "compopt", "bind", "fc"};
// Builtins that set variables given by name.
constexpr std::array<std::string_view, 11> kAssigners{"read",    "export",   "declare", "typeset",
                                                      "local",   "readonly", "mapfile", "readarray",
                                                      "getopts", "unset",    "let"};

bool is_option(const ShellWord& word) {
  return word.text.size() > 1 && word.text.front() == '-';
}

// Options that make bash evaluate what is assigned (-i), turn a name into a reference (-n), or run
// a command for each line (-C).
bool has_evaluating_option(std::string_view builtin, const ShellWord& word) {
  if (!is_option(word)) return false;
  if (builtin == "mapfile" || builtin == "readarray") {
    return word.text.find('C') != std::string::npos;
  }
  if (builtin == "read") return word.text.find('i') != std::string::npos;
  constexpr std::array<std::string_view, 4> kDeclaring{"declare", "typeset", "local", "readonly"};
  return is_one_of(builtin, kDeclaring) && word.text.find_first_of("in") != std::string::npos;
}

// Whether the word, as an argument of an assigning builtin, can set a variable that matters to
// later commands, or contains a subscript, which is evaluated.
bool may_change_meaning(const ShellWord& word) {
  const std::size_t equals = word.text.find('=');
  if (!word.is_literal() && equals == std::string::npos) return true;
  if (word.text.find_first_of("[`") != std::string::npos) return true;
  if (word.text.find("$(") != std::string::npos) return true;
  std::string name = word.text.substr(0, equals);
  if (name.ends_with('+')) name.pop_back();
  if (equals != std::string::npos && word.is_literal() && !is_option(word)) {
    return changes_later_commands(
        {name, {ShellWord::Kind::literal, word.text.substr(equals + 1), false}});
  }
  if (may_change_later_commands(name)) return true;
  // A name may be part of the same word as its option: read -aPATH.
  for (std::size_t i = 2; is_option(word) && i < name.size(); ++i) {
    if (may_change_later_commands(std::string_view(name).substr(i))) return true;
  }
  return false;
}

// Whether a builtin exports the variables it names to later commands.
bool exports(std::string_view builtin, Words arguments) {
  constexpr std::array<std::string_view, 4> kDeclaring{"declare", "typeset", "local", "readonly"};
  return is_one_of(builtin, kDeclaring) && std::ranges::any_of(arguments, [](const ShellWord& w) {
           if (!w.is_literal() && w.text.empty()) return true;
           return is_option(w) && (!w.is_literal() || w.text.find('x') != std::string::npos);
         });
}

// As in front of a command: a variable not known to be harmless can change what the command does.
bool is_harmless_export(const ShellWord& word) {
  if (is_option(word)) return true;
  const std::size_t equals = word.text.find('=');
  if (equals == std::string::npos && !word.is_literal()) return false;
  std::string name = word.text.substr(0, equals);
  if (name.ends_with('+')) return false;
  const bool is_known = word.is_literal() && equals != std::string::npos;
  return is_harmless_for_a_command(
      {name,
       {is_known ? ShellWord::Kind::literal : ShellWord::Kind::one_word,
        is_known ? word.text.substr(equals + 1) : "", false}});
}

// Variables by which git and pagers start programs.
bool names_a_program(const ShellWord& word) {
  constexpr std::array<std::string_view, 7> kNames{"PAGER",     "EDITOR",  "VISUAL",  "LESSOPEN",
                                                   "LESSCLOSE", "LESSKEY", "MANPAGER"};
  const std::string_view name = std::string_view(word.text).substr(0, word.text.find('='));
  const bool is_person = name.starts_with("GIT_AUTHOR_") || name.starts_with("GIT_COMMITTER_");
  return (name.starts_with("GIT_") && !is_person) || is_one_of(name, kNames);
}

CommandReach assigner_reach(std::string_view name, const ShellCommand& command) {
  const Words arguments = Words(command.words).subspan(1);
  if (exports(name, arguments) && !std::ranges::all_of(arguments, is_harmless_export)) {
    return {false, {unknown_command(command.source)}};
  }
  if (name == "export" && std::ranges::any_of(arguments, names_a_program)) {
    return {false, {unknown_command(command.source)}};
  }
  const bool evaluates =
      name == "let" || std::ranges::any_of(arguments, [&](const ShellWord& word) {
        return has_evaluating_option(name, word) || may_change_meaning(word);
      });
  if (evaluates) return {false, {unknown_command(command.source)}};
  return {};
}

CommandReach trap_reach(const ShellCommand& command) {
  Words words = Words(command.words).subspan(1);
  if (!words.empty() && words.front().is("--")) words = words.subspan(1);
  if (words.empty()) return {true, {}};
  const ShellWord& action = words.front();
  if (!action.is_literal()) return {true, {unknown_command(command.source)}};
  constexpr std::array<std::string_view, 5> kNothing{"", "-", "-l", "-p", "-lp"};
  if (is_one_of(action.text, kNothing)) return {true, {}};
  return line_reach(action.text, command, command.dialect);
}

CommandReach eval_reach(const ShellCommand& command) {
  Words words = Words(command.words).subspan(1);
  if (!words.empty() && words.front().is("--")) words = words.subspan(1);
  std::string line;
  for (const ShellWord& word : words) {
    if (!word.is_literal()) return {true, {unknown_command(command.source)}};
    if (!line.empty()) line += ' ';
    line += word.text;
  }
  return line_reach(line, command, command.dialect);
}

// test -v evaluates the subscript in the name it is given.
CommandReach test_reach(const ShellCommand& command) {
  const Words arguments = Words(command.words).subspan(1);
  const auto is_operator = [](const ShellWord& word) {
    return word.is("-v") || word.is("-R") || word.kind == ShellWord::Kind::many_words;
  };
  bool evaluates = std::ranges::any_of(arguments, is_operator);
  // An unknown word may itself be the operator, unless one follows that takes it as a value.
  constexpr std::array<std::string_view, 14> kBinary{
      "=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-ef", "-nt", "-ot", "<", ">"};
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i].is_literal() || arguments[i + 1].is("]")) continue;
    const bool is_value =
        arguments[i + 1].is_literal() && is_one_of(arguments[i + 1].text, kBinary);
    const bool follows_operator =
        i > 0 && arguments[i - 1].is_literal() &&
        (is_one_of(arguments[i - 1].text, kBinary) || arguments[i - 1].text.starts_with('-'));
    evaluates = evaluates || !(is_value || follows_operator);
  }
  if (evaluates) return {false, {unknown_command(command.source)}};
  return {};
}

// So does printf -v.
CommandReach printf_reach(const ShellCommand& command) {
  if (command.words.size() < 2) return {};
  const ShellWord& first = command.words[1];
  const bool may_assign = first.is_literal() ? first.text.starts_with("-v")
                                             : first.text.empty() || first.text.front() == '-';
  if (may_assign) return {false, {unknown_command(command.source)}};
  return {};
}

// And wait -p.
CommandReach wait_reach(const ShellCommand& command) {
  const bool may_assign =
      std::ranges::any_of(Words(command.words).subspan(1), [](const ShellWord& word) {
        if (word.is_literal()) return is_option(word) && word.text.find('p') != std::string::npos;
        return !word.is_number && (word.text.empty() || word.text.front() == '-');
      });
  if (may_assign) return {false, {unknown_command(command.source)}};
  return {};
}

// jobs -x runs the rest of its words, with numbers in place of jobs.
CommandReach jobs_reach(const ShellCommand& command) {
  Words words = Words(command.words).subspan(1);
  bool runs = false;
  for (; !words.empty(); words = words.subspan(1)) {
    const ShellWord& word = words.front();
    if (!word.is_literal() && (word.text.empty() || word.text.front() == '-')) {
      return {runs, {unknown_command(command.source)}};
    }
    if (!is_option(word)) break;
    runs = runs || word.text.find('x') != std::string::npos;
    if (!word.is("--")) continue;
    words = words.subspan(1);
    break;
  }
  if (!runs || words.empty()) return {};
  ShellCommand inner{.assignments = command.assignments,
                     .words = {words.begin(), words.end()},
                     .source = command.source,
                     .dialect = command.dialect};
  for (ShellWord& word : inner.words) {
    if (word.text.starts_with('%')) word = {ShellWord::Kind::one_word, "", false};
  }
  return {true, {std::move(inner)}};
}

}  // namespace

std::optional<CommandReach> builtin_reach(std::string_view name, const ShellCommand& command) {
  if (name == "trap") return trap_reach(command);
  if (name == "eval") return eval_reach(command);
  if (name == "." || name == "source") {
    return CommandReach{true, {unknown_command(command.source)}};
  }
  if (name == "test" || name == "[") return test_reach(command);
  if (name == "printf") return printf_reach(command);
  if (name == "wait") return wait_reach(command);
  if (name == "jobs") return jobs_reach(command);
  if (is_one_of(name, kAssigners)) return assigner_reach(name, command);
  if (is_one_of(name, kMeaningChangers) && command.words.size() > 1) {
    return CommandReach{false, {unknown_command(command.source)}};
  }
  return std::nullopt;
}

}  // namespace wright::sandbox
