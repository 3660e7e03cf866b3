// All processes of one run: counts them, limits them, and ends them together. Uses a cgroup where
// one can be created; otherwise the session, which the system call filter keeps processes from
// leaving.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/file_descriptor.h"
#include "wright/error.h"

namespace wright::sandbox {

// Where cgroups with a limit on processes can be created.
struct CgroupPlace {
  std::filesystem::path parent;
};
// The error says why there is none.
Result<CgroupPlace> find_cgroup_place();

// Where to try, best first, by what /proc/self/cgroup says: groups of version 1 with a limit of
// processes, groups of version 2.
std::vector<std::filesystem::path> cgroup_candidates(std::string_view own_groups);

class RunGroup {
 public:
  // Without a place, the session is used. A limit of 0 is none.
  static Result<RunGroup> make(const std::optional<CgroupPlace>& place,
                               std::optional<std::uint64_t> limit);
  RunGroup(RunGroup&&) noexcept;
  RunGroup& operator=(RunGroup&&) = delete;
  ~RunGroup();

  // The descriptor that a child writes to in order to join; -1 when there is no cgroup.
  int joining_file() const { return joining_.get(); }
  const std::filesystem::path& cgroup() const { return folder_; }  // empty when there is none

  // Kills the first process and its process group, without waiting for them to end.
  static void end_leader(pid_t leader);

  // Kills every process of the run. `leader` is the first one, not yet waited for, so that its
  // number cannot belong to another. False when some could not be ended.
  bool end_all(pid_t leader) const;

 private:
  RunGroup() = default;
  std::vector<pid_t> members(pid_t leader) const;

  std::filesystem::path folder_;
  FileDescriptor joining_;
};

// How many processes and threads the user of this process has, as the kernel's limit counts them.
std::uint64_t count_own_threads();

}  // namespace wright::sandbox
