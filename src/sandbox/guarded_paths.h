// What a command must not change, or not read, although the policy lets it write or read the folder
// around it: looked up before every run, because people create and remove files in between.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/git_paths.h"
#include "sandbox/placeholder.h"
#include "wright/error.h"
#include "wright/sandbox.h"

namespace wright::sandbox {

// Which file it is, whatever leads to it.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;

  bool operator==(const FileIdentity&) const = default;
};

// What a run mounts over a path of its tree.
struct GuardedMount {
  enum class Kind : std::uint8_t {
    read_only,
    hidden_file,
    hidden_folder,
    pinned,  // cannot be moved or removed; of a link, the link itself, not its target
  } kind = Kind::read_only;
  std::string path;
  // Whether the policy means this path, where nothing else may ever be; otherwise it was found by
  // its name.
  enum class Meant : std::uint8_t { by_path, by_name } meant = Meant::by_name;
  FileIdentity file = {};  // what was found there

  bool operator==(const GuardedMount&) const = default;
};

class GuardedPaths {
 public:
  // The paths of `policy` must exist.
  explicit GuardedPaths(const SandboxPolicy& policy);

  struct Found {
    std::vector<GuardedMount> mounts;
    std::vector<Placeholder> placeholders;
    std::vector<std::string> behind_links = {};  // of what is hidden
    std::string too_much = {};  // what kept it from looking at all, or from guarding it

    bool is_complete() const { return too_much.empty(); }
    void lacks(std::string what);
  };
  // May be called from several threads. What is moved meanwhile is found nevertheless: where
  // something has changed, it looks again, and gives up where that does not end.
  Result<Found> look();

  // What is guarded though its own name does not tell, without links; paths of git need not exist.
  struct Elsewhere {
    std::vector<std::string> unreadable;  // what links lead to whose names are
    std::vector<std::string> of_git;  // what repositories take hooks, programs and settings from
    bool is_complete = true;          // false when there is too much to look through
  };
  // Looks once, whatever is moved meanwhile. May be called from several threads.
  Elsewhere elsewhere();

 private:
  // A folder as it was when last read. Nobody can set its change time.
  struct Folder {
    dev_t device = 0;
    ino_t number = 0;
    timespec changed{};
    bool is_settled = false;  // read long enough after its last change
    std::vector<std::string> folders = {};
    std::vector<GuardedMount> mounts = {};
    // That patterns mean. What is behind links may change when the folder does not, and what
    // repositories name.
    std::vector<std::string> links = {};
    std::vector<std::string> protected_links = {};
    std::vector<std::string> repositories = {};  // a `.git` of any kind, or the folder itself
  };

  // One pass over everything.
  struct Pass {
    Found found;
    timespec began{};
    bool is_calm = true;                               // nothing has changed since it began
    std::set<std::string> restless = {};               // folders that have
    std::map<std::string, timespec> own_changes = {};  // of folders in which placeholders were made
    std::vector<std::string> protected_links = {};
    std::set<std::filesystem::path> repositories = {};
    GitAllowance git = {};
  };
  Result<Pass> pass();
  static void note_gone(const std::string& path, Pass& pass);
  void notice(const std::string& path, const struct stat& status, Pass& pass) const;
  void identify(Pass& pass) const;
  void search(const std::filesystem::path& top, Pass& pass);
  void search_all(Pass& pass);
  const Folder& read(const std::string& path, const std::string& top, Pass& pass);
  void hide(const std::string& path, Folder& folder) const;
  void hide_behind(const std::string& link, Found& found) const;
  // Where what patterns are about begins in a path, once for each folder that it lies in.
  std::vector<std::size_t> starts_of(const std::string& path) const;
  bool means(const std::string& pattern, const std::string& path) const;
  bool is_writable(const std::filesystem::path& path) const;
  Result<void> guard(const std::filesystem::path& path, Placeholder::Kind missing,
                     Found& found) const;
  // `whose` tells people what it is that names them.
  Result<void> guard_all(const GitPlaces& places, std::string_view whose, Found& found) const;
  Result<void> guard_tops_from_git(Pass& pass) const;
  Result<void> guard_what_git_names(const std::filesystem::path& dot_git, Pass& pass) const;
  std::set<std::filesystem::path> known_repositories() const;
  void hide_path(const std::filesystem::path& path, Found& found) const;
  void make_beside_database(const std::filesystem::path& path, Found& found) const;
  void pin(const std::filesystem::path& path, GuardedMount::Meant meant, Found& found) const;

  std::vector<std::filesystem::path> roots_;  // all that may be read or written, absolute
  std::vector<std::filesystem::path> tops_;   // those that lie in no other
  std::vector<std::filesystem::path> writable_;
  std::vector<std::string> names_;             // protected wherever they are
  std::vector<std::filesystem::path> paths_;   // protected, there or not
  std::vector<std::string> unreadable_;        // patterns
  std::vector<std::filesystem::path> hidden_;  // absolute
  std::mutex mutex_;
  std::map<std::string, Folder> folders_;  // by path
};

}  // namespace wright::sandbox
