// An agent's index of entities tells nothing that its tools for files do not show.
#pragma once

#include <algorithm>

#include "wright/tools.h"

namespace wright {

inline CodeIndexOptions guarded_index(CodeIndexOptions index, const FileAccess& access) {
  auto& unreadable = index.policy.unreadable;
  const auto add = [&](const std::string& pattern) {
    if (std::ranges::find(unreadable, pattern) == unreadable.end()) unreadable.push_back(pattern);
  };
  std::ranges::for_each(access.unreadable, add);
  for (const auto& path : access.hidden) add(std::filesystem::absolute(path).string());
  return index;
}

}  // namespace wright
