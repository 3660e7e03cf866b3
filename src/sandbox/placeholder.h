// Something empty at a path where commands must not make anything, so that there is something to
// mount over.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/file_descriptor.h"
#include "wright/error.h"

namespace wright::sandbox {

// There for the lifetime of this object. Shared with other runs and programs that guard the same
// path; the last one removes it, unless somebody has put something into it. One that was left
// behind by a program that was killed is taken over, and removed like the others.
class Placeholder {
 public:
  enum class Kind : std::uint8_t { folder, file };
  // Not there where something exists already, or where no process of this user could create
  // anything. One of the other kind serves as well.
  static Result<Placeholder> make(const std::filesystem::path& path, Kind kind);
  // An empty file beside the file `of`, with the same owner and mode. Not there where it cannot be
  // made.
  static Placeholder make_file(const std::filesystem::path& path, const std::filesystem::path& of);
  Placeholder(Placeholder&&) noexcept = default;
  Placeholder& operator=(Placeholder&&) = delete;
  ~Placeholder();

  bool is_there() const { return opened_.is_open(); }
  Kind kind() const { return kind_; }
  const std::string& path() const { return path_; }

 private:
  Placeholder() = default;
  std::string path_;
  Kind kind_ = Kind::folder;
  FileDescriptor opened_;
};

// Makes an empty file beside the file `of`, with the same owner and mode, where there is none, and
// opens neither: closing a file that SQLite has open in this process would take its locks away.
// True where it was made.
bool make_empty_beside(const std::filesystem::path& path, const std::filesystem::path& of);

// The first part of a path that does not exist, or is a placeholder; empty when all of it exists.
std::filesystem::path first_missing(const std::filesystem::path& path);

}  // namespace wright::sandbox
