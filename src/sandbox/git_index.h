// The index of a git repository: what its worktree holds.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/git_allowance.h"

namespace wright::sandbox {

// The folders of submodules, relative to the top of the worktree, whether anything is in them or
// not: git goes there by itself. None where the file is missing or broken. Nothing where
// there is too much to look through.
std::optional<std::vector<std::string>> submodules_in_index(const std::filesystem::path& index,
                                                            GitAllowance& allowance);

}  // namespace wright::sandbox
