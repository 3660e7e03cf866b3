// The folders that the file tools may see. Every path that a model writes passes through here, and
// nothing outside of them is ever opened, whatever the path looks like and whatever links to where.
// Opens for reading, and says where may be written; the writing is done elsewhere
// (file_changes.h).
//
// A path is relative to the base, or absolute and inside of the base or of one of the other
// folders. `..` is resolved in the text of the path, as a person reads it, before any link is
// followed.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/workspace/beneath.h"
#include "tools/workspace/named_elsewhere.h"
#include "wright/tools.h"

namespace wright::tools {

enum class EntryKind : std::uint8_t { file, folder, link, special };

struct FileStatus {
  EntryKind kind = EntryKind::special;
  std::int64_t size = 0;      // bytes
  std::int64_t modified = 0;  // nanoseconds since 1970
  std::int64_t changed = 0;   // likewise; also by what sets `modified`, and nobody can set it
  std::uint64_t number = 0;   // of the file in its file system
  mode_t mode = 0;            // the twelve bits of permissions
};

FileStatus file_status(const struct stat& status);

struct OpenFile {
  FileDescriptor descriptor;
  FileStatus status;
};

// A folder that is held open, so that what lies below it can be opened however the path to it
// changes meanwhile. Links are not followed below it.
class Folder {
 public:
  Folder(FileDescriptor descriptor, std::string path, Resolver resolver)
      : descriptor_(std::move(descriptor)), path_(std::move(path)), resolver_(resolver) {}

  // Where it is, relative to the base: "." or "a/b".
  const std::string& path() const { return path_; }

  // Where it really is, whatever links led there: absolute. Empty where the system does not say.
  std::string real_path() const;

  // The path relative to the base of something below this folder.
  std::string path_of(std::string_view inside) const;

  // Open a folder (for reading its entries) or a regular file below this one; `inside` is relative
  // to it. Fail with an errno; a file that is no regular file fails with ENXIO.
  std::expected<FileDescriptor, int> open_folder(const std::string& inside) const;
  std::expected<OpenFile, int> open_file(const std::string& inside) const;

 private:
  FileDescriptor descriptor_;
  std::string path_;
  Resolver resolver_;
};

// Where a path may be written: `inside` is relative to the folder `root`, which the workspace holds
// open.
struct WriteTarget {
  int root = -1;
  std::string inside;
  Resolver resolver = Resolver::by_hand;
};

class Workspace {
 public:
  // Refused when one of the folders is not a readable folder.
  static Result<Workspace> open(const FileAccess& access);
  static Result<Workspace> open(const FileAccess& access, Resolver resolver);

  // The absolute path of the base, without links.
  const std::string& base() const { return readable_.front().path; }

  // The normal form of a path that somebody wrote, with no `.` or `..` in it: relative to the base
  // ("." for the base itself), or absolute in one of the other folders. Says nothing about whether
  // it exists.
  Result<std::string> locate(std::string_view path) const;

  // These take a path in normal form and follow links that stay inside of its folder. A name that
  // is no UTF-8 is also found as it is shown, with U+FFFD.
  Result<FileStatus> status(const std::string& path) const;
  Result<OpenFile> open_file(const std::string& path) const;
  Result<Folder> open_folder(const std::string& path) const;

  // Whether what is at that path (in normal form) is to be treated as if it were not there.
  bool hides(std::string_view path) const;
  // The same for what lies in a folder that is not hidden, nor lies in one that is.
  bool hides_in_shown_folder(std::string_view path) const;

  // Refused for a path (in normal form) outside of the writable folders, for such a folder itself,
  // for everything in a `.git` or wherever else git takes commands from (belongs_to_git()), and for
  // what is protected.
  Result<WriteTarget> write_target(const std::string& path) const;
  // The same for where links have led: a file of that name in a folder that was opened below the
  // root of a target.
  Result<void> may_write_in(const WriteTarget& target, int folder, std::string_view name) const;
  bool is_writable() const { return !writable_.empty(); }
  std::vector<int> writable_folders() const;  // held open

  // What a person reads about an errno that came from opening or writing `path`.
  Error path_error(int problem, const std::string& path) const;

 private:
  // A folder that is held open.
  struct Root {
    FileDescriptor descriptor;
    std::string given;  // as the caller named it, made absolute
    std::string path;   // absolute, without links

    // The rest of an absolute path below this folder; nothing when it lies elsewhere.
    std::optional<std::string_view> rest_of(std::string_view absolute) const;
  };
  static Result<Root> open_root(const std::filesystem::path& folder, std::string_view what);

  struct Place {
    const Root* root;
    std::string inside;
  };
  Place place_of(const std::string& path) const;
  std::string absolute(std::string_view path) const;   // of a normal form
  enum class Above : std::uint8_t { unknown, shown };  // of the folders around a path
  bool hides_real(std::string_view absolute, Above above = Above::unknown) const;
  bool hides_anything() const { return !hidden_.empty() || !unreadable_.empty(); }
  bool is_of_git(const std::string& absolute, const Root& root) const;
  // Nothing: it may be written. Otherwise why not, to follow the path in a sentence.
  std::optional<std::string> protection_of(const std::string& absolute, const Root& root) const;
  bool hides_open(const FileDescriptor& opened) const;  // whatever links led there
  std::expected<FileDescriptor, int> open(const std::string& path, int flags) const;
  std::string folders_for_people(const std::vector<Root>& roots) const;

  explicit Workspace(Resolver resolver) : resolver_(resolver) {}

  std::vector<Root> readable_;  // the base first
  std::vector<Root> writable_;
  std::vector<std::string> hidden_;      // absolute, without links, below one of the folders
  std::vector<std::string> unreadable_;  // patterns, for what lies below any folder
  std::unique_ptr<NamedElsewhere> named_elsewhere_;
  std::vector<std::string> protected_names_;     // anywhere
  std::vector<std::string> protected_relative_;  // below each writable folder
  std::vector<std::string> protected_absolute_;  // also without links
  Resolver resolver_;
};

// A path as a person reads it in a message: quoted, valid UTF-8, on one line, and never longer
// than a line or two of a terminal.
std::string shown_path(std::string_view path);

}  // namespace wright::tools
