#include "tools/undo/named_entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <utility>

#include "core/try.h"

namespace wright::tools {

std::optional<std::string> NamedEntry::target() const {
  std::array<char, PATH_MAX> text;
  const ssize_t length = ::readlinkat(folder.get(), name.c_str(), text.data(), text.size());
  if (length < 0) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(length));
}

bool NamedEntry::is_there() const {
  struct stat status {};
  return ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool NamedEntry::is_folder() const {
  struct stat status {};
  return ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(status.st_mode);
}

Result<std::optional<NamedEntry>> entry_at(const Workspace& workspace, const std::string& path) {
  const auto target = TRY(workspace.write_target(path));
  const std::size_t slash = target.inside.rfind('/');
  const bool is_nested = slash != std::string::npos;
  auto folder = open_beneath(target.root, is_nested ? target.inside.substr(0, slash) : ".",
                             O_RDONLY | O_DIRECTORY, Links::follow, target.resolver);
  if (!folder && folder.error() == ENOENT) return std::nullopt;
  if (!folder) return std::unexpected(workspace.path_error(folder.error(), path));
  NamedEntry entry{std::move(*folder), target.inside.substr(is_nested ? slash + 1 : 0)};
  TRY(workspace.may_write_in(target, entry.folder.get(), entry.name));
  return entry;
}

}  // namespace wright::tools
