// The tools that Wright ships.
#pragma once

#include <filesystem>
#include <vector>

#include "wright/tool.h"

namespace wright {

// What the file tools may touch. No path leaves these folders, whatever it looks like and whatever
// links to where.
struct FileAccess {
  std::filesystem::path base = {};                   // read; relative paths start here
  std::vector<std::filesystem::path> readable = {};  // read; named by absolute paths
  std::vector<std::filesystem::path> writable = {};  // written and read; relative ones are below
                                                     // the base, "." is the base itself
};

// list_files, read_file and grep. Refused when a folder of `access` is not a readable folder.
Result<std::vector<Tool>> file_tools(const FileAccess& access);

// The same for one folder.
Result<std::vector<Tool>> file_tools(const std::filesystem::path& base);

// write_file and apply_patch. They write below the writable folders only, and never into a `.git`;
// refused when there are none.
Result<std::vector<Tool>> editing_tools(const FileAccess& access);

}  // namespace wright
