// The system call filter for what is run: built once, loaded by every child.
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "wright/error.h"
#include "wright/sandbox.h"

namespace wright::sandbox {

struct FilterOptions {
  NetworkAccess network = NetworkAccess::off;
  // Leaving the session is how a process escapes being found at the end.
  enum class Sessions : std::uint8_t { allowed, forbidden } sessions = Sessions::forbidden;
  // By path; for kernels whose Landlock does not know about it.
  enum class Truncation : std::uint8_t { allowed, forbidden } truncation = Truncation::allowed;
  // What keeps processes, IPC and files outside out of reach: namespaces, or this filter, by
  // refusing every call that could reach them.
  enum class Isolation : std::uint8_t { by_namespaces, by_filter } isolation = Isolation::by_filter;
  // By path, for files that are not open. Root drops the capability instead, since programs that
  // run as root expect to set owners.
  enum class Ownership : std::uint8_t { allowed, forbidden } ownership = Ownership::forbidden;
  // Processes outside that no signal may reach, each with the group it leads; for kernels whose
  // Landlock does not confine signals.
  std::vector<pid_t> out_of_reach = {};
};

Result<std::vector<sock_filter>> make_filter(const FilterOptions& options);

}  // namespace wright::sandbox
