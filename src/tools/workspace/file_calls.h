// The system calls that change files, behind one interface so that a test can make any of them
// fail. Decides nothing: what is called in which order is up to file_changes.h.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "core/file_descriptor.h"

namespace wright::tools {

enum class Renaming : std::uint8_t {
  to_free_name,  // EEXIST when the new name is taken
  exchange,      // both names stay, with each other's files
};

// All of them fail with an errno. Names are single components in an open folder.
class FileCalls {
 public:
  using Done = std::expected<void, int>;

  virtual ~FileCalls() = default;

  // A file without a name, which vanishes with its descriptor unless give_name() is called.
  // EOPNOTSUPP where the file system has none of that kind.
  virtual std::expected<FileDescriptor, int> create_nameless(int folder);
  virtual std::expected<FileDescriptor, int> create(int folder, const std::string& name);
  virtual Done give_name(int file, int folder, const std::string& name);
  virtual Done write(int file, std::string_view bytes);
  // The owner is kept where the system allows that; the mode always.
  virtual Done take_owner_and_mode(int file, const struct stat& like);
  virtual Done sync(int file_or_folder);
  // EOPNOTSUPP where the file system cannot do it.
  virtual Done rename(int folder, const std::string& from, const std::string& to, Renaming how);
  virtual Done remove_file(int folder, const std::string& name);
  virtual Done make_folder(int folder, const std::string& name);
  virtual Done remove_folder(int folder, const std::string& name);
  // Waits until nobody else has locked the folder, and locks it as long as it is open. ETIMEDOUT
  // when somebody keeps it, which every process can that may read the folder.
  virtual Done lock(int folder);
};

using SharedFileCalls = std::shared_ptr<FileCalls>;

}  // namespace wright::tools
