// Tools that change files, with a log of what they change. What write_file and apply_patch replace
// is in the log before they replace it; what a command did is found by comparing the folder before
// and after it.
#pragma once

#include <memory>

#include "tools/undo/change_log.h"
#include "wright/tools.h"

namespace wright::tools {

using SharedChangeLog = std::shared_ptr<ChangeLog>;

// As editing_tools(). Calls of sessions that are not stored are not recorded.
Result<std::vector<Tool>> recorded_editing_tools(const FileAccess& access, SharedChangeLog log);

// The tool bash, which works below the base of `access`. A command that only reads is not looked
// at. What somebody else changes while a command runs counts as the command's.
Result<Tool> recorded_bash(Tool bash, const FileAccess& access, SharedChangeLog log);

}  // namespace wright::tools
