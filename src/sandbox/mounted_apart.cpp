#include "sandbox/mounted_apart.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <functional>
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

// A folder, or the nearest above it that is there: it may have been moved a moment ago.
FileDescriptor nearest(std::filesystem::path folder,
                       const std::function<FileDescriptor(const std::string&)>& open) {
  FileDescriptor found = open(folder);
  while (!found.is_open() && folder.has_relative_path()) {
    folder = folder.parent_path();
    found = open(folder);
  }
  return found;
}

bool are_on_two_mounts(const FileDescriptor& one, const FileDescriptor& other) {
  const auto first = mount_of(one);
  const auto second = mount_of(other);
  return first && second && first != second;
}

bool are_on_one_device(const FileDescriptor& one, const FileDescriptor& other) {
  struct stat first {};
  struct stat second {};
  return one.is_open() && other.is_open() && ::fstat(one.get(), &first) == 0 &&
         ::fstat(other.get(), &second) == 0 && first.st_dev == second.st_dev;
}

// Whether something is mounted below the top on one side only, or something else on each. What is
// mounted on both is as safe to look at as the top: if it is not there, it was moved.
bool is_apart(const std::string& path, const std::string& top, const Namespaces& namespaces) {
  const auto folder = std::filesystem::path(path).parent_path();
  const auto open_inside = [&](const std::string& each) { return namespaces.find(each); };
  const FileDescriptor here = nearest(folder, open_here);
  const FileDescriptor inside = nearest(folder, open_inside);
  const bool is_mounted_here = are_on_two_mounts(here, open_here(top));
  const bool is_mounted_inside = are_on_two_mounts(inside, nearest(top, open_inside));
  if (is_mounted_here != is_mounted_inside) return true;
  return is_mounted_here && !are_on_one_device(here, inside);
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
