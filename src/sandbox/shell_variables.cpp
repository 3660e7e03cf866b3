#include "sandbox/shell_variables.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>

#include "core/text.h"

namespace wright::sandbox {
namespace {

bool sets_the_character_set(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames{"LANG", "LC_ALL", "LC_CTYPE"};
  return is_one_of(name, kNames);
}

// bash evaluates what is assigned to these as an expression.
bool holds_a_number(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames{"RANDOM",  "SRANDOM", "OPTIND",
                                                   "HISTCMD", "SECONDS", "LINENO"};
  return is_one_of(name, kNames);
}

bool is_plain(const ShellWord& locale) {
  return locale.is_literal() && is_plain_locale(locale.text);
}

bool is_number(const ShellWord& value) {
  return value.is_literal() && value.text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

bool is_plain_locale(std::string_view locale) {
  locale = locale.substr(0, locale.find('@'));
  if (locale.empty() || locale == "C" || locale == "POSIX") return true;
  const std::size_t dot = locale.find('.');
  if (dot == std::string_view::npos) return false;
  std::string set(locale.substr(dot + 1));
  std::ranges::transform(set, set.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return set == "utf-8" || set == "utf8";
}

bool is_harmless_for_a_command(const ShellAssignment& assignment) {
  constexpr std::array<std::string_view, 12> kNames{
      "LANGUAGE", "TZ",          "TERM", "COLUMNS", "LINES",   "NO_COLOR",
      "CLICOLOR", "FORCE_COLOR", "CI",   "DEBUG",   "VERBOSE", "V"};
  if (sets_the_character_set(assignment.name)) return is_plain(assignment.value);
  return assignment.name.starts_with("LC_") || is_one_of(assignment.name, kNames);
}

bool changes_later_commands(const ShellAssignment& assignment) {
  constexpr std::array<std::string_view, 8> kNames{
      "PATH", "HOME", "SHELL", "ENV", "PS4", "SHELLOPTS", "POSIXLY_CORRECT", "EXECIGNORE"};
  const std::string_view name = assignment.name;
  if (sets_the_character_set(name)) return !is_plain(assignment.value);
  if (holds_a_number(name)) return !is_number(assignment.value);
  // CDPATH sends `cd` elsewhere.
  return name.starts_with("LD_") || name.starts_with("BASH") || name == "CDPATH" ||
         is_one_of(name, kNames);
}

bool may_change_later_commands(std::string_view name) {
  return changes_later_commands({std::string(name), {ShellWord::Kind::one_word, "", false}});
}

}  // namespace wright::sandbox
