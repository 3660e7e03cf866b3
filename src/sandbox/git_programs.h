// The programs that git runs because its settings say so, without being asked for them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/git_config.h"

namespace wright::sandbox {

// Not those of aliases: somebody has to type these.
bool names_program(const GitSetting& setting);

// The files that a command in the settings of git may run, where `top` is the top of the
// repository: its first word where that is a path, there or not, and any other word that is the
// path of a file.
std::vector<std::filesystem::path> programs_named(const std::string& command,
                                                  const std::filesystem::path& top);

}  // namespace wright::sandbox
