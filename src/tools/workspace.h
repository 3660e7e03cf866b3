// The folder that the file tools may see. Every path that a model writes passes through here, and
// nothing outside of the base is ever opened, whatever the path looks like and whatever links to
// where. Reads only.
//
// A path is relative to the base, or absolute and inside of it. `..` is resolved in the text of
// the path, as a person reads it, before any link is followed.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tools/beneath.h"
#include "wright/error.h"

namespace wright::tools {

enum class EntryKind : std::uint8_t { file, folder, link, special };

struct FileStatus {
  EntryKind kind = EntryKind::special;
  std::int64_t size = 0;      // bytes
  std::int64_t modified = 0;  // nanoseconds since 1970
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

class Workspace {
 public:
  // Refused when `base` is not a readable folder.
  static Result<Workspace> open(const std::filesystem::path& base);
  static Result<Workspace> open(const std::filesystem::path& base, Resolver resolver);

  // The absolute path of the base, without links.
  const std::string& base() const { return base_; }

  // The normal form of a path that somebody wrote: relative to the base, no `.` or `..` in it,
  // "." for the base itself. Says nothing about whether it exists.
  Result<std::string> locate(std::string_view path) const;

  // These take a path in normal form and follow links that stay inside of the base.
  Result<FileStatus> status(const std::string& path) const;
  Result<OpenFile> open_file(const std::string& path) const;
  Result<Folder> open_folder(const std::string& path) const;

 private:
  Workspace(FileDescriptor descriptor, std::string given, std::string base, Resolver resolver)
      : descriptor_(std::move(descriptor)),
        given_(std::move(given)),
        base_(std::move(base)),
        resolver_(resolver) {}

  Error path_error(int problem, const std::string& path) const;

  FileDescriptor descriptor_;
  std::string given_;  // the base as the caller named it, made absolute
  std::string base_;
  Resolver resolver_;
};

}  // namespace wright::tools
