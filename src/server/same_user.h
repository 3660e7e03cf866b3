// Whether the process at the other end of a connection over loopback belongs to this process's
// user. Asks the kernel's table of connections; where there is none, the answer is no.
#pragma once

#include <string_view>

namespace wright::server {

bool is_of_same_user(std::string_view address, int port);

}  // namespace wright::server
