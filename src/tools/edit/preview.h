// What tools that change files show of a change to a person who has to approve it.
#pragma once

#include <string>
#include <string_view>

#include "wright/tool.h"

namespace wright::tools {

// {"diff": …}, bounded, and a mark of the whole diff where that was cut; or why there is none. And the
// folder that it is in: what was approved for one folder is not for another.
Json preview_of_change(const Result<std::string>& diff, std::string_view folder);

// The folder without links in its path: where a command runs, or files change.
std::string real_folder(std::string_view folder);

// {"problem": …}
Json preview_problem(const Error& error);

}  // namespace wright::tools
