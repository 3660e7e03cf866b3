// The index of a git repository: what its worktree holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/git_allowance.h"

namespace wright::sandbox {

// How many bytes the hashes have: nothing in an index tells, only the settings of its repository.
enum class HashLength : std::uint8_t { sha1 = 20, sha256 = 32 };

// The folders of submodules, relative to the top of the worktree, whether anything is in them or
// not: git goes there by itself. Looks at the index and at what an index that is split shares. None
// where the file is missing or broken from its beginning. Nothing where there is too much to look
// through.
std::optional<std::vector<std::string>> submodules_in_index(const std::filesystem::path& index,
                                                            HashLength hash,
                                                            GitAllowance& allowance);

}  // namespace wright::sandbox
