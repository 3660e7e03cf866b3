// Which of the open calls of a turn may be started now. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "wright/run.h"

namespace wright::runtime {

// Those that may run beside the ones that run already, in the model's order: at most `most` at
// once; a call of a serial tool runs alone, after all calls before it and before all calls after
// it. Calls that wait hold nobody up.
std::vector<const OpenCall*> startable(const Agent& agent, const Run& run,
                                       const std::set<std::string>& running, std::size_t most);

const Tool* find_tool(const Agent& agent, std::string_view name);

}  // namespace wright::runtime
