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
// Nobody creates such a folder or file by accident: both are sticky, and the file can only be read,
// which does no harm.
constexpr mode_t kModeOfFolder = 01700;
constexpr mode_t kModeOfFile = 01444;
constexpr mode_t kLeftToTheUmask = 00044;

// Somebody may have made it theirs, as `git init` does with an empty folder `.git`.
bool is_placeholder(const std::filesystem::path& path, const struct stat& status) {
  const mode_t mode = status.st_mode & 07777;
  if (status.st_uid != ::geteuid()) return false;
  if (S_ISREG(status.st_mode)) {
    return (mode | kLeftToTheUmask) == kModeOfFile && status.st_size == 0;
  }
  std::error_code ignored;
  return S_ISDIR(status.st_mode) && mode == kModeOfFolder &&
         std::filesystem::is_empty(path, ignored);
}

// Marked from the start: unmarked, another run would take it for something of somebody.
bool create(const std::filesystem::path& path, Placeholder::Kind kind) {
  if (kind == Placeholder::Kind::folder) return ::mkdir(path.c_str(), kModeOfFolder) == 0;
  return ::mknod(path.c_str(), S_IFREG | kModeOfFile, 0) == 0;
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

Result<Placeholder> Placeholder::make(const std::filesystem::path& path, Kind kind) {
  Placeholder made;
  made.path_ = path.native();
  for (int attempt = 0; attempt < kMostClaims; ++attempt) {
    struct stat before {};
    if (::lstat(path.c_str(), &before) != 0) {
      if (!create(path, kind) && errno != EEXIST) {
        const bool is_refused = errno == EACCES || errno == EROFS || errno == EPERM;
        const bool is_no_path = errno == ENOTDIR || errno == ENAMETOOLONG;
        if (is_refused || is_no_path) return Placeholder();
        break;
      }
    } else if (!is_placeholder(path, before)) {
      return Placeholder();
    }
    FileDescriptor opened(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!opened.is_open()) continue;
    if (::flock(opened.get(), LOCK_SH | LOCK_NB) != 0) {
      // Somebody is about to remove it.
      ::poll(nullptr, 0, kClaimPauseMs);
      continue;
    }
    struct stat status {};
    if (!leads_to(made.path_, opened) || ::fstat(opened.get(), &status) != 0) continue;
    made.kind_ = S_ISREG(status.st_mode) ? Kind::file : Kind::folder;
    made.opened_ = std::move(opened);
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
  made.kind_ = Kind::file;
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
