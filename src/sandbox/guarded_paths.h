// What a command must not change, or not read, although the policy lets it write or read the folder
// around it: looked up before every run, because people create and remove files in between.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file_descriptor.h"
#include "wright/error.h"
#include "wright/sandbox.h"

namespace wright::sandbox {

// What a run mounts over a path of its tree.
struct GuardedMount {
  enum class Kind : std::uint8_t {
    read_only,
    hidden_file,
    hidden_folder,
    pinned,  // cannot be moved or removed; of a link, the link itself, not its target
  } kind = Kind::read_only;
  std::string path;

  bool operator==(const GuardedMount&) const = default;
};

// Whether a path below a folder matches: a leading `**/` stands for any folders, * and ? for
// characters within a name. A pattern without a slash means a name anywhere.
bool is_meant(std::string_view pattern, const std::string& path);

// Whether one of these is about the path, or about a folder that it lies in.
bool is_meant_by_any(std::span<const std::string> patterns, std::string_view path);

// An empty folder at a path where nothing may be created, for the lifetime of this object. Shared
// with other runs and programs that guard the same path; the last one removes it, unless somebody
// has put something into it.
class Placeholder {
 public:
  // Not open where something exists already, or where no process of this user could create
  // anything.
  static Result<Placeholder> make(const std::filesystem::path& path);
  Placeholder(Placeholder&&) noexcept = default;
  Placeholder& operator=(Placeholder&&) = delete;
  ~Placeholder();

  bool is_there() const { return folder_.is_open(); }
  const std::string& path() const { return path_; }

 private:
  Placeholder() = default;
  std::string path_;
  FileDescriptor folder_;
};

class GuardedPaths {
 public:
  // The paths of `policy` must exist.
  explicit GuardedPaths(const SandboxPolicy& policy);

  struct Found {
    std::vector<GuardedMount> mounts;
    std::vector<Placeholder> placeholders;
    bool is_complete = true;  // false when there is too much to look through, or to guard
  };
  // May be called from several threads.
  Result<Found> look();

 private:
  // A folder as it was when last read. Nobody can set its change time.
  struct Folder {
    dev_t device = 0;
    ino_t number = 0;
    timespec changed{};
    bool is_settled = false;  // read long enough after its last change
    std::vector<std::string> folders = {};
    std::vector<GuardedMount> mounts = {};
  };

  void search(const std::filesystem::path& top, Found& found);
  const Folder& read(const std::string& path, const std::string& top);
  void hide(const std::string& path, std::string_view below, Folder& folder) const;
  void add_git_folders(const std::filesystem::path& file, std::vector<GuardedMount>& mounts) const;
  bool is_writable(const std::filesystem::path& path) const;
  Result<void> guard(const std::filesystem::path& path, Found& found) const;
  void hide_path(const std::filesystem::path& path, Found& found) const;
  void pin(const std::filesystem::path& path, Found& found) const;

  std::vector<std::filesystem::path> tops_;
  std::vector<std::filesystem::path> writable_;
  std::vector<std::string> names_;             // protected wherever they are
  std::vector<std::filesystem::path> paths_;   // protected, there or not
  std::vector<std::string> unreadable_;        // patterns
  std::vector<std::filesystem::path> hidden_;  // absolute
  std::mutex mutex_;
  std::map<std::string, Folder> folders_;  // by path
};

}  // namespace wright::sandbox
