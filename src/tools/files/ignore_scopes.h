// Which .gitignore files hold where: those of a folder and of the folders above it, up to the
// root of the repository, and that repository's .git/info/exclude. Decides for one entry at a time;
// that nothing below an ignored folder comes back is up to the walk, which does not enter it.
//
// Outside of a repository the .gitignore files inside of the base hold all the same. Not looked at:
// git's index (a tracked file that matches a rule counts as ignored), the user's own excludes file,
// and what lies above a folder outside of the base.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/files/gitignore.h"
#include "tools/workspace/workspace.h"

namespace wright::tools {

class IgnoreScopes {
 public:
  // With everything that holds inside of `folder` (a path in normal form) except for its own
  // rules. The base may lie inside of a repository: the folders above it are read for their rules,
  // and for nothing else.
  IgnoreScopes(const Workspace& workspace, const std::string& folder);

  // What may be there to be read in a folder.
  struct Marks {
    bool has_gitignore = false;
    bool has_git = false;  // the root of a repository: rules from above end here
  };
  // Goes down into `folder`, which `descriptor` holds open.
  void enter(const std::string& folder, int descriptor, Marks marks);

  // To go back up: the depth before enter().
  std::size_t depth() const { return scopes_.size(); }
  void leave_to(std::size_t depth);

  // `path` is relative to the base and lies in the folder entered last.
  bool ignores(std::string_view path, EntryKind kind) const;

 private:
  struct Scope {
    IgnoreFile rules;
    std::size_t folder_length;  // bytes before the path that the rules see
    bool is_repository_root;
  };
  void add_rules_above(const std::string& base);
  void add_scopes(std::size_t folder_length, int descriptor, Marks marks);

  std::string above_;  // from the repository's root to the base: "" or "a/b/"
  std::vector<Scope> scopes_;
};

}  // namespace wright::tools
