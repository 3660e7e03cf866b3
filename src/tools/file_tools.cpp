#include "core/try.h"
#include "tools/edit/change_journal.h"
#include "tools/file_tool_list.h"
#include "wright/tools.h"

namespace wright {
namespace {

Result<tools::SharedWorkspace> open_workspace(const FileAccess& access) {
  auto workspace = TRY(tools::Workspace::open(access));
  return std::make_shared<const tools::Workspace>(std::move(workspace));
}

}  // namespace

Result<std::vector<Tool>> file_tools(const FileAccess& access) {
  const auto workspace = TRY(open_workspace(access));
  return std::vector<Tool>{tools::list_files_tool(workspace), tools::read_file_tool(workspace),
                           tools::grep_tool(workspace)};
}

Result<std::vector<Tool>> file_tools(const std::filesystem::path& base) {
  return file_tools(FileAccess{.base = base});
}

Result<std::vector<Tool>> editing_tools(const FileAccess& access) {
  const auto workspace = TRY(open_workspace(access));
  if (!workspace->is_writable()) {
    return fail(ErrorCode::invalid_argument,
                "No folder may be written: write_file and apply_patch need one");
  }
  const auto calls = std::make_shared<tools::FileCalls>();
  tools::recover_changes(*workspace, *calls);
  return std::vector<Tool>{tools::write_file_tool(workspace, calls),
                           tools::apply_patch_tool(workspace, calls)};
}

}  // namespace wright
