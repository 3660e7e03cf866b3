// What paths say by themselves, without a look at the disk.
#pragma once

#include <algorithm>
#include <filesystem>

namespace wright {

// Whether a path is a folder or lies below it; both as they are written.
inline bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

}  // namespace wright
