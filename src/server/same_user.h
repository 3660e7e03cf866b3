// Whether the process at the other end of a connection belongs to this process's user: over a Unix
// socket the kernel said so, over loopback its table of connections is asked. Otherwise the answer
// is no.
#pragma once

#include "http_server/server.h"

namespace wright::server {

bool is_of_same_user(const http::Request& request);

}  // namespace wright::server
