// What somebody mounts, or unmounts, inside a folder of commands after their namespaces were made
// is not seen in those: there, a path leads to another file, or to none.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "sandbox/guarded_paths.h"
#include "sandbox/namespaces.h"

namespace wright::sandbox {

// Of mounts whose paths lie in something that is mounted on one side only, those that are there on
// the inside, as what they are there. Others are left alone: no command can mount anything.
// `tops` are the folders that the policy lets commands read or write.
std::vector<GuardedMount> as_seen_inside(std::vector<GuardedMount> mounts,
                                         std::span<const std::filesystem::path> tops,
                                         const Namespaces& namespaces);

}  // namespace wright::sandbox
