// What builtins of bash evaluate, now or later: the action of a trap, the line of an eval, the
// subscript in the name of a variable. Knows no rules.
#pragma once

#include <optional>
#include <string_view>

#include "sandbox/command_reach.h"

namespace wright::sandbox {

// Nothing when `name`, by which `command` is called, is not such a builtin.
std::optional<CommandReach> builtin_reach(std::string_view name, const ShellCommand& command);

}  // namespace wright::sandbox
