// The index of a git repository: what its worktree holds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace wright::sandbox {

// The folders of submodules, relative to the top of the worktree, whether anything is in them or
// not: git goes there by itself. As far as the file can be understood; none where it is missing.
std::vector<std::string> submodules_in_index(const std::filesystem::path& index);

}  // namespace wright::sandbox
