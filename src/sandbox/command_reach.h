// What a simple command starts: `env rm x` runs `rm x`, `find -exec` runs what
// follows, `sh -c` runs a line, `xargs` a command with unknown arguments. Knows no rules.
#pragma once

#include <string>
#include <vector>

#include "sandbox/shell_syntax.h"

namespace wright::sandbox {

struct CommandReach {
  // The command does nothing but start what is in `started`, and needs no permission of its own.
  bool is_only_a_starter = false;
  std::vector<ShellCommand> started;  // unknown_command() for what cannot be known
};

CommandReach reach_of(const ShellCommand& command);

// What a line that `command` passes to a shell of this language starts.
CommandReach line_reach(const std::string& line, const ShellCommand& command, ShellDialect dialect);

}  // namespace wright::sandbox
