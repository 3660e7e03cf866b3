// What a prepared Sandbox holds; shared by its preparation (sandbox.cpp) and its runs
// (sandbox_run.cpp).
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/file_descriptor.h"
#include "sandbox/file_tree.h"
#include "sandbox/guarded_paths.h"
#include "sandbox/namespaces.h"
#include "sandbox/parent_watch.h"
#include "sandbox/private_folder.h"
#include "sandbox/replacement_watch.h"
#include "sandbox/run_group.h"
#include "sandbox/spawn.h"
#include "wright/sandbox.h"

namespace wright {

struct Sandbox::State {
  SandboxPolicy policy;
  sandbox::PrivateFolder folder;
  SandboxReport report = {};
  FileDescriptor ruleset = {};
  std::optional<sandbox::Namespaces> namespaces = {};
  FileDescriptor first_process = {};
  std::unique_ptr<sandbox::GuardedPaths> guarded = {};  // null where nothing can be guarded
  bool guards_all = false;  // the report says so, and no run may guard less
  std::shared_ptr<sandbox::ReplacementWatch> replacements = {};  // null where it cannot be had
  std::atomic<bool> has_mounts_apart = false;  // perhaps: something was not where it was found
  sandbox::Confinement confinement = {};
  std::optional<sandbox::CgroupPlace> cgroups = {};
  std::mutex watch_mutex = {};  // of `watch`
  // Each run keeps the one it was announced to. Null where there is none.
  std::shared_ptr<const sandbox::ParentWatch> watch = {};

  // What commands may read or write.
  std::vector<std::filesystem::path> tops() const {
    auto all = policy.write_paths;
    all.insert(all.end(), policy.read_paths.begin(), policy.read_paths.end());
    return all;
  }
};

}  // namespace wright
