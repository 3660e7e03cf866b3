#include "app/settings/file_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace wright::app {
namespace {

std::unexpected<Error> cannot_write(const std::filesystem::path& path, int error) {
  const ErrorCode code = error == EEXIST ? ErrorCode::already_exists : ErrorCode::storage;
  return fail(code, fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
}

// Writes, flushes and closes; 0 or an errno.
int fill(int descriptor, std::string_view text) {
  int error = write_all(descriptor, text);
  // Pipes and terminals have nothing to flush to, and say so.
  if (error == 0 && fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS) error = errno;
  if (close(descriptor) != 0 && error == 0) error = errno;
  return error;
}

// Never over anything, not even in file systems that only know links.
int move_to_nothing(const char* from, const char* to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (link(from, to) != 0) return errno;
  unlink(from);
  return 0;
}

// The file is there whole or not at all, whoever reads it meanwhile; 0 or an errno.
template <class Move>
int put_in_place(const std::filesystem::path& target, std::string_view text, mode_t mode,
                 const Move& move) {
  std::string temporary = target.string() + ".XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return errno;
  fchmod(descriptor, mode);
  int error = fill(descriptor, text);
  if (error == 0) error = move(temporary.c_str(), target.c_str());
  if (error != 0) unlink(temporary.c_str());
  return error;
}

}  // namespace

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      // Somebody made the descriptor non-blocking; it may be shared with them.
      pollfd wait{descriptor, POLLOUT, 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

Result<void> write_file(const std::filesystem::path& path, std::string_view text) {
  struct stat status {};
  const bool is_special = stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  if (is_special) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return cannot_write(path, errno);
    if (const int error = fill(descriptor, text); error != 0) return cannot_write(path, error);
    return {};
  }
  // A link keeps pointing where it points: what it points to is replaced.
  std::error_code unresolved;
  std::filesystem::path target = std::filesystem::weakly_canonical(path, unresolved);
  if (unresolved) target = path;
  const mode_t mask = umask(0);
  umask(mask);
  const mode_t mode = status.st_mode != 0 ? status.st_mode & 07777 : 0666 & ~mask;
  const int error = put_in_place(target, text, mode, [](const char* from, const char* to) {
    return rename(from, to) == 0 ? 0 : errno;
  });
  if (error != 0) return cannot_write(path, error);
  return {};
}

Result<void> create_private_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code failed;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), failed);
  if (failed) return cannot_write(path, failed.value());
  if (const int error = put_in_place(path, text, 0600, move_to_nothing); error != 0)
    return cannot_write(path, error);
  return {};
}

Result<FileDescriptor> turn_to_change(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return cannot_write(path, failed.value());
  FileDescriptor held(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!held.is_open()) return cannot_write(path, errno);
  while (flock(held.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return cannot_write(path, errno);
  }
  return held;
}

}  // namespace wright::app
