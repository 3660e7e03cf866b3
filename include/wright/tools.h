// The tools that Wright ships.
#pragma once

#include <filesystem>
#include <vector>

#include "wright/tool.h"

namespace wright {

// list_files, read_file and grep, confined to `base`: no path leaves it, whatever it looks like
// and whatever links to where. Refused when `base` is not a readable folder.
Result<std::vector<Tool>> file_tools(const std::filesystem::path& base);

}  // namespace wright
