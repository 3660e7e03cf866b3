#include "sandbox/guarded_paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

namespace wright::sandbox {
namespace {

constexpr std::size_t kMostFolders = 20'000;
constexpr int kMostTries = 100;
constexpr time_t kSettledSeconds = 2;
// Nobody makes a folder like that by chance: only its owner may use it, and it is sticky.
constexpr mode_t kPlaceholderMode = 01700;

struct CloseListing {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

bool is_same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [left, right] = std::ranges::mismatch(folder, path);
  (void)right;
  return left == folder.end();
}

std::string first_line_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// The first part of a path that does not exist; empty when all of it does.
std::filesystem::path first_missing(const std::filesystem::path& path) {
  std::filesystem::path here = "/";
  for (const auto& part : path.relative_path()) {
    here /= part;
    struct stat status {};
    if (::lstat(here.c_str(), &status) != 0) return here;
  }
  return {};
}

bool is_placeholder(const struct stat& status) {
  return S_ISDIR(status.st_mode) && (status.st_mode & 07777) == kPlaceholderMode &&
         status.st_uid == ::geteuid();
}

}  // namespace

bool is_meant(std::string_view pattern, const std::string& path) {
  const bool is_anywhere = pattern.starts_with("**/");
  if (is_anywhere) pattern.remove_prefix(3);
  const std::string rest(pattern);
  if (!is_anywhere && rest.find('/') != std::string::npos) {
    return ::fnmatch(rest.c_str(), path.c_str(), FNM_PATHNAME) == 0;
  }
  for (std::size_t start = 0; start != std::string::npos;) {
    if (::fnmatch(rest.c_str(), path.c_str() + start, FNM_PATHNAME) == 0) return true;
    start = path.find('/', start);
    if (start != std::string::npos) ++start;
  }
  return false;
}

Result<Placeholder> Placeholder::make(const std::filesystem::path& path) {
  Placeholder made;
  made.path_ = path.native();
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    struct stat before {};
    if (::lstat(path.c_str(), &before) != 0) {
      // With its mark from the start: without it, another run would take it for somebody's.
      if (::mkdir(path.c_str(), kPlaceholderMode) != 0 && errno != EEXIST) {
        if (errno == EACCES || errno == EROFS || errno == EPERM) return Placeholder();
        break;
      }
    } else if (!is_placeholder(before)) {
      return Placeholder();
    }
    FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.is_open() || ::flock(folder.get(), LOCK_SH | LOCK_NB) != 0) continue;
    struct stat opened {};
    struct stat now {};
    // Somebody may have removed it in between.
    if (::fstat(folder.get(), &opened) != 0 || ::lstat(path.c_str(), &now) != 0) continue;
    if (opened.st_ino != now.st_ino || opened.st_dev != now.st_dev) continue;
    made.folder_ = std::move(folder);
    return made;
  }
  return fail(ErrorCode::unavailable,
              fmt::format("Cannot keep commands from making '{}': {}", path.string(),
                          std::generic_category().message(errno)));
}

Placeholder::~Placeholder() {
  if (!folder_.is_open()) return;
  if (::flock(folder_.get(), LOCK_EX | LOCK_NB) == 0) ::rmdir(path_.c_str());
}

GuardedPaths::GuardedPaths(const SandboxPolicy& policy) : unreadable_(policy.unreadable) {
  std::error_code ignored;
  for (const auto& path : policy.write_paths) {
    const auto real = std::filesystem::canonical(path, ignored);
    if (!ignored) writable_.push_back(real);
  }
  tops_ = writable_;
  for (const auto& path : policy.read_paths) {
    const auto real = std::filesystem::canonical(path, ignored);
    const auto holds = [&](const auto& top) { return lies_in(real, top); };
    if (!ignored && std::ranges::none_of(tops_, holds)) tops_.push_back(real);
  }
  for (const std::string& name : policy.protected_paths) {
    const std::filesystem::path path(name);
    if (path.is_absolute()) {
      paths_.push_back(path.lexically_normal());
      continue;
    }
    if (!path.has_parent_path()) names_.push_back(name);
    for (const auto& top : writable_) {
      const auto full = (top / path).lexically_normal();
      if (std::filesystem::is_directory(top, ignored)) paths_.push_back(full);
    }
  }
}

bool GuardedPaths::is_writable(const std::filesystem::path& path) const {
  return std::ranges::any_of(writable_, [&](const auto& top) { return lies_in(path, top); });
}

void GuardedPaths::add_git_folders(const std::filesystem::path& file,
                                   std::vector<GuardedMount>& mounts) const {
  constexpr std::string_view kPrefix = "gitdir: ";
  const std::string line = first_line_of(file);
  if (!line.starts_with(kPrefix)) return;
  std::error_code problem;
  const auto add = [&](const std::filesystem::path& folder) {
    const auto real = std::filesystem::canonical(folder, problem);
    // Not the folder of a top itself: nothing could be written at all.
    if (problem || std::ranges::find(writable_, real) != writable_.end()) return;
    if (is_writable(real)) mounts.push_back({GuardedMount::Kind::read_only, real.native()});
  };
  const auto git = file.parent_path() / line.substr(kPrefix.size());
  add(git);
  const std::string shared = first_line_of(git / "commondir");
  if (!shared.empty()) add(git / shared);
}

const GuardedPaths::Folder& GuardedPaths::read(const std::string& path, const std::string& top) {
  static const Folder kNone;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return kNone;
  Folder& known = folders_[path];
  if (known.is_settled && known.device == status.st_dev && known.number == status.st_ino &&
      is_same(known.changed, status.st_ctim)) {
    return known;
  }
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  known = {status.st_dev, status.st_ino, status.st_ctim,
           now.tv_sec > status.st_ctim.tv_sec + kSettledSeconds};
  const std::unique_ptr<DIR, CloseListing> listing(::opendir(path.c_str()));
  while (const dirent* entry = listing ? ::readdir(listing.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string full = path + "/" + name;
    unsigned char type = entry->d_type;
    if (type == DT_UNKNOWN && ::lstat(full.c_str(), &status) == 0) {
      type = IFTODT(status.st_mode);
    }
    const bool is_folder = type == DT_DIR;
    // A link leads to something that is looked at by itself.
    if (!is_folder && type != DT_REG) continue;
    const std::string below = full.substr(top.size() + 1);
    const auto means = [&](const std::string& pattern) { return is_meant(pattern, below); };
    if (std::ranges::any_of(unreadable_, means)) {
      known.mounts.push_back(
          {is_folder ? GuardedMount::Kind::hidden_folder : GuardedMount::Kind::hidden_file, full});
    } else if (std::ranges::find(names_, name) != names_.end() && is_writable(full)) {
      known.mounts.push_back({GuardedMount::Kind::read_only, full});
      if (name == ".git" && !is_folder) add_git_folders(full, known.mounts);
    } else if (is_folder) {
      known.folders.push_back(full);
    }
  }
  return known;
}

void GuardedPaths::search(const std::filesystem::path& top, Found& found) {
  const std::string start = top == "/" ? "" : top.native();
  std::vector<std::string> waiting{top.native()};
  std::size_t count = 0;
  while (!waiting.empty()) {
    if (++count > kMostFolders) {
      found.is_complete = false;
      return;
    }
    const std::string path = std::move(waiting.back());
    waiting.pop_back();
    const Folder& folder = read(path, start);
    found.mounts.insert(found.mounts.end(), folder.mounts.begin(), folder.mounts.end());
    waiting.insert(waiting.end(), folder.folders.begin(), folder.folders.end());
  }
}

// What leads to a protected path: moved away, it would take the path with it. Also the path itself
// where it is a link.
void GuardedPaths::pin(const std::filesystem::path& path, Found& found) const {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) && is_writable(path)) {
    found.mounts.push_back({GuardedMount::Kind::pinned, path.native()});
  }
  for (auto above = path.parent_path(); is_writable(above); above = above.parent_path()) {
    const bool is_top = std::ranges::find(writable_, above) != writable_.end();
    if (is_top || ::lstat(above.c_str(), &status) != 0) break;
    found.mounts.push_back({GuardedMount::Kind::pinned, above.native()});
  }
}

Result<void> GuardedPaths::guard(const std::filesystem::path& path, Found& found) const {
  // Other runs make and remove placeholders meanwhile, and people what they like.
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    const auto missing = first_missing(path);
    const auto& place = missing.empty() ? path : missing;
    struct stat status {};
    if (missing.empty()) {
      if (::lstat(path.c_str(), &status) != 0) continue;
      if (!is_placeholder(status)) {
        std::error_code problem;
        const auto real = std::filesystem::canonical(path, problem);
        if (!problem && is_writable(real)) {
          found.mounts.push_back({GuardedMount::Kind::read_only, real.native()});
          pin(real, found);
        }
        pin(path, found);
        return {};
      }
    }
    if (!is_writable(place)) return {};
    pin(place, found);
    auto made = Placeholder::make(place);
    if (!made) return std::unexpected(std::move(made).error());
    if (made->is_there()) {
      found.mounts.push_back({GuardedMount::Kind::hidden_folder, place.native()});
      found.placeholders.push_back(std::move(*made));
      return {};
    }
    // Nothing can be made there, by nobody of this user.
    if (::lstat(place.c_str(), &status) != 0) return {};
  }
  return fail(ErrorCode::unavailable,
              fmt::format("Cannot protect '{}': it comes and goes", path.string()));
}

Result<GuardedPaths::Found> GuardedPaths::look() {
  const std::lock_guard lock(mutex_);
  Found found;
  for (const auto& path : paths_) {
    if (auto guarded = guard(path, found); !guarded) return std::unexpected(guarded.error());
  }
  if (!names_.empty() || !unreadable_.empty()) {
    if (folders_.size() > 2 * kMostFolders) folders_.clear();
    for (const auto& top : tops_) search(top, found);
  }
  // Shorter paths first: what lies in a folder is mounted after it. What is protected or hidden
  // needs no pinning.
  std::ranges::stable_sort(found.mounts, {}, [](const GuardedMount& mount) {
    return std::pair(mount.path.size(), mount.kind == GuardedMount::Kind::pinned);
  });
  std::vector<GuardedMount> once;
  std::set<std::string> seen;
  std::set<std::string> hidden;
  for (GuardedMount& mount : found.mounts) {
    bool is_hidden = false;
    for (std::size_t end = mount.path.rfind('/'); end != std::string::npos && end > 0;
         end = mount.path.rfind('/', end - 1)) {
      is_hidden = is_hidden || hidden.contains(mount.path.substr(0, end));
    }
    if (is_hidden || !seen.insert(mount.path).second) continue;
    if (mount.kind == GuardedMount::Kind::hidden_folder) hidden.insert(mount.path);
    once.push_back(std::move(mount));
  }
  found.mounts = std::move(once);
  return found;
}

}  // namespace wright::sandbox
