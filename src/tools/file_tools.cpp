#include "tools/file_tool_list.h"
#include "wright/tools.h"

namespace wright {

Result<std::vector<Tool>> file_tools(const std::filesystem::path& base) {
  auto workspace = tools::Workspace::open(base);
  if (!workspace) return std::unexpected(std::move(workspace).error());
  const auto shared = std::make_shared<const tools::Workspace>(std::move(*workspace));
  return std::vector<Tool>{tools::list_files_tool(shared), tools::read_file_tool(shared),
                           tools::grep_tool(shared)};
}

}  // namespace wright
