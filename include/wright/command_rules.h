// Which shell commands may run: ordered rules, applied to every simple command that a line would
// run, at any depth and through commands that start others (env, xargs, sh -c, …).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wright/interceptors.h"

namespace wright {

// One rule. The pattern is words, compared with the words of a command after quotes are removed:
//
//   git status *     a word * stands for any number of words, including none
//   npm run test:*   elsewhere * stands for any characters of one word, ? for one
//   CC=* make *      the command with that variable set for it
//   > build/*        writing to such a file by a redirection
struct CommandRule {
  std::string pattern;
  intercept::Permission permission = intercept::Permission::ask;
  bool operator==(const CommandRule&) const = default;
};

enum class CommandPreset : std::uint8_t {
  none,
  minimal,    // looking around: pwd, ls, cat, …
  read_only,  // and searching, comparing, git's history
  workspace,  // and building, testing, editing and committing; asks before it removes or publishes
};
Result<CommandPreset> command_preset_from(std::string_view name);
std::vector<CommandRule> rules_of(CommandPreset preset);

struct JudgedCommand {
  std::string command;  // as written in the line
  intercept::Permission permission = intercept::Permission::deny;
  std::string reason;  // why it is not simply allowed: one sentence, which names the rule to add
};

struct CommandDecision {
  intercept::Permission permission = intercept::Permission::deny;  // the strictest of all
  std::vector<JudgedCommand> commands;
  std::string reason;  // of the strictest; empty when all is allowed
};

// The first matching rule counts; a command without one is denied. Where a command depends on what
// is known only when it runs, a rule counts as soon as it might match, and the decision is to ask.
// A line that cannot be parsed is asked about.
class CommandRules {
 public:
  // Refuses an empty pattern, or one with an open quote.
  static Result<CommandRules> make(std::vector<CommandRule> rules);

  CommandDecision judge(std::string_view line) const;

 private:
  struct Compiled;
  explicit CommandRules(std::shared_ptr<const Compiled> compiled)
      : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace wright
