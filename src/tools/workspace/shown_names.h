// Names of files that are no UTF-8 are shown with U+FFFD in them, and come back like that from
// those who were shown them. Finds what was meant. Opens folders, never files.
#pragma once

#include <optional>
#include <string>

#include "tools/workspace/beneath.h"

namespace wright::tools {

// The path below `folder` that is shown as `path`; nothing when there is none, or more than one, or
// when `path` has no U+FFFD in it.
std::optional<std::string> path_shown_as(int folder, const std::string& path, Resolver resolver);

}  // namespace wright::tools
