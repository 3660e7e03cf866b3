// A folder whose names are read one after the other.
#pragma once

#include <dirent.h>

#include <memory>

namespace wright::tools {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using OpenDirectory = std::unique_ptr<DIR, CloseDirectory>;

}  // namespace wright::tools
