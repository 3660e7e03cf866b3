#include "tools/workspace/file_calls.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>

namespace wright::tools {
namespace {

using Done = FileCalls::Done;

// Repeats what a signal has interrupted.
template <class Call>
Done completed(Call&& call) {
  while (call() != 0) {
    if (errno != EINTR) return std::unexpected(errno);
  }
  return {};
}

std::expected<FileDescriptor, int> opened(int number) {
  if (number < 0) return std::unexpected(errno);
  return FileDescriptor(number);
}

// New files get what the umask leaves of this, as with any other program.
constexpr mode_t kFileMode = 0666;
constexpr mode_t kFolderMode = 0777;

}  // namespace

std::expected<FileDescriptor, int> FileCalls::create_nameless(int folder) {
  auto file = opened(::openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, kFileMode));
  // What kernels and file systems say that do not know O_TMPFILE.
  if (!file && (file.error() == EISDIR || file.error() == EINVAL)) {
    return std::unexpected(EOPNOTSUPP);
  }
  return file;
}

std::expected<FileDescriptor, int> FileCalls::create(int folder, const std::string& name) {
  return opened(::openat(folder, name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC,
                         kFileMode));
}

Done FileCalls::give_name(int file, int folder, const std::string& name) {
  const std::string own_link = fmt::format("/proc/self/fd/{}", file);
  return completed([&] {
    return ::linkat(AT_FDCWD, own_link.c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW);
  });
}

Done FileCalls::write(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return std::unexpected(errno);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Done FileCalls::take_owner_and_mode(int file, const struct stat& like) {
  struct stat now {};
  if (::fstat(file, &now) != 0) return std::unexpected(errno);
  if ((now.st_uid != like.st_uid || now.st_gid != like.st_gid) &&
      ::fchown(file, like.st_uid, like.st_gid) != 0 && errno != EPERM && errno != EINVAL) {
    return std::unexpected(errno);
  }
  // Set-user-id and set-group-id go when a file is written, as the kernel has it.
  return completed([&] { return ::fchmod(file, like.st_mode & 0777); });
}

Done FileCalls::sync(int file_or_folder) {
  const Done synced = completed([&] { return ::fsync(file_or_folder); });
  // Some file systems have nothing to do for a folder and say so.
  if (!synced && (synced.error() == EINVAL || synced.error() == EROFS)) return {};
  return synced;
}

Done FileCalls::rename(int folder, const std::string& from, const std::string& to, Renaming how) {
  const unsigned flags = how == Renaming::exchange ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  const Done renamed =
      completed([&] { return ::renameat2(folder, from.c_str(), folder, to.c_str(), flags); });
  if (renamed || (renamed.error() != EINVAL && renamed.error() != ENOSYS)) return renamed;
  if (how == Renaming::exchange) return std::unexpected(EOPNOTSUPP);
  const Done linked =
      completed([&] { return ::linkat(folder, from.c_str(), folder, to.c_str(), 0); });
  return linked ? remove_file(folder, from) : linked;
}

Done FileCalls::remove_file(int folder, const std::string& name) {
  return completed([&] { return ::unlinkat(folder, name.c_str(), 0); });
}

Done FileCalls::make_folder(int folder, const std::string& name) {
  return completed([&] { return ::mkdirat(folder, name.c_str(), kFolderMode); });
}

Done FileCalls::lock(int folder) {
  constexpr auto kPatience = std::chrono::seconds(10);
  constexpr auto kPause = std::chrono::milliseconds(2);
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (::flock(folder, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return std::unexpected(errno);
    if (std::chrono::steady_clock::now() > give_up) return std::unexpected(ETIMEDOUT);
    std::this_thread::sleep_for(kPause);
  }
  return {};
}

Done FileCalls::remove_folder(int folder, const std::string& name) {
  return completed([&] { return ::unlinkat(folder, name.c_str(), AT_REMOVEDIR); });
}

}  // namespace wright::tools
