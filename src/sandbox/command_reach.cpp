#include "sandbox/command_reach.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wright::sandbox {
namespace {

using Words = std::span<const ShellWord>;

// What a command starts gets a copy of what is set for it.
constexpr std::size_t kMostAssignments = 32;

bool is_one_of(std::string_view text, std::span<const std::string_view> names) {
  return std::ranges::find(names, text) != names.end();
}

constexpr std::array<std::string_view, 9> kShells{"sh",  "bash", "dash",  "ash", "zsh",
                                                  "ksh", "mksh", "rbash", "fish"};
// Start something in ways that are not looked into.
constexpr std::array<std::string_view, 34> kLaunchers{"su",          "doas",
                                                      "chroot",      "unshare",
                                                      "nsenter",     "ssh",
                                                      "script",      "strace",
                                                      "ltrace",      "gdb",
                                                      "flock",       "setsid",
                                                      "systemd-run", "entr",
                                                      "parallel",    "watch",
                                                      "taskset",     "chrt",
                                                      "ionice",      "numactl",
                                                      "prlimit",     "setpriv",
                                                      "capsh",       "bwrap",
                                                      "firejail",    "fakeroot",
                                                      "proot",       "run-parts",
                                                      "expect",      "screen",
                                                      "tmux",        "at",
                                                      "batch",       "start-stop-daemon"};
// Builtins that change what later commands mean, or run text later.
constexpr std::array<std::string_view, 9> kMeaningChangers{
    "alias", "shopt", "enable", "hash", "complete", "compgen", "compopt", "bind", "fc"};
// Builtins that set the variables they are told the names of.
constexpr std::array<std::string_view, 11> kAssigners{"read",    "export",   "declare", "typeset",
                                                      "local",   "readonly", "mapfile", "readarray",
                                                      "getopts", "unset",    "let"};

// Options of one starter: which stand alone and which take the next word. A letter may carry its
// value in the same word.
struct Options {
  std::string_view alone;
  std::string_view with_value;
  std::span<const std::string_view> long_alone;
  std::span<const std::string_view> long_with_value;
};

// The words after the options; nothing when an option is not known, or not certain.
std::optional<Words> after_options(Words words, const Options& options) {
  while (!words.empty()) {
    const ShellWord& word = words.front();
    if (!word.is_literal()) {
      const bool is_option = word.text.empty() || word.text.front() == '-';
      return is_option ? std::nullopt : std::optional(words);
    }
    const std::string_view text = word.text;
    if (text == "--") return words.subspan(1);
    if (text.size() < 2 || text.front() != '-') return words;
    std::size_t taken = 1;
    if (text.starts_with("--")) {
      const std::string_view name = text.substr(0, text.find('='));
      const bool has_value = name.size() < text.size();
      if (is_one_of(name, options.long_with_value)) {
        taken = has_value ? 1 : 2;
      } else if (has_value || !is_one_of(name, options.long_alone)) {
        return std::nullopt;
      }
    } else {
      for (std::size_t i = 1; i < text.size(); ++i) {
        if (options.alone.find(text[i]) != std::string_view::npos) continue;
        if (options.with_value.find(text[i]) == std::string_view::npos) return std::nullopt;
        if (i + 1 == text.size()) taken = 2;
        break;
      }
    }
    if (taken > words.size()) return std::nullopt;
    if (taken == 2 && words[1].kind == ShellWord::Kind::many_words) return std::nullopt;
    words = words.subspan(taken);
  }
  return words;
}

ShellCommand command_of(Words words, const ShellCommand& around) {
  return {.assignments = around.assignments,
          .words = {words.begin(), words.end()},
          .source = around.source};
}

// The command that stands after the options, if one is there.
CommandReach starter(Words rest, const Options& options, const ShellCommand& command) {
  const auto words = after_options(rest, options);
  if (!words) return {true, {unknown_command(command.source)}};
  if (words->empty()) return {false, {}};
  return {true, {command_of(*words, command)}};
}

CommandReach line_reach(const std::string& line, const ShellCommand& command) {
  auto inside = parse_shell_line(line);
  if (!inside) return {true, {unknown_command(command.source)}};
  for (ShellCommand& each : *inside) {
    each.assignments.insert(each.assignments.begin(), command.assignments.begin(),
                            command.assignments.end());
  }
  return {true, std::move(*inside)};
}

CommandReach shell_reach(const ShellCommand& command) {
  CommandReach unknown{false, {unknown_command(command.source)}};
  Words words = Words(command.words).subspan(1);
  bool has_line = false;
  while (!words.empty()) {
    const ShellWord& word = words.front();
    if (!word.is_literal()) {
      if (word.text.empty() || word.text.front() == '-' || word.text.front() == '+') {
        return {has_line, unknown.started};
      }
      break;
    }
    const std::string_view text = word.text;
    constexpr std::array<std::string_view, 5> kHarmless{"--norc", "--noprofile", "--posix",
                                                        "--login", "--restricted"};
    if (text == "-" || text == "--") {
      words = words.subspan(1);
      break;
    }
    if (is_one_of(text, kHarmless)) {
      words = words.subspan(1);
      continue;
    }
    if (text.empty() || (text.front() != '-' && text.front() != '+')) break;
    if (text.substr(1).find_first_not_of("celuvx") != std::string_view::npos) return unknown;
    has_line = has_line || (text.front() == '-' && text.find('c') != std::string_view::npos);
    words = words.subspan(1);
  }
  if (words.empty()) return unknown;  // reads commands from its input
  if (!has_line) return {false, {}};  // a script, which needs a rule
  if (!words.front().is_literal()) return {true, unknown.started};
  return line_reach(words.front().text, command);
}

CommandReach env_reach(const ShellCommand& command) {
  constexpr std::array<std::string_view, 2> kAlone{"--ignore-environment", "--null"};
  constexpr std::array<std::string_view, 2> kWithValue{"--unset", "--chdir"};
  const auto rest =
      after_options(Words(command.words).subspan(1), {"i0v", "uC", kAlone, kWithValue});
  if (!rest) return {true, {unknown_command(command.source)}};
  ShellCommand inner = command_of(*rest, command);
  if (!inner.words.empty() && inner.words.front().is("-")) inner.words.erase(inner.words.begin());
  while (!inner.words.empty()) {
    const ShellWord& word = inner.words.front();
    const std::size_t equals = word.text.find('=');
    if (equals == std::string::npos) break;
    ShellAssignment assignment{word.text.substr(0, equals), word};
    inner.assignments.push_back(std::move(assignment));
    inner.words.erase(inner.words.begin());
  }
  if (inner.words.empty()) return {false, {}};
  return {true, {std::move(inner)}};
}

CommandReach timeout_reach(const ShellCommand& command) {
  constexpr std::array<std::string_view, 3> kAlone{"--foreground", "--preserve-status",
                                                   "--verbose"};
  constexpr std::array<std::string_view, 2> kWithValue{"--signal", "--kill-after"};
  const auto rest = after_options(Words(command.words).subspan(1), {"v", "sk", kAlone, kWithValue});
  const bool is_certain =
      rest && !rest->empty() && rest->front().kind != ShellWord::Kind::many_words;
  if (!is_certain) return {true, {unknown_command(command.source)}};
  return {true, {command_of(rest->subspan(1), command)}};
}

// The text that `xargs -I` replaces by what it reads: empty when that is not certain.
std::optional<std::string> replaced_by_xargs(Words words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const ShellWord& word = words[i];
    if (word.is("--replace")) return "{}";
    if (word.text.starts_with("--replace=")) {
      return word.is_literal() ? word.text.substr(word.text.find('=') + 1) : "";
    }
    if (word.is("-I"))
      return i + 1 < words.size() && words[i + 1].is_literal() ? words[i + 1].text : "";
    // Among other letters, as in -0I{}.
    const std::size_t letter = word.text.find('I');
    if (word.text.starts_with('-') && !word.text.starts_with("--") && letter != std::string::npos) {
      return word.is_literal() ? word.text.substr(letter + 1) : "";
    }
  }
  return std::nullopt;
}

CommandReach xargs_reach(const ShellCommand& command) {
  constexpr std::array<std::string_view, 4> kAlone{"--null", "--no-run-if-empty", "--verbose",
                                                   "--exit"};
  constexpr std::array<std::string_view, 8> kWithValue{"--max-args",  "--max-procs", "--max-lines",
                                                       "--max-chars", "--delimiter", "--arg-file",
                                                       "--replace",   "--eof"};
  const auto rest =
      after_options(Words(command.words).subspan(1), {"0rtx", "nPLsdEaI", kAlone, kWithValue});
  if (!rest) return {true, {unknown_command(command.source)}};
  ShellCommand inner = command_of(*rest, command);
  if (inner.words.empty()) inner.words.push_back({ShellWord::Kind::literal, "echo", true});
  if (const auto replaced = replaced_by_xargs(command.words)) {
    const auto changes = [&](const ShellWord& word) {
      return word.text.find(*replaced) != std::string::npos;
    };
    if (replaced->empty() || changes(inner.words.front())) {
      return {true, {unknown_command(command.source)}};
    }
    for (ShellWord& word : inner.words) {
      if (changes(word)) word = {ShellWord::Kind::one_word, "", false};
    }
  }
  inner.words.push_back({ShellWord::Kind::many_words, "", false});
  return {true, {std::move(inner)}};
}

CommandReach find_reach(const ShellCommand& command) {
  CommandReach reach;
  bool may_have_more = false;  // actions, in words that are not known
  constexpr std::array<std::string_view, 4> kActions{"-exec", "-execdir", "-ok", "-okdir"};
  std::vector<ShellWord>* open = nullptr;
  for (const ShellWord& word : Words(command.words).subspan(1)) {
    if (open != nullptr) {
      const bool is_plus =
          word.is("+") && !open->empty() && open->back().kind == ShellWord::Kind::one_word;
      if (word.is(";") || is_plus) {
        open = nullptr;
      } else if (word.text.find("{}") != std::string::npos) {
        open->push_back({ShellWord::Kind::one_word, "", false});
      } else {
        open->push_back(word);
      }
    } else if (word.is_literal() && is_one_of(word.text, kActions)) {
      reach.started.push_back({.assignments = command.assignments, .source = command.source});
      open = &reach.started.back().words;
    } else if (!word.is_literal() && (word.text.empty() || word.text.front() == '-')) {
      may_have_more = true;
    }
  }
  if (may_have_more) reach.started.push_back(unknown_command(command.source));
  return reach;
}

// Settings of git that start nothing.
bool is_harmless_setting(const ShellWord& word) {
  constexpr std::array<std::string_view, 6> kHarmless{
      "user.", "color.", "core.quotepath=", "core.quotePath=", "init.defaultBranch=", "advice."};
  return std::ranges::any_of(kHarmless, [&](std::string_view start) {
    return word.text.starts_with(start) && word.kind != ShellWord::Kind::many_words;
  });
}

// Options before the name of git's command can name programs to start.
CommandReach git_reach(const ShellCommand& command) {
  Words words = Words(command.words).subspan(1);
  while (!words.empty() && (!words.front().is_literal() || words.front().text.starts_with('-'))) {
    const ShellWord& word = words.front();
    const bool has_value = word.is("-c") || word.is("-C") || word.is("--git-dir") ||
                           word.is("--work-tree") || word.is("--namespace");
    constexpr std::array<std::string_view, 5> kHarmless{"--no-pager", "-P", "--no-replace-objects",
                                                        "--literal-pathspecs", "--version"};
    const bool is_known = word.is_literal() && (has_value || is_one_of(word.text, kHarmless));
    const bool is_harmless = is_known && (!has_value || words.size() > 1) &&
                             (!word.is("-c") || is_harmless_setting(words[1])) &&
                             (word.is("-c") || word.is("-C") || !has_value);
    if (!is_harmless) return {false, {unknown_command(command.source)}};
    words = words.subspan(has_value ? 2 : 1);
  }
  return {};
}

CommandReach trap_reach(const ShellCommand& command) {
  if (command.words.size() < 2) return {true, {}};
  const ShellWord& action = command.words[1];
  if (!action.is_literal()) return {true, {unknown_command(command.source)}};
  if (action.text.starts_with('-') || action.text.empty()) return {true, {}};
  return line_reach(action.text, command);
}

CommandReach eval_reach(const ShellCommand& command) {
  std::string line;
  for (const ShellWord& word : Words(command.words).subspan(1)) {
    if (!word.is_literal()) return {true, {unknown_command(command.source)}};
    if (!line.empty()) line += ' ';
    line += word.text;
  }
  return line_reach(line, command);
}

CommandReach sudo_reach(const ShellCommand& command) {
  constexpr std::array<std::string_view, 1> kAlone{"--non-interactive"};
  constexpr std::array<std::string_view, 2> kWithValue{"--user", "--group"};
  CommandReach reach =
      starter(Words(command.words).subspan(1), {"nEHk", "ug", kAlone, kWithValue}, command);
  reach.is_only_a_starter = false;
  return reach;
}

bool may_change_meaning(const ShellWord& word) {
  const std::size_t equals = word.text.find('=');
  if (!word.is_literal() && equals == std::string::npos) return true;
  const std::string_view name = std::string_view(word.text).substr(0, equals);
  constexpr std::array<std::string_view, 6> kSpecial{"PATH",     "HOME", "SHELL",
                                                     "BASH_ENV", "ENV",  "PS4"};
  return is_one_of(name, kSpecial) || name.starts_with("LD_") ||
         word.text.find('[') != std::string::npos || word.text.find('`') != std::string::npos ||
         word.text.find("$(") != std::string::npos;
}

// An assignment by a builtin can redirect later commands, and a subscript in it is evaluated.
CommandReach assigner_reach(const ShellCommand& command) {
  const Words arguments = Words(command.words).subspan(1);
  const bool evaluates =
      command.words.front().is("let") || std::ranges::any_of(arguments, [](const ShellWord& word) {
        return word.text.starts_with("-C") || word.text.starts_with("-i");
      });
  if (evaluates || std::ranges::any_of(arguments, may_change_meaning)) {
    return {false, {unknown_command(command.source)}};
  }
  return {};
}

// test -v, and printf -v, evaluate the subscript in the name they are given.
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

CommandReach printf_reach(const ShellCommand& command) {
  if (command.words.size() < 2) return {};
  const ShellWord& first = command.words[1];
  const bool may_assign = first.is_literal() ? first.text.starts_with("-v")
                                             : first.text.empty() || first.text.front() == '-';
  if (may_assign) return {false, {unknown_command(command.source)}};
  return {};
}

}  // namespace

CommandReach reach_of(const ShellCommand& command) {
  if (command.words.empty() || !command.words.front().is_literal()) return {};
  if (command.assignments.size() > kMostAssignments) {
    return {false, {unknown_command(command.source)}};
  }
  std::string_view name = command.words.front().text;
  // A starter is one under whichever path it is called.
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) {
    name.remove_prefix(slash + 1);
  }
  const Words rest = Words(command.words).subspan(1);
  constexpr std::array<std::string_view, 1> kAdjustment{"--adjustment"};
  constexpr std::array<std::string_view, 3> kBuffers{"--input", "--output", "--error"};
  CommandReach unknown{false, {unknown_command(command.source)}};

  if (is_one_of(name, kShells)) return shell_reach(command);
  if (name == "env") return env_reach(command);
  if (name == "timeout") return timeout_reach(command);
  if (name == "xargs") return xargs_reach(command);
  if (name == "find") return find_reach(command);
  if (name == "git") return git_reach(command);
  if (name == "trap") return trap_reach(command);
  if (name == "eval") return eval_reach(command);
  if (name == "sudo") return sudo_reach(command);
  if (name == "nice") return starter(rest, {"0123456789", "n", {}, kAdjustment}, command);
  if (name == "stdbuf") return starter(rest, {"", "ioe", {}, kBuffers}, command);
  if (name == "nohup" || name == "builtin" || name == "busybox") {
    return starter(rest, {}, command);
  }
  if (name == "time") return starter(rest, {"pqv", "", {}, {}}, command);
  if (name == "exec") return starter(rest, {"cl", "a", {}, {}}, command);
  if (name == "command") {
    const bool is_lookup = !rest.empty() && (rest.front().is("-v") || rest.front().is("-V"));
    if (is_lookup) return {};
    return starter(rest, {"p", "", {}, {}}, command);
  }
  if (name == "." || name == "source") return {true, unknown.started};
  if (name == "test" || name == "[") return test_reach(command);
  if (name == "printf") return printf_reach(command);
  if (is_one_of(name, kAssigners)) return assigner_reach(command);
  if (is_one_of(name, kLaunchers)) return unknown;
  if (is_one_of(name, kMeaningChangers) && !rest.empty()) return unknown;
  return {};
}

}  // namespace wright::sandbox
