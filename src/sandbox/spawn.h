// Starts one confined process. Everything it needs is prepared in advance; between the start of the
// child and its exec only system calls happen, because the child runs in the memory of its parent.
//
// With namespaces, a first child enters those of the sandbox and creates a second, which is also a
// child of this program and the first process of its own PID namespace, and which starts the
// program as its child (first_process.cpp).
#pragma once

#include <linux/filter.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/file_descriptor.h"
#include "sandbox/guarded_paths.h"
#include "sandbox/namespaces.h"
#include "sandbox/parent_watch.h"
#include "wright/error.h"

namespace wright::sandbox {

struct ResourceLimit {
  int resource = 0;
  rlimit value{};
};

// What is needed to run in namespaces. Nothing here is owned.
struct NamespaceEntry {
  const Namespaces* namespaces = nullptr;  // null: none
  int first_process = -1;                  // its program
  // /proc of the PID namespace, in place of the machine's.
  enum class Proc : std::uint8_t { own, shared } proc = Proc::own;
  std::string hidden_file = {};  // shown in place of something unreadable
  std::string hidden_folder = {};
};

// What every child of a sandbox gets. Absent parts are not applied.
struct Confinement {
  int landlock_ruleset = -1;             // not owned
  std::vector<sock_filter> filter = {};  // of system calls
  std::optional<std::uint64_t> kept_capabilities = {};
  std::vector<ResourceLimit> limits = {};
  NamespaceEntry entry = {};
};

struct SpawnRequest {
  std::string program;  // a path; empty: apply the confinement and exit with 0
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // NAME=value
  std::string working_directory;
  int input = -1;  // descriptors for the child's streams
  int output = -1;
  int error = -1;
  int process_group_file = -1;             // of a cgroup, to be written by the child
  std::filesystem::path cgroup = {};       // its folder
  const ParentWatch* watch = nullptr;      // learns of the process; may be null
  std::vector<GuardedMount> guarded = {};  // in namespaces only
  // What to do about one that is no longer where it was found; see has_moved().
  enum class Moved : std::uint8_t { refused, passed_over } moved = Moved::refused;
};

struct SpawnedProcess {
  pid_t id = -1;              // also its session and its process group
  FileDescriptor descriptor;  // pidfd
};

// What the child was doing when it failed.
enum class SpawnStep : std::uint8_t {
  start,
  process_group,
  watch,
  namespaces,
  first_process,
  guarded,
  proc,
  working_directory,
  streams,
  limits,
  cgroup,
  capabilities,
  no_new_privileges,
  landlock,
  filter,
  program,
};

struct SpawnFailure {
  SpawnStep step = SpawnStep::start;
  int problem = 0;  // errno
};

// Whether something that was to be guarded is no longer where it was found. Nothing has run.
bool has_moved(const SpawnFailure& failure);

std::expected<SpawnedProcess, SpawnFailure> spawn(const SpawnRequest& request,
                                                  const Confinement& confinement);

// One sentence.
std::string to_text(const SpawnFailure& failure);

}  // namespace wright::sandbox
