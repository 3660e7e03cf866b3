// What tools that change files show of a change to a person who has to approve it.
#pragma once

#include <string>

#include "wright/tool.h"

namespace wright::tools {

// {"diff": …}, bounded; or why there is none.
Json preview_of_change(const Result<std::string>& diff);

// {"problem": …}
Json preview_problem(const Error& error);

}  // namespace wright::tools
