// For somebody who asked for a file that is not there: which ones may have been meant.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "tools/workspace/workspace.h"

namespace wright::tools {

// Up to three files, the most alike first. Looks at a bounded part of a large tree.
std::vector<std::string> similar_paths(const Workspace& workspace, const std::string& path,
                                       const std::stop_token& stop);

// `error`, with similar paths added to its message when it says that `path` does not exist.
Error with_suggestions(Error error, const Workspace& workspace, const std::string& path,
                       const std::stop_token& stop);

}  // namespace wright::tools
