// Whether folders are moved out of some places, or into them, while somebody looks through a tree.
#pragma once

#include <string>

#include "core/file_descriptor.h"

namespace wright::sandbox {

class FolderMoves {
 public:
  // Begins to watch a folder; once is enough. One that is gone is passed over.
  void watch(const std::string& folder);

  // Whether a folder has been moved since the last call. Where one could not be watched, it may
  // have been.
  bool were_seen();

 private:
  FileDescriptor events_;
  bool is_blind_ = false;
};

}  // namespace wright::sandbox
