// What tests of guarded paths share.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "sandbox/guarded_paths.h"
#include "sandbox/sandbox_testing.h"

namespace wright::sandbox {

inline std::set<std::string> paths_of(const GuardedPaths::Found& found, GuardedMount::Kind kind) {
  std::set<std::string> paths;
  for (const GuardedMount& mount : found.mounts) {
    if (mount.kind == kind) paths.insert(mount.path);
  }
  return paths;
}

class GuardedPathsOf : public testing::Test {
 protected:
  std::string in(const char* path) const { return (grounds_.workspace() / path).string(); }
  void make(const char* path, std::string_view content = "x") const {
    std::filesystem::create_directories((grounds_.workspace() / path).parent_path());
    Grounds::write(grounds_.workspace() / path, content);
  }

  Grounds grounds_;
  SandboxPolicy policy_ = grounds_.policy();
};

}  // namespace wright::sandbox
