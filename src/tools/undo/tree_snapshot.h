// The files, links and folders of a workspace before and after a command, so that what it changed
// is known. What git ignores and `.git` itself are not looked at; of special files, and of files
// that are large or very many, only that they changed.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tools/undo/change_log.h"
#include "tools/workspace/workspace.h"

namespace wright::tools {

struct SnapshotLimits {
  std::size_t files = 20'000;
  std::size_t file_bytes = std::size_t{1} << 20;
  std::size_t bytes = std::size_t{64} << 20;
};

class TreeSnapshot {
 public:
  // Contents that `earlier` has of files that look the same since are not read again.
  static Result<TreeSnapshot> take(const Workspace& workspace, const SnapshotLimits& limits,
                                   const TreeSnapshot* earlier, const std::stop_token& stop);

  // What differs in a later one.
  std::vector<StateChange> changes_to(const TreeSnapshot& later) const;
  std::vector<FolderChange> folder_changes_to(const TreeSnapshot& later) const;
  // Pipes, sockets and devices that came or went.
  std::vector<std::string> special_changes_to(const TreeSnapshot& later) const;
  // Whether there were more files than it looked at.
  bool is_partial() const { return is_partial_; }

 private:
  struct Seen {
    FileStatus status;
    std::shared_ptr<const std::string> content;  // null: not known
  };
  std::map<std::string, Seen> files_;
  std::map<std::string, std::string> links_;  // where they lead
  std::set<std::string> folders_;
  std::set<std::string> specials_;
  bool is_partial_ = false;
};

}  // namespace wright::tools
