// Whether the program at the other end of a connection is as free as this process.
//
// A command that a tool runs belongs to the same user as Wright, and may reach a port of this
// machine. It is confined, though, and must not speak for the person. So it is looked up who holds
// the other end, and none of the holders may be
//  - in another user or PID namespace than this process,
//  - under more seccomp filters than this process,
//  - a process that this one has started, or one that such a process has.
// Where any of that is not known, the answer is no.
#pragma once

#include <cstdint>
#include <vector>

namespace wright::http {

// The processes of this machine that have the socket with that inode open, as far as this process
// may look.
std::vector<int> processes_with_socket(std::uint64_t inode);

bool is_as_free_as_this_one(int process);

}  // namespace wright::http
