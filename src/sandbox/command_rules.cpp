// Applies rules to what a shell line would run. Reads and runs nothing.
#include "wright/sandbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "core/try.h"
#include "sandbox/command_reach.h"
#include "sandbox/shell_syntax.h"
#include "sandbox/shell_variables.h"
#include "sandbox/word_glob.h"
#include "wright/json.h"

namespace wright {
namespace {

using intercept::Permission;
using sandbox::ShellAssignment;
using sandbox::ShellCommand;
using sandbox::ShellRedirection;
using sandbox::ShellWord;
using sandbox::WordGlob;

constexpr int kDeepestStart = 8;
constexpr std::size_t kMostCommands = 1024;
constexpr std::size_t kMostWords = 4096;  // of one command, with its redirections
constexpr std::size_t kLongestShown = 80;

enum class Fit : std::uint8_t { no, maybe, yes };

struct VariablePattern {
  std::string name;
  WordGlob value;
};

struct RulePattern {
  std::string source;
  Permission permission = Permission::ask;
  bool is_for_writes = false;
  std::vector<VariablePattern> variables = {};
  std::vector<WordGlob> words = {};
};

bool is_variable_name(std::string_view text) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return !text.empty() && text.find_first_not_of(kLetters) == std::string_view::npos &&
         !(text.front() >= '0' && text.front() <= '9');
}

Result<std::vector<std::string>> split_pattern(std::string_view pattern) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = '\0';
  for (const char c : pattern) {
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        words.back() += c;
      }
      continue;
    }
    if (c == ' ' || c == '\t') {
      is_in_word = false;
      continue;
    }
    if (!is_in_word) words.emplace_back();
    is_in_word = true;
    if (c == '\'' || c == '"') {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The rule '{}' has an open quote", pattern));
  }
  if (words.empty()) return fail(ErrorCode::invalid_argument, "A rule for commands is empty");
  return words;
}

Result<RulePattern> compile(const CommandRule& rule) {
  auto words = TRY(split_pattern(rule.pattern));
  RulePattern pattern{.source = rule.pattern, .permission = rule.permission};
  std::size_t first = 0;
  if (words.front().starts_with('>')) {
    pattern.is_for_writes = true;
    words.front().erase(0, 1);
    if (words.front().empty()) first = 1;
    if (words.size() - first != 1) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The rule '{}' must name one file after '>'", rule.pattern));
    }
  }
  for (; !pattern.is_for_writes && first < words.size(); ++first) {
    const std::string& word = words[first];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || !is_variable_name(word.substr(0, equals))) break;
    pattern.variables.push_back({word.substr(0, equals), WordGlob(word.substr(equals + 1))});
  }
  for (; first < words.size(); ++first) pattern.words.emplace_back(words[first]);
  return pattern;
}

bool is_certain(const WordGlob& glob, const ShellWord& word) {
  switch (word.kind) {
    case ShellWord::Kind::literal: return glob.matches(word.text);
    case ShellWord::Kind::one_word: return glob.matches_all_after(word.text);
    case ShellWord::Kind::many_words: break;
  }
  return false;
}

bool is_possible(const WordGlob& glob, const ShellWord& word) {
  return word.is_literal() ? glob.matches(word.text) : glob.matches_some_after(word.text);
}

// Whether the patterns match the words whatever they expand to (`is_certain`), or for some
// expansion. reached[i]: the first i patterns match the words seen so far.
template <bool kCertainly>
bool fits(std::span<const WordGlob> patterns, std::span<const ShellWord> words) {
  std::vector<char> reached(patterns.size() + 1, 0);
  const auto pass_stars = [&](std::vector<char>& states) {
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (states[i] != 0 && patterns[i].is_any_words()) states[i + 1] = 1;
    }
  };
  reached[0] = 1;
  pass_stars(reached);
  std::vector<char> next(reached.size());
  for (const ShellWord& word : words) {
    std::ranges::fill(next, 0);
    const bool is_many = word.kind == ShellWord::Kind::many_words;
    for (std::size_t i = 0; i <= patterns.size(); ++i) {
      if (reached[i] == 0) continue;
      if (!kCertainly && is_many) next[i] = 1;  // no word at all
      if (i == patterns.size()) continue;
      if (patterns[i].is_any_words()) {
        next[i] = 1;
      } else if (kCertainly ? is_certain(patterns[i], word) : is_possible(patterns[i], word)) {
        next[i + 1] = 1;
        // One that becomes several words may match several patterns; the loop gets to those.
        if (!kCertainly && is_many) reached[i + 1] = 1;
      }
    }
    pass_stars(next);
    reached.swap(next);
  }
  return reached.back() != 0;
}

Fit fit(std::span<const WordGlob> patterns, std::span<const ShellWord> words) {
  // Most rules are for other programs.
  const bool is_for_another = !patterns.empty() && !words.empty() &&
                              !patterns.front().is_any_words() &&
                              words.front().kind != ShellWord::Kind::many_words &&
                              !is_possible(patterns.front(), words.front());
  if (is_for_another) return Fit::no;
  if (fits<true>(patterns, words)) return Fit::yes;
  return fits<false>(patterns, words) ? Fit::maybe : Fit::no;
}

// The variables of a command that a rule must name.
std::vector<ShellAssignment> notable_variables(const ShellCommand& command) {
  std::vector<ShellAssignment> notable;
  for (const ShellAssignment& assignment : command.assignments) {
    const bool is_notable = command.words.empty() ? sandbox::changes_later_commands(assignment)
                                                  : !sandbox::is_harmless_for_a_command(assignment);
    if (is_notable) notable.push_back(assignment);
  }
  return notable;
}

bool names_all(const RulePattern& pattern, const std::vector<ShellAssignment>& variables) {
  return std::ranges::all_of(variables, [&](const ShellAssignment& variable) {
    return std::ranges::any_of(pattern.variables, [&](const VariablePattern& named) {
      return named.name == variable.name &&
             (named.value.is_any_words() || is_certain(named.value, variable.value));
    });
  });
}

bool sets_all(const ShellCommand& command, const RulePattern& pattern) {
  return std::ranges::all_of(pattern.variables, [&](const VariablePattern& named) {
    return std::ranges::any_of(command.assignments, [&](const ShellAssignment& variable) {
      return variable.name == named.name &&
             (named.value.is_any_words() || is_possible(named.value, variable.value));
    });
  });
}

std::string shown(std::string_view text) {
  const std::string_view start = utf8_prefix(text, kLongestShown);
  return fmt::format("{}{}", start, start.size() < text.size() ? "…" : "");
}

bool has_commands_of_its_own(std::string_view program) {
  constexpr std::array<std::string_view, 14> kPrograms{
      "git", "npm",     "npx", "cargo", "go",        "docker", "kubectl",
      "apt", "apt-get", "pip", "pip3",  "systemctl", "yarn",   "pnpm"};
  return std::ranges::find(kPrograms, program) != kPrograms.end();
}

std::string rule_to_add(const ShellCommand& command,
                        const std::vector<ShellAssignment>& variables) {
  std::string rule;
  for (const ShellAssignment& variable : variables) rule += variable.name + "=* ";
  if (command.words.empty()) return rule.substr(0, rule.size() - 1);
  rule += command.words[0].is_literal() ? command.words[0].text : "*";
  if (command.words.size() > 1 && command.words[1].is_literal() &&
      has_commands_of_its_own(command.words[0].text)) {
    rule += " " + command.words[1].text;
  }
  if (command.words[0].is_literal()) rule += " *";
  return to_valid_utf8(std::move(rule));
}

int strictness(Permission permission) {
  switch (permission) {
    case Permission::allow: return 0;
    case Permission::ask: return 1;
    case Permission::deny: break;
  }
  return 2;
}

bool is_harmless_target(const ShellWord& target) {
  constexpr std::array<std::string_view, 5> kTargets{"/dev/null", "/dev/stdout", "/dev/stderr",
                                                     "/dev/tty", "/dev/fd/1"};
  return target.is_literal() && std::ranges::find(kTargets, target.text) != kTargets.end();
}

}  // namespace

struct CommandRules::Compiled {
  std::vector<RulePattern> patterns;

  // Goes through the rules for one thing. `fit_of` says how a rule matches, `name` what is judged.
  template <class FitOf>
  JudgedCommand by_rules(std::string name, FitOf fit_of, const std::string& suggestion) const {
    const RulePattern* doubtful = nullptr;
    for (const RulePattern& pattern : patterns) {
      const Fit fit = fit_of(pattern);
      if (fit == Fit::no) continue;
      if (fit == Fit::maybe) {
        // Whether an earlier and stricter rule matches is known only when the command runs.
        if (pattern.permission != Permission::allow && doubtful == nullptr) doubtful = &pattern;
        continue;
      }
      if (pattern.permission == Permission::allow && doubtful != nullptr) break;
      std::string reason;
      if (pattern.permission != Permission::allow) {
        reason = fmt::format("The rule \"{}\" = \"{}\" holds for '{}'", pattern.source,
                             pattern.permission == Permission::ask ? "ask" : "deny", shown(name));
      }
      return {std::move(name), pattern.permission, std::move(reason)};
    }
    if (doubtful != nullptr) {
      std::string reason = fmt::format(
          "Whether the rule \"{}\" holds for '{}' is known only when it runs; write the words out",
          doubtful->source, shown(name));
      return {std::move(name), Permission::ask, std::move(reason)};
    }
    std::string reason = fmt::format(
        "No rule allows '{}'. The rule \"{}\" = \"allow\" below [bash.rules] in the configuration "
        "would",
        shown(name), suggestion);
    return {std::move(name), Permission::deny, std::move(reason), true};
  }

  JudgedCommand judge_command(const ShellCommand& command) const {
    const auto variables = notable_variables(command);
    const bool is_unknown = !command.words.empty() && !command.words.front().is_literal();
    JudgedCommand judged = by_rules(
        command.source,
        [&](const RulePattern& pattern) {
          if (pattern.is_for_writes || !sets_all(command, pattern)) return Fit::no;
          const bool is_allowing = pattern.permission == Permission::allow;
          if (is_allowing && !names_all(pattern, variables)) return Fit::no;
          return fit(pattern.words, command.words);
        },
        rule_to_add(command, variables));
    if (is_unknown && judged.permission == Permission::deny) {
      const std::string name = shown(command.source);
      judged.permission = Permission::ask;
      judged.is_without_rule = false;
      judged.reason = fmt::format(
          "What '{}' starts is known only when it runs; write the command out in plain words",
          name);
    }
    return judged;
  }

  JudgedCommand judge_write(const ShellWord& target) const {
    const std::string name = "> " + to_valid_utf8(target.text) + (target.is_literal() ? "" : "…");
    return by_rules(
        name,
        [&](const RulePattern& pattern) {
          if (!pattern.is_for_writes) return Fit::no;
          return fit(pattern.words, std::span(&target, 1));
        },
        "> " + (target.is_literal() ? to_valid_utf8(target.text) : std::string("*")));
  }

  void judge_with_reach(const ShellCommand& command, int depth, CommandDecision& decision) const {
    if (decision.commands.size() >= kMostCommands) return;
    const auto reach = sandbox::reach_of(command);
    const bool is_empty = command.words.empty() && notable_variables(command).empty();
    if (!is_empty) {
      JudgedCommand own = judge_command(command);
      // A starter needs no rule, but a rule that refuses it applies.
      if (!reach.is_only_a_starter || !own.is_without_rule)
        decision.commands.push_back(std::move(own));
    }
    for (const ShellRedirection& redirection : command.redirections) {
      const bool is_write = redirection.kind == ShellRedirection::Kind::write;
      if (!is_write || is_harmless_target(redirection.target)) continue;
      decision.commands.push_back(judge_write(redirection.target));
    }
    for (const ShellCommand& started : reach.started) {
      if (depth >= kDeepestStart) {
        judge_with_reach(sandbox::unknown_command(started.source), 0, decision);
      } else {
        judge_with_reach(started, depth + 1, decision);
      }
    }
  }
};

Result<CommandRules> CommandRules::make(const std::vector<CommandRule>& rules) {
  auto compiled = std::make_shared<Compiled>();
  for (const CommandRule& rule : rules) {
    auto pattern = TRY(compile(rule));
    compiled->patterns.push_back(std::move(pattern));
  }
  return CommandRules(std::move(compiled));
}

CommandDecision CommandRules::judge(std::string_view line) const {
  const auto commands = sandbox::parse_shell_line(line);
  if (!commands) {
    const std::string& why = commands.error().message;
    if (commands.error().code == ErrorCode::invalid_argument) {
      return {Permission::deny, {}, "No shell can run this line: " + why};
    }
    return {Permission::ask, {}, "The command cannot be understood before it runs: " + why};
  }
  const bool is_too_long = std::ranges::any_of(*commands, [](const ShellCommand& command) {
    return command.words.size() + command.redirections.size() > kMostWords;
  });
  if (is_too_long) {
    return {Permission::deny, {}, "A command has too many words; run it with fewer at a time"};
  }
  CommandDecision decision{Permission::allow, {}, {}};
  for (const ShellCommand& command : *commands) {
    compiled_->judge_with_reach(command, 0, decision);
  }
  if (decision.commands.size() >= kMostCommands) {
    return {Permission::deny, {}, "The line has too many commands; run fewer at a time"};
  }
  for (const JudgedCommand& judged : decision.commands) {
    if (strictness(judged.permission) > strictness(decision.permission)) {
      decision.permission = judged.permission;
      decision.reason = judged.reason;
    }
  }
  return decision;
}

}  // namespace wright
