// Which process this is, in words that another process of the same machine can check.
#pragma once

#include <string>
#include <string_view>

namespace wright::runtime {

// "host=… boot=… pid=… started=…", read from /proc.
std::string process_name();

// True when the name is that of a process of this machine that does not run any more. A name that
// cannot be judged, for example one of another machine, is not gone.
bool is_gone(std::string_view name);

}  // namespace wright::runtime
