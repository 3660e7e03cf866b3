// A name in a folder that is held open, so that it stays the same folder while it is looked at and
// changed.
#pragma once

#include <optional>
#include <string>

#include "core/file_descriptor.h"
#include "tools/workspace/workspace.h"
#include "wright/error.h"

namespace wright::tools {

struct NamedEntry {
  FileDescriptor folder;
  std::string name;

  // Where a link leads; nothing when there is no link.
  std::optional<std::string> target() const;
  bool is_there() const;
  bool is_folder() const;
};

// Nothing where there is no such folder. An error where nothing may be written there.
Result<std::optional<NamedEntry>> entry_at(const Workspace& workspace, const std::string& path);

}  // namespace wright::tools
