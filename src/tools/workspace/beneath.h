// Opens paths that must stay beneath a folder: neither `..`, nor a link, nor a race with somebody
// who moves things around leads out of it. Speaks in errno; what a person reads is made by
// workspace.h.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "core/file_descriptor.h"

namespace wright::tools {

enum class Links : std::uint8_t {
  follow,  // as long as they stay beneath the folder; absolute links never do
  refuse,  // anywhere in the path
};

enum class Resolver : std::uint8_t {
  kernel,   // openat2
  by_hand,  // component by component, for kernels and containers without it
};

// The best resolver that works here.
Resolver available_resolver(int folder);

// Opens `path`, relative to `folder`, with the flags of open(). Never blocks on a FIFO, never
// takes a controlling terminal. Fails with an errno: EXDEV says that the path leads out.
std::expected<FileDescriptor, int> open_beneath(int folder, const std::string& path, int flags,
                                                Links links, Resolver resolver);

}  // namespace wright::tools
