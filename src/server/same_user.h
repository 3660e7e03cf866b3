// Whether the program at the other end of a connection from this machine belongs to this process's
// user and is no command that a tool runs, by what the kernel says; see http_server/peer_user.h and
// peer_process.h for what counts. Where it is not known, the answer is no. For a process of the
// user that the kernel writes for users it cannot name (65534 as a rule, "nobody"), it is always
// no.
#pragma once

#include "http_server/server.h"

namespace wright::server {

bool is_of_same_user(const http::Request& request);

}  // namespace wright::server
