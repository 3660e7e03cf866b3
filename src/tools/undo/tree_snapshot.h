// The files, links and folders of a workspace before and after a command, so that what it changed
// is known. What git ignores and `.git` itself are not looked at; of special files, and of files
// that are large or very many, only that they changed. What was there all the time, and is only no
// longer ignored, is not taken for new.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
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
  enum class Moment : std::uint8_t {
    before,  // a command
    after,   // it: what `earlier` does not have is new only if nothing says that it is older
  };
  // Contents that `earlier` has of files that look the same since are not read again. May be null
  // before a command.
  static Result<TreeSnapshot> take(Moment moment, const Workspace& workspace,
                                   const SnapshotLimits& limits, const TreeSnapshot* earlier,
                                   const std::stop_token& stop);

  // What differs in a later one.
  std::vector<StateChange> changes_to(const TreeSnapshot& later) const;
  std::vector<FolderChange> folder_changes_to(const TreeSnapshot& later) const;
  // Files that an earlier one had not looked at, and that have a new name in the later one: they are
  // nobody's to remove.
  std::vector<std::string> moved_into_sight(const TreeSnapshot& later) const;
  static bool is_rule_file(std::string_view path);  // what says what git ignores
  // Folders with other permissions than before.
  std::vector<std::string> folder_modes_changed_to(const TreeSnapshot& later) const;
  // Pipes, sockets and devices that came or went.
  std::vector<std::string> special_changes_to(const TreeSnapshot& later) const;
  // Whether something that is not looked at, or not kept, may have become what is new: then the new
  // file may be all that is left of it.
  bool may_have_become_new(const TreeSnapshot& later) const;
  // Whether there were more files than it looked at.
  bool is_partial() const { return is_partial_; }

 private:
  // Of what an earlier snapshot does not have.
  enum class Origin : std::uint8_t {
    made,       // since then
    moved,      // it is older, and has changed since then: at least its name
    untouched,  // since then: it was there, and was not looked at
  };
  struct Seen {
    FileStatus status;
    std::shared_ptr<const std::string> content;  // null: not known
    Origin origin = Origin::made;
  };
  struct SeenLink {
    std::string target;
    std::uint64_t number = 0;
    Origin origin = Origin::made;
  };
  const Seen* file_at(const std::string& path) const;  // null: there is none
  static Origin origin_of(int folder, const std::string& name, std::int64_t since);
  // Of the files, or links, that can come back as they were.
  std::set<std::uint64_t> kept_numbers() const;
  std::set<std::uint64_t> link_numbers() const;
  void add_link_changes(const TreeSnapshot& later, std::vector<StateChange>& changes) const;
  bool has_rules_of(const TreeSnapshot& other) const;
  Result<void> add_what_is_ignored_now(const Workspace& workspace, const SnapshotLimits& limits,
                                       const TreeSnapshot& earlier);

  std::int64_t begun_ = 0;  // nanoseconds since 1970
  std::map<std::string, Seen> files_;
  std::map<std::string, SeenLink> links_;
  std::map<std::string, mode_t> folders_;  // with the twelve bits of permissions
  std::set<std::string> specials_;
  std::int64_t ignored_ = 0;  // entries that git ignores
  bool is_partial_ = false;
};

}  // namespace wright::tools
