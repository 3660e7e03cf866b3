// The programs that git runs because its settings say so, without being asked for them.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "sandbox/git_allowance.h"
#include "sandbox/git_config.h"

namespace wright::sandbox {

// Not those of aliases: somebody has to type these.
bool names_program(const GitSetting& setting);

// The files that a command in the settings of git may run, where `top` is the top of the
// repository: its first word where that is a path, there or not, and any other word that is the
// path of a file. False where there is too much to look through.
bool add_programs(std::string_view command, const std::filesystem::path& top,
                  GitAllowance& allowance, std::vector<std::filesystem::path>& files);

}  // namespace wright::sandbox
