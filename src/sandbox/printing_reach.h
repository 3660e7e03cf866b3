// sed and awk with scripts that can do nothing but print parts of files, which most people write
// them for: then they are no more than `cat`. Knows no rules.
#pragma once

#include <optional>
#include <string_view>

#include "sandbox/command_reach.h"

namespace wright::sandbox {

// Nothing when `name`, by which `command` is called, is neither of them, or when its script might
// do more: write a file, start a program, or show only when it runs.
std::optional<CommandReach> printing_reach(std::string_view name, const ShellCommand& command);

// Only lines to print, to leave out or to stop at, and replacements without a command in them.
bool only_prints_with_sed(std::string_view script);
bool only_prints_with_awk(std::string_view script);

}  // namespace wright::sandbox
