// The tools that Wright ships.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "wright/command_rules.h"
#include "wright/sandbox.h"
#include "wright/tool.h"

namespace wright {

// list_files, read_file and grep, confined to `base`: no path leaves it, whatever it looks like
// and whatever links to where. Refused when `base` is not a readable folder.
Result<std::vector<Tool>> file_tools(const std::filesystem::path& base);

struct BashOptions {
  std::filesystem::path base;           // where commands run; it may always be read
  std::vector<CommandRule> rules = {};  // without rules, nothing may run
  SandboxPolicy policy = {};
  // Asks a person who is there; an empty answer (or no function) parks the run until somebody has
  // answered.
  std::function<std::optional<intercept::Permission>(const CommandDecision&, const Context&)> ask =
      {};
  // What a command prints, as it comes, in the thread of the call.
  std::function<void(const Context&, OutputStream, std::string_view)> on_output = {};
};

// bash: judges every command of a line by the rules, then runs it in a sandbox. Refused when `base`
// is not a readable folder, or when a rule is malformed.
Result<Tool> bash_tool(BashOptions options);

}  // namespace wright
