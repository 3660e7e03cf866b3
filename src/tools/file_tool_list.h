// The single tools behind file_tools() and editing_tools() of wright/tools.h.
#pragma once

#include <memory>

#include "tools/edit/file_changes.h"
#include "tools/workspace/file_calls.h"
#include "tools/workspace/workspace.h"
#include "wright/tool.h"

namespace wright::tools {

// Tools are values that are copied, so the workspace belongs to all copies together.
using SharedWorkspace = std::shared_ptr<const Workspace>;

Tool list_files_tool(SharedWorkspace workspace);
Tool read_file_tool(SharedWorkspace workspace);
Tool grep_tool(SharedWorkspace workspace);
Tool write_file_tool(SharedWorkspace workspace, SharedFileCalls calls,
                     ChangeRecorder recorder = {});
Tool apply_patch_tool(SharedWorkspace workspace, SharedFileCalls calls,
                      ChangeRecorder recorder = {});

}  // namespace wright::tools
