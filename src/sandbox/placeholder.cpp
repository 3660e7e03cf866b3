#include "sandbox/placeholder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace wright::sandbox {
namespace {

constexpr int kMostClaims = 200;
constexpr int kClaimPauseMs = 1;
// Nobody creates such a folder by accident: only its owner may use it, and it is sticky.
constexpr mode_t kPlaceholderMode = 01700;

// Somebody may have made it theirs, as `git init` does with an empty folder `.git`.
bool is_placeholder(const std::filesystem::path& path, const struct stat& status) {
  std::error_code ignored;
  return S_ISDIR(status.st_mode) && (status.st_mode & 07777) == kPlaceholderMode &&
         status.st_uid == ::geteuid() && std::filesystem::is_empty(path, ignored);
}

// Whether the path still leads to what is open, which somebody may have removed.
bool leads_to(const std::string& path, const FileDescriptor& opened) {
  struct stat held {};
  struct stat now {};
  return ::fstat(opened.get(), &held) == 0 && ::lstat(path.c_str(), &now) == 0 &&
         held.st_ino == now.st_ino && held.st_dev == now.st_dev;
}

}  // namespace

std::filesystem::path first_missing(const std::filesystem::path& path) {
  std::filesystem::path here = "/";
  for (const auto& part : path.relative_path()) {
    here /= part;
    struct stat status {};
    if (::lstat(here.c_str(), &status) != 0 || is_placeholder(here, status)) return here;
  }
  return {};
}

Result<Placeholder> Placeholder::make(const std::filesystem::path& path) {
  Placeholder made;
  made.path_ = path.native();
  for (int attempt = 0; attempt < kMostClaims; ++attempt) {
    struct stat before {};
    if (::lstat(path.c_str(), &before) != 0) {
      // Marked from the start: unmarked, another run would take it for someone else's folder.
      if (::mkdir(path.c_str(), kPlaceholderMode) != 0 && errno != EEXIST) {
        const bool is_refused = errno == EACCES || errno == EROFS || errno == EPERM;
        if (is_refused || errno == ENOTDIR) return Placeholder();
        break;
      }
    } else if (!is_placeholder(path, before)) {
      return Placeholder();
    }
    FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.is_open()) continue;
    if (::flock(folder.get(), LOCK_SH | LOCK_NB) != 0) {
      // Somebody is about to remove it.
      ::poll(nullptr, 0, kClaimPauseMs);
      continue;
    }
    if (!leads_to(made.path_, folder)) continue;
    made.opened_ = std::move(folder);
    return made;
  }
  return fail(ErrorCode::unavailable,
              fmt::format("Cannot keep commands from creating '{}': {}", path.string(),
                          std::generic_category().message(errno)));
}

bool make_empty_beside(const std::filesystem::path& path, const std::filesystem::path& of) {
  struct stat status {};
  if (::stat(of.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if (::mknod(path.c_str(), S_IFREG | (status.st_mode & 0777), 0) != 0) return false;
  // Where it fails, the file belongs to us as its database does.
  if (::geteuid() == 0) (void)!::lchown(path.c_str(), status.st_uid, status.st_gid);
  return true;
}

Placeholder Placeholder::make_file(const std::filesystem::path& path,
                                   const std::filesystem::path& of) {
  Placeholder made;
  made.path_ = path.native();
  for (int attempt = 0; attempt < kMostClaims; ++attempt) {
    make_empty_beside(path, of);
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.is_open() && errno != ENOENT) break;
    if (file.is_open() && ::flock(file.get(), LOCK_SH | LOCK_NB) == 0 &&
        leads_to(made.path_, file)) {
      made.opened_ = std::move(file);
      break;
    }
    ::poll(nullptr, 0, kClaimPauseMs);
  }
  return made;
}

Placeholder::~Placeholder() {
  if (!opened_.is_open() || ::flock(opened_.get(), LOCK_EX | LOCK_NB) != 0) return;
  // Nobody else may use it now; but in between, it may have become another.
  if (!leads_to(path_, opened_)) return;
  struct stat status {};
  if (::fstat(opened_.get(), &status) != 0) return;
  if (S_ISDIR(status.st_mode)) ::rmdir(path_.c_str());
  if (S_ISREG(status.st_mode) && status.st_size == 0) ::unlink(path_.c_str());
}

}  // namespace wright::sandbox
