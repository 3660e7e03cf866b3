// Folders that a change would turn into repositories. Whatever git is asked to do in such a folder,
// it first takes settings from it, and runs what they name; a single part of one does nothing.
#pragma once

#include <span>

#include "tools/edit/file_changes.h"

namespace wright::tools {

// Refused where the changes, with what is there already, make one of a folder that was none. The
// base counts like any other.
Result<void> check_makes_no_repository(const Workspace& workspace,
                                       std::span<const FileChange> changes);

}  // namespace wright::tools
