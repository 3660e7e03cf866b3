// Which process a runner is, as a person needs it.
#pragma once

#include <string>
#include <string_view>

namespace wright::store {

// "process 123 on host h" for a name that tells the machine's start and more ("host=h boot=…
// space=… pid=123 started=…"), which is for other processes. Every other name as it is.
std::string runner_in_words(std::string_view name);

}  // namespace wright::store
