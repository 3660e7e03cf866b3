#include "sandbox/command_reach.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "sandbox/builtin_reach.h"
#include "sandbox/printing_reach.h"

namespace wright::sandbox {
namespace {

using Words = std::span<const ShellWord>;

// A started command inherits the variables set for its starter.
constexpr std::size_t kMostAssignments = 32;

// Shells whose language is parsed here.
constexpr std::array<std::string_view, 5> kShells{"sh", "bash", "dash", "ash", "rbash"};
// Programs that start others in ways that are not analysed.
constexpr std::array<std::string_view, 46> kLaunchers{"su",          "doas",
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
                                                      "batch",       "start-stop-daemon",
                                                      "zsh",         "ksh",
                                                      "mksh",        "fish",
                                                      "csh",         "tcsh",
                                                      "setarch",     "linux32",
                                                      "linux64",     "uname26",
                                                      "ld.so",       "split"};
// Options of one starter: which stand alone and which take the next word. A letter may have its
// value in the same word.
struct Options {
  std::string_view alone;
  std::string_view with_value;
  std::span<const std::string_view> long_alone;
  std::span<const std::string_view> long_with_value;
  // Take a value only after an equals sign.
  std::span<const std::string_view> long_with_optional_value = {};
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
      } else if (is_one_of(name, options.long_with_optional_value)) {
        taken = 1;
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
          .source = around.source,
          .dialect = around.dialect};
}

// The command after the options, if there is one.
CommandReach starter(Words rest, const Options& options, const ShellCommand& command) {
  const auto words = after_options(rest, options);
  if (!words) return {true, {unknown_command(command.source)}};
  if (words->empty()) return {false, {}};
  return {true, {command_of(*words, command)}};
}

CommandReach shell_reach(std::string_view name, const ShellCommand& command) {
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
  if (!has_line) {
    // A script needs a rule; one that comes from a stream cannot be judged by its name.
    const std::string& script = words.front().text;
    const bool is_stream = script.starts_with("/dev/") || script.starts_with("/proc/");
    return is_stream || !words.front().is_literal() ? unknown : CommandReach{};
  }
  if (!words.front().is_literal()) return {true, unknown.started};
  const std::string& line = words.front().text;
  if (name == "bash" || name == "rbash") return line_reach(line, command, ShellDialect::bash);
  CommandReach reach = line_reach(line, command, ShellDialect::dash);
  if (name == "dash") return reach;
  // sh is dash on some machines and bash on others: both readings must be allowed.
  CommandReach other = line_reach(line, command, ShellDialect::bash);
  std::ranges::move(other.started, std::back_inserter(reach.started));
  return reach;
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

// The text that `xargs -I` replaces by what it reads; empty when that is not certain.
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
  constexpr std::array<std::string_view, 5> kWithValue{"--max-args", "--max-procs", "--max-chars",
                                                       "--delimiter", "--arg-file"};
  constexpr std::array<std::string_view, 3> kWithOptional{"--max-lines", "--replace", "--eof"};
  const auto rest = after_options(Words(command.words).subspan(1),
                                  {"0rtx", "nPLsdEaI", kAlone, kWithValue, kWithOptional});
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

// Reads the actions of one call of find.
class FindActions {
 public:
  explicit FindActions(const ShellCommand& command) : command_(command) {
    for (const ShellWord& word : Words(command.words).subspan(1)) {
      if (is_open_) {
        read_inside(word);
      } else {
        read_outside(word);
      }
    }
    if (may_have_more_) reach_.started.push_back(unknown_command(command.source));
  }

  CommandReach reach() && { return std::move(reach_); }

 private:
  static bool is_action(const ShellWord& word) {
    constexpr std::array<std::string_view, 4> kActions{"-exec", "-execdir", "-ok", "-okdir"};
    return word.is_literal() && is_one_of(word.text, kActions);
  }

  void read_outside(const ShellWord& word) {
    if (is_action(word)) {
      reach_.started.push_back({.assignments = command_.assignments, .source = command_.source});
      is_open_ = true;
      may_have_ended_ = false;
    } else if (!word.is_literal() && (word.text.empty() || word.text.front() == '-')) {
      may_have_more_ = true;
    }
  }

  void read_inside(const ShellWord& word) {
    auto& words = reach_.started.back().words;
    const bool is_plus =
        word.is("+") && !words.empty() && words.back().kind == ShellWord::Kind::one_word;
    if (word.is(";") || is_plus) {
      is_open_ = false;
    } else if (word.text.find("{}") != std::string::npos) {
      words.push_back({ShellWord::Kind::one_word, "", false});
    } else {
      // An unknown word may end the command here, and more actions may follow.
      const bool may_be_anything = !word.is_literal() && word.text.empty();
      const bool is_many = may_be_anything && word.kind == ShellWord::Kind::many_words;
      if (is_many || (may_have_ended_ && (may_be_anything || is_action(word)))) {
        may_have_more_ = true;
      }
      may_have_ended_ = may_have_ended_ || may_be_anything;
      words.push_back(word);
    }
  }

  const ShellCommand& command_;
  CommandReach reach_;
  bool is_open_ = false;
  bool may_have_ended_ = false;
  bool may_have_more_ = false;
};

// Settings of git that start nothing.
bool is_harmless_setting(const ShellWord& word) {
  constexpr std::array<std::string_view, 6> kHarmless{
      "user.", "color.", "core.quotepath=", "core.quotePath=", "init.defaultBranch=", "advice."};
  return std::ranges::any_of(kHarmless, [&](std::string_view start) {
    return word.text.starts_with(start) && word.kind != ShellWord::Kind::many_words;
  });
}

// Options before git's subcommand can name programs to start. Those that cannot are dropped: it is
// the same command, in another folder where -C says so.
CommandReach git_reach(const ShellCommand& command) {
  CommandReach reach;
  Words words = Words(command.words).subspan(1);
  while (!words.empty() && (!words.front().is_literal() || words.front().text.starts_with('-'))) {
    const ShellWord& word = words.front();
    constexpr std::array<std::string_view, 5> kHarmless{
        "--no-pager", "-P", "--no-replace-objects", "--literal-pathspecs", "--no-optional-locks"};
    const bool has_value = words.size() > 1 && words[1].kind != ShellWord::Kind::many_words;
    if (word.is("-C") && has_value) {
      reach.started.push_back(
          {.words = {{ShellWord::Kind::literal, "cd", true}, words[1]}, .source = command.source});
    } else if (word.is("--version") && words.size() == 1) {
      return {};
    } else if (!(word.is("-c") && has_value && is_harmless_setting(words[1])) &&
               !(word.is_literal() && is_one_of(word.text, kHarmless))) {
      return {false, {unknown_command(command.source)}};
    }
    words = words.subspan(word.is("-C") || word.is("-c") ? 2 : 1);
    reach.is_only_a_starter = true;
  }
  if (!reach.is_only_a_starter) return reach;
  ShellCommand inner = command_of(words, command);
  inner.words.insert(inner.words.begin(), command.words.front());
  reach.started.push_back(std::move(inner));
  return reach;
}

CommandReach sudo_reach(const ShellCommand& command) {
  constexpr std::array<std::string_view, 1> kAlone{"--non-interactive"};
  constexpr std::array<std::string_view, 2> kWithValue{"--user", "--group"};
  CommandReach reach =
      starter(Words(command.words).subspan(1), {"nEHk", "ug", kAlone, kWithValue}, command);
  reach.is_only_a_starter = false;
  return reach;
}

}  // namespace

CommandReach line_reach(const std::string& line, const ShellCommand& command,
                        ShellDialect dialect) {
  auto inside = parse_shell_line(line, dialect);
  if (!inside) return {true, {unknown_command(command.source)}};
  for (ShellCommand& each : *inside) {
    each.assignments.insert(each.assignments.begin(), command.assignments.begin(),
                            command.assignments.end());
  }
  return {true, std::move(*inside)};
}

CommandReach reach_of(const ShellCommand& command) {
  if (command.words.empty() || !command.words.front().is_literal()) return {};
  if (command.assignments.size() > kMostAssignments) {
    return {false, {unknown_command(command.source)}};
  }
  std::string_view name = command.words.front().text;
  // A starter is recognised under any path.
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) {
    name.remove_prefix(slash + 1);
  }
  const Words rest = Words(command.words).subspan(1);
  constexpr std::array<std::string_view, 1> kAdjustment{"--adjustment"};
  constexpr std::array<std::string_view, 3> kBuffers{"--input", "--output", "--error"};

  if (auto reach = builtin_reach(name, command)) return std::move(*reach);
  if (auto reach = printing_reach(name, command)) return std::move(*reach);
  if (is_one_of(name, kShells)) return shell_reach(name, command);
  if (name == "env") return env_reach(command);
  if (name == "timeout") return timeout_reach(command);
  if (name == "xargs") return xargs_reach(command);
  if (name == "find") return FindActions(command).reach();
  if (name == "git") return git_reach(command);
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
  if (is_one_of(name, kLaunchers) || name.starts_with("ld-linux"))
    return {false, {unknown_command(command.source)}};
  return {};
}

}  // namespace wright::sandbox
