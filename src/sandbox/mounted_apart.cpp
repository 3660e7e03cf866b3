#include "sandbox/mounted_apart.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "core/paths.h"

namespace wright::sandbox {
namespace {

// Which mount a file lies on. Nothing where there is none, or the kernel does not say.
std::optional<std::uint64_t> mount_of(const FileDescriptor& file) {
  struct statx status {};
  if (!file.is_open() || ::statx(file.get(), "", AT_EMPTY_PATH, STATX_MNT_ID, &status) != 0 ||
      (status.stx_mask & STATX_MNT_ID) == 0) {
    return std::nullopt;
  }
  return status.stx_mnt_id;
}

FileDescriptor open_here(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_PATH | O_CLOEXEC));
}

std::string top_of(const std::string& path, std::span<const std::filesystem::path> tops) {
  std::string best;
  for (const auto& top : tops) {
    std::error_code problem;
    const std::string real = std::filesystem::canonical(top, problem).native();
    if (!problem && lies_in(path, real) && real.size() > best.size()) best = real;
  }
  return best;
}

// Of a folder, or of the nearest above it that is there.
std::optional<std::uint64_t> mount_inside(std::filesystem::path folder,
                                          const Namespaces& namespaces) {
  FileDescriptor found = namespaces.find(folder);
  while (!found.is_open() && folder.has_relative_path()) {
    folder = folder.parent_path();
    found = namespaces.find(folder);
  }
  return mount_of(found);
}

bool is_apart(const std::string& path, const std::string& top, const Namespaces& namespaces) {
  const auto folder = std::filesystem::path(path).parent_path();
  const auto differ = [](const auto& one, const auto& other) {
    return one && other && one != other;
  };
  return differ(mount_of(open_here(folder)), mount_of(open_here(top))) ||
         differ(mount_inside(folder, namespaces), mount_inside(top, namespaces));
}

}  // namespace

std::vector<GuardedMount> as_seen_inside(std::vector<GuardedMount> mounts,
                                         std::span<const std::filesystem::path> tops,
                                         const Namespaces& namespaces) {
  using Kind = GuardedMount::Kind;
  std::erase_if(mounts, [&](GuardedMount& mount) {
    const std::string top = top_of(mount.path, tops);
    if (top.empty() || !is_apart(mount.path, top, namespaces)) return false;
    const FileDescriptor inside = namespaces.find(mount.path, O_NOFOLLOW);
    struct stat status {};
    if (!inside.is_open() || ::fstat(inside.get(), &status) != 0) return true;
    mount.file = {status.st_dev, status.st_ino};
    if (mount.kind == Kind::hidden_file || mount.kind == Kind::hidden_folder) {
      mount.kind = S_ISDIR(status.st_mode) ? Kind::hidden_folder : Kind::hidden_file;
    }
    return false;
  });
  return mounts;
}

}  // namespace wright::sandbox
