#include "tools/workspace/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <vector>

namespace wright::tools {
namespace {

constexpr int kMaxLinks = 40;        // as the kernel has it
constexpr int kMaxRaceRetries = 64;  // openat2 gives up with EAGAIN when things move under it

using Opened = std::expected<FileDescriptor, int>;

// openat2 refuses flags beside O_PATH that have no meaning there.
int with_required(int flags) {
  return flags | O_CLOEXEC | ((flags & O_PATH) != 0 ? 0 : O_NONBLOCK | O_NOCTTY);
}

Opened open_entry(int folder, const std::string& name, int flags) {
  const int number = ::openat(folder, name.c_str(), with_required(flags) | O_NOFOLLOW);
  if (number < 0) return std::unexpected(errno);
  return FileDescriptor(number);
}

Opened open_by_kernel(int folder, const std::string& path, int flags, Links links) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(with_required(flags));
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS |
                (links == Links::refuse ? std::uint64_t{RESOLVE_NO_SYMLINKS} : 0);
  for (int tries = 0; tries < kMaxRaceRetries; ++tries) {
    const long number = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (number >= 0) return FileDescriptor(static_cast<int>(number));
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return std::unexpected(errno);
}

// What a link says, or nothing when `name` is no link.
std::expected<std::string, int> read_link(int folder, const std::string& name) {
  std::array<char, PATH_MAX> target;
  const ssize_t length = ::readlinkat(folder, name.c_str(), target.data(), target.size());
  if (length < 0) return std::unexpected(errno);
  if (length == 0) return std::unexpected(ENOENT);
  return std::string(target.data(), static_cast<std::size_t>(length));
}

// Walks a path one component at a time and keeps every folder on the way open, so that `..` goes
// back to the folder it came from, whatever has been renamed since.
class HandResolver {
 public:
  HandResolver(int folder, Links links) : base_(folder), links_(links) {}

  Opened open(const std::string& path, int flags) {
    if (path.empty()) return std::unexpected(ENOENT);
    if (path.size() >= PATH_MAX) return std::unexpected(ENAMETOOLONG);
    if (const int problem = add_components(path); problem != 0) return std::unexpected(problem);
    while (!pending_.empty()) {
      const std::string name = std::move(pending_.back());
      pending_.pop_back();
      if (name == ".") continue;
      if (name == "..") {
        if (open_.empty()) return std::unexpected(EXDEV);
        open_.pop_back();
        continue;
      }
      const bool is_last = pending_.empty();
      Opened entry = open_entry(here(), name, is_last ? flags & ~O_DIRECTORY : O_PATH);
      const bool is_refused_link = !entry && entry.error() == ELOOP;
      if (!entry && !is_refused_link) return std::unexpected(entry.error());
      if (is_refused_link || is_link(*entry)) {
        if (const int problem = follow(name); problem != 0) return std::unexpected(problem);
        continue;
      }
      if (is_last && (flags & O_DIRECTORY) == 0) return entry;
      if (!is_folder(*entry)) return std::unexpected(ENOTDIR);
      if (is_last) return entry;
      open_.push_back(std::move(*entry));
    }
    const int number = ::openat(here(), ".", with_required(flags));
    if (number < 0) return std::unexpected(errno);
    return FileDescriptor(number);
  }

 private:
  int here() const { return open_.empty() ? base_ : open_.back().get(); }

  static bool is_folder(const FileDescriptor& entry) {
    struct stat status {};
    return ::fstat(entry.get(), &status) == 0 && S_ISDIR(status.st_mode);
  }
  static bool is_link(const FileDescriptor& entry) {
    struct stat status {};
    return ::fstat(entry.get(), &status) == 0 && S_ISLNK(status.st_mode);
  }

  // Puts the components of `path` before what is still to be walked. A path that ends in a slash
  // must name a folder, which a last component "." checks.
  int add_components(const std::string& path) {
    if (path.front() == '/') return EXDEV;
    std::vector<std::string> components;
    std::size_t at = 0;
    while (at < path.size()) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      if (end > at) components.push_back(path.substr(at, end - at));
      at = end + 1;
    }
    if (path.back() == '/') components.emplace_back(".");
    pending_.insert(pending_.end(), components.rbegin(), components.rend());
    return pending_.size() > PATH_MAX ? ENAMETOOLONG : 0;
  }

  int follow(const std::string& link) {
    if (links_ == Links::refuse || ++links_followed_ > kMaxLinks) return ELOOP;
    auto target = read_link(here(), link);
    if (!target) return target.error() == EINVAL ? EAGAIN : target.error();
    return add_components(*target);
  }

  int base_;
  Links links_;
  int links_followed_ = 0;
  std::vector<FileDescriptor> open_;  // the folders from the base to here
  std::vector<std::string> pending_;  // components still to be walked, the next one last
};

}  // namespace

Resolver available_resolver(int folder) {
  const auto opened = open_by_kernel(folder, ".", O_PATH | O_DIRECTORY, Links::refuse);
  const bool is_missing = !opened && (opened.error() == ENOSYS || opened.error() == EPERM);
  return is_missing ? Resolver::by_hand : Resolver::kernel;
}

Opened open_beneath(int folder, const std::string& path, int flags, Links links,
                    Resolver resolver) {
  if (resolver == Resolver::kernel) return open_by_kernel(folder, path, flags, links);
  return HandResolver(folder, links).open(path, flags);
}

}  // namespace wright::tools
