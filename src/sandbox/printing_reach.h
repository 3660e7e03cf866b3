// sed and awk with scripts that can only print parts of files, their most common use: then they are
// as harmless as `cat`. Knows no rules.
#pragma once

#include <optional>
#include <string_view>

#include "sandbox/command_reach.h"

namespace wright::sandbox {

// Nothing when `name`, by which `command` is called, is neither of them, or when its script might
// do more: write a file, start a program, or be unknown until it runs.
std::optional<CommandReach> printing_reach(std::string_view name, const ShellCommand& command);

// Only lines to print, to skip or to stop at, and replacements that contain no command.
bool only_prints_with_sed(std::string_view script);
bool only_prints_with_awk(std::string_view script);

}  // namespace wright::sandbox
