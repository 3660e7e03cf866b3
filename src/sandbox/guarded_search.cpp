// What guarded paths find by the names of files: a walk over all that may be read or written.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/paths.h"
#include "sandbox/guarded_paths.h"
#include "sandbox/link_way.h"
#include "sandbox/path_patterns.h"

namespace wright::sandbox {
namespace {

constexpr std::size_t kMostFolders = 20'000;
constexpr time_t kSettledSeconds = 2;

struct CloseListing {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

bool is_same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

// What git looks for in a folder of its own (is_git_folder()), as far as the folder itself tells:
// where links lead can change while it does not.
struct NamesOfGit {
  bool head = false;
  bool objects = false;
  bool refs = false;
  bool shared = false;

  void note(std::string_view name, unsigned char type) {
    const bool may_be_file = type != DT_DIR;
    const bool may_be_folder = type != DT_REG;
    head = head || (name == "HEAD" && may_be_file);
    objects = objects || (name == "objects" && may_be_folder);
    refs = refs || (name == "refs" && may_be_folder);
    shared = shared || (name == "commondir" && may_be_file);
  }
  bool are_enough() const { return head && ((objects && refs) || shared); }
};

bool is_before(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

}  // namespace

// Also pins as many parent folders as the pattern names: renamed, they would no longer match.
void GuardedPaths::hide(const std::string& path, Folder& folder) const {
  std::error_code problem;
  const auto real = std::filesystem::canonical(path, problem);
  if (problem) return;
  const auto holds = [&](const auto& root) { return lies_in(real, root) && real != root; };
  if (std::ranges::none_of(roots_, holds)) return;
  const bool is_folder = std::filesystem::is_directory(real, problem);
  folder.mounts.push_back(
      {is_folder ? GuardedMount::Kind::hidden_folder : GuardedMount::Kind::hidden_file,
       real.native()});
  std::ptrdiff_t named = 0;
  for (const std::string& pattern : unreadable_) {
    const std::size_t start = pattern.starts_with("**/") ? 3 : 0;
    if (!means(pattern, path)) continue;
    named = std::max(named, std::count(pattern.begin() + static_cast<std::ptrdiff_t>(start),
                                       pattern.end(), '/'));
  }
  auto above = std::filesystem::path(path).parent_path();
  for (; named > 0 && is_writable(above); --named, above = above.parent_path()) {
    if (std::ranges::find(writable_, above) != writable_.end()) break;
    folder.mounts.push_back({GuardedMount::Kind::pinned, above.native()});
  }
}

// The same file has two names, and only one of them tells what it is: without the links on the way
// it could not be found any more. So these cannot be moved or removed, nor what leads to them.
void GuardedPaths::hide_behind(const std::string& link, Found& found) const {
  std::set<std::string> meant;
  for (const std::string& pattern : unreadable_) {
    for (const std::size_t start : starts_of(link)) {
      for (std::string& path : meant_behind(pattern, link, std::string_view(link).substr(start))) {
        meant.insert(std::move(path));
      }
    }
  }
  for (const std::string& path : meant) {
    const LinkWay way = way_of(path);
    if (way.end != LinkWay::End::there) continue;
    const std::filesystem::path real(way.real);
    const auto holds = [&](const auto& root) { return lies_in(real, root) && real != root; };
    if (std::ranges::none_of(roots_, holds)) continue;
    std::error_code problem;
    const bool is_folder = std::filesystem::is_directory(real, problem);
    found.mounts.push_back(
        {is_folder ? GuardedMount::Kind::hidden_folder : GuardedMount::Kind::hidden_file,
         real.native()});
    const auto is_meant_from = [&](const std::size_t start) {
      return is_meant_by_any(unreadable_, std::string_view(way.real).substr(start));
    };
    // It needs no link to be found.
    if (std::ranges::any_of(starts_of(way.real), is_meant_from)) continue;
    found.behind_links.push_back(real.native());
    pin(real, GuardedMount::Meant::by_name, found);
    for (const std::string& each : way.links) pin(each, GuardedMount::Meant::by_name, found);
  }
}

// A pattern with a slash is about paths below any of the folders that the policy names, also where
// one of them lies in another.
std::vector<std::size_t> GuardedPaths::starts_of(const std::string& path) const {
  std::vector<std::size_t> starts;
  for (const auto& root : roots_) {
    const std::string& name = root.native();
    const std::size_t length = name == "/" ? 0 : name.size();
    const bool is_below = path.size() > length + 1 && path[length] == '/' &&
                          path.starts_with(std::string_view(name).substr(0, length));
    if (is_below && std::ranges::find(starts, length + 1) == starts.end())
      starts.push_back(length + 1);
  }
  return starts;
}

bool GuardedPaths::means(const std::string& pattern, const std::string& path) const {
  return std::ranges::any_of(starts_of(path), [&](const std::size_t start) {
    return is_meant(pattern, path.substr(start));
  });
}

// Whoever moves something changes the folders on both sides, and the folder that is moved: at least
// one of them is seen after that.
void GuardedPaths::notice(const std::string& path, const struct stat& status, Pass& pass) const {
  if (is_before(status.st_ctim, pass.began)) return;
  const auto own = pass.own_changes.find(path);
  if (own != pass.own_changes.end() && is_same(own->second, status.st_ctim)) return;
  pass.is_calm = false;
  pass.restless.insert(path);
}

// Somebody has moved or removed it, and may move it on.
void GuardedPaths::note_gone(const std::string& path, Pass& pass) {
  pass.is_calm = false;
  pass.restless.insert(path.substr(0, std::max<std::size_t>(path.rfind('/'), 1)));
}

const GuardedPaths::Folder& GuardedPaths::read(const std::string& path, const std::string& top,
                                               Pass& pass) {
  static const Folder kNone;
  struct stat status {};
  const bool is_seen = ::lstat(path.c_str(), &status) == 0;
  if (is_seen ? !S_ISDIR(status.st_mode) : errno == ENOENT || errno == ENOTDIR) {
    // It was there when the folder around it was read. A top may be a file.
    if (path.size() > top.size() + 1) note_gone(path, pass);
    return kNone;
  }
  if (is_seen) notice(path, status, pass);
  Folder& known = folders_[path];
  if (known.is_settled && known.device == status.st_dev && known.number == status.st_ino &&
      is_same(known.changed, status.st_ctim)) {
    return known;
  }
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  known = {status.st_dev, status.st_ino, status.st_ctim,
           now.tv_sec > status.st_ctim.tv_sec + kSettledSeconds};
  const std::unique_ptr<DIR, CloseListing> listing(is_seen ? ::opendir(path.c_str()) : nullptr);
  const auto hide_whole = [&]() -> const Folder& {
    known = {};
    if (path.size() > top.size()) {
      known.mounts.push_back({GuardedMount::Kind::hidden_folder, path});
      return known;
    }
    // What lies in it may be read or written all the same.
    for (const auto& root : roots_) {
      if (root != path && lies_in(root, path)) known.folders.push_back(root.native());
    }
    return known;
  };
  // A command may have made it unreadable, and may make it readable again with things in it that
  // nobody has seen.
  if (listing == nullptr) return hide_whole();
  // Of what is in it nothing is known but the names.
  if (::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) != 0) return hide_whole();
  const std::vector<std::size_t> starts = starts_of(path + "/?");
  NamesOfGit names_of_git;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string full = fmt::format("{}/{}", path, name);
    unsigned char type = entry->d_type;
    if (type == DT_UNKNOWN && ::lstat(full.c_str(), &status) == 0) {
      type = static_cast<unsigned char>(IFTODT(status.st_mode));
    }
    names_of_git.note(name, type);
    const bool is_folder = type == DT_DIR;
    if (!is_folder && type != DT_REG && type != DT_LNK) continue;
    // Who goes down step by step gets there, but nobody can look or mount there by a path.
    if (full.size() >= PATH_MAX) return hide_whole();
    const auto is_any = [&](const auto& condition) {
      return std::ranges::any_of(starts, [&](const std::size_t start) {
        const std::string below = full.substr(start);
        return std::ranges::any_of(
            unreadable_, [&](const std::string& pattern) { return condition(pattern, below); });
      });
    };
    const bool has_name = std::ranges::find(names_, name) != names_.end();
    const bool is_git = has_name && name == ".git";
    if (is_git) known.repositories.push_back(full);
    if (type == DT_LNK) {
      if (is_any(leads_on)) known.links.push_back(full);
      if (has_name) known.protected_links.push_back(full);
    } else if (is_any(is_meant)) {
      hide(full, known);
    } else if (has_name && is_writable(full)) {
      known.mounts.push_back({GuardedMount::Kind::read_only, full});
      // What git keeps has names of its own, and there is much of it.
      if (!is_git && is_folder) known.folders.push_back(full);
    } else if (is_folder) {
      known.folders.push_back(full);
    }
  }
  const bool is_own_folder =
      path.size() > top.size() && names_of_git.are_enough() &&
      std::ranges::find(names_, ".git") != names_.end() &&
      std::ranges::find(writable_, std::filesystem::path(path)) == writable_.end();
  if (is_own_folder) {
    known.repositories.push_back(path);
    if (is_writable(path)) known.mounts.push_back({GuardedMount::Kind::read_only, path});
  }
  // What was moved here after the first look at it, and before it was listed, was listed nowhere
  // else.
  if (::fstat(::dirfd(listing.get()), &status) == 0) notice(path, status, pass);
  return known;
}

void GuardedPaths::search(const std::filesystem::path& top, Pass& pass) {
  Found& found = pass.found;
  const std::string start = top == "/" ? "" : top.native();
  // Where there are too many, those near the top are known at least.
  std::vector<std::string> waiting{top.native()};
  for (std::size_t next = 0; next < waiting.size(); ++next) {
    if (next >= kMostFolders) {
      found.lacks(fmt::format("'{}' has more than {} folders", top.string(), kMostFolders));
      return;
    }
    const std::string path = std::move(waiting[next]);
    const Folder& folder = read(path, start, pass);
    found.mounts.insert(found.mounts.end(), folder.mounts.begin(), folder.mounts.end());
    for (const std::string& link : folder.links) hide_behind(link, found);
    pass.repositories.insert(folder.repositories.begin(), folder.repositories.end());
    pass.protected_links.insert(pass.protected_links.end(), folder.protected_links.begin(),
                                folder.protected_links.end());
    waiting.insert(waiting.end(), folder.folders.begin(), folder.folders.end());
  }
}

void GuardedPaths::search_all(Pass& pass) {
  if (folders_.size() > 2 * kMostFolders) folders_.clear();
  for (const auto& top : tops_) search(top, pass);
}

}  // namespace wright::sandbox
