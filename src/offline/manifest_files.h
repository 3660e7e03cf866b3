// The manifests of a tree, found in its listing and read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "offline/investigation.h"
#include "offline/manifests.h"

namespace wright::offline {

// As many as a summary has room for.
inline constexpr std::size_t kMostManifests = 6;

// How many folders a path is below the top.
int depth_of(std::string_view path);

// Those outside of tests, examples and foreign code, the uppermost first.
std::vector<std::string> manifest_paths(const Listing& all, std::size_t most = kMostManifests);

// None of a file that is not there yet.
std::vector<Manifest> read_manifests(const std::vector<std::string>& paths, Investigation& look);

}  // namespace wright::offline
