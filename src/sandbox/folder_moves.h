// Whether folders are moved out of some places, or into them, while somebody looks through a tree.
#pragma once

#include <string>

#include "core/file_descriptor.h"

namespace wright::sandbox {

class FolderMoves {
 public:
  // Begins to watch a folder; once is enough. What cannot be watched is passed over.
  void watch(const std::string& folder);

  // Whether a folder has been moved since the last call.
  bool were_seen();

 private:
  FileDescriptor events_;
};

}  // namespace wright::sandbox
