#include "sandbox/guarded_paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <iterator>
#include <memory>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/paths.h"
#include "core/text.h"
#include "core/try.h"
#include "sandbox/folder_moves.h"
#include "sandbox/git_paths.h"
#include "sandbox/link_way.h"
#include "sandbox/path_patterns.h"

namespace wright::sandbox {
namespace {

constexpr std::size_t kMostFolders = 20'000;
constexpr std::size_t kMostMounts = 5'000;
constexpr int kMostTries = 100;
constexpr int kMostLooks = 30;
constexpr int kStrictLooks = 8;
constexpr time_t kSettledSeconds = 2;

constexpr auto kByPath = GuardedMount::Meant::by_path;
constexpr auto kByName = GuardedMount::Meant::by_name;

struct CloseListing {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

bool is_same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool is_before(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

timespec clock_of_files() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}

}  // namespace

GuardedPaths::GuardedPaths(const SandboxPolicy& policy) {
  std::error_code ignored;
  for (const std::string& pattern : policy.unreadable) {
    const bool is_path = pattern.starts_with('/');
    if (is_path) hidden_.push_back(std::filesystem::path(pattern).lexically_normal());
    if (!is_path) unreadable_.push_back(pattern);
  }
  for (const auto& path : policy.write_paths) {
    const auto real = std::filesystem::canonical(path, ignored);
    if (!ignored) writable_.push_back(real);
  }
  for (const auto& path : policy.read_paths) {
    const auto real = std::filesystem::canonical(path, ignored);
    if (!ignored) roots_.push_back(real);
  }
  // Each is a place of its own for patterns, and read once.
  roots_.insert(roots_.end(), writable_.begin(), writable_.end());
  for (const auto& root : roots_) {
    const auto holds = [&](const auto& other) { return other != root && lies_in(root, other); };
    const bool is_known = std::ranges::find(tops_, root) != tops_.end();
    if (!is_known && std::ranges::none_of(roots_, holds)) tops_.push_back(root);
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
  std::error_code problem;
  for (const auto& folder : folders_in_git_file(file)) {
    const auto real = std::filesystem::canonical(folder, problem);
    // Not the top folder itself: then nothing could be written at all.
    if (problem || std::ranges::find(writable_, real) != writable_.end()) continue;
    if (is_writable(real)) mounts.push_back({GuardedMount::Kind::read_only, real.native()});
  }
}

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
    const auto way = way_of(path);
    if (!way) continue;
    const std::filesystem::path real(way->real);
    const auto holds = [&](const auto& root) { return lies_in(real, root) && real != root; };
    if (std::ranges::none_of(roots_, holds)) continue;
    std::error_code problem;
    const bool is_folder = std::filesystem::is_directory(real, problem);
    found.mounts.push_back(
        {is_folder ? GuardedMount::Kind::hidden_folder : GuardedMount::Kind::hidden_file,
         real.native()});
    const auto is_meant_from = [&](const std::size_t start) {
      return is_meant_by_any(unreadable_, std::string_view(way->real).substr(start));
    };
    // It needs no link to be found.
    if (std::ranges::any_of(starts_of(way->real), is_meant_from)) continue;
    found.behind_links.push_back(real.native());
    pin(real, kByName, found);
    for (const std::string& each : way->links) pin(each, kByName, found);
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
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string full = fmt::format("{}/{}", path, name);
    unsigned char type = entry->d_type;
    if (type == DT_UNKNOWN && ::lstat(full.c_str(), &status) == 0) {
      type = static_cast<unsigned char>(IFTODT(status.st_mode));
    }
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
    if (type == DT_LNK) {
      if (is_any(leads_on)) known.links.push_back(full);
    } else if (is_any(is_meant)) {
      hide(full, known);
    } else if (std::ranges::find(names_, name) != names_.end() && is_writable(full)) {
      known.mounts.push_back({GuardedMount::Kind::read_only, full});
      if (name == ".git" && !is_folder) add_git_folders(full, known.mounts);
      // What git keeps has names of its own, and there is much of it.
      if (name != ".git" && is_folder) known.folders.push_back(full);
    } else if (is_folder) {
      known.folders.push_back(full);
    }
  }
  // What was moved here after the first look at it, and before it was listed, was listed nowhere
  // else.
  if (::fstat(::dirfd(listing.get()), &status) == 0) notice(path, status, pass);
  return known;
}

void GuardedPaths::search(const std::filesystem::path& top, Pass& pass) {
  Found& found = pass.found;
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
    const Folder& folder = read(path, start, pass);
    found.mounts.insert(found.mounts.end(), folder.mounts.begin(), folder.mounts.end());
    for (const std::string& link : folder.links) hide_behind(link, found);
    waiting.insert(waiting.end(), folder.folders.begin(), folder.folders.end());
  }
}

void GuardedPaths::search_all(Pass& pass) {
  if (folders_.size() > 2 * kMostFolders) folders_.clear();
  for (const auto& top : tops_) search(top, pass);
}

// What leads to a protected path: if it were moved, the path would move with it. Also the path
// itself where it is a link.
void GuardedPaths::pin(const std::filesystem::path& path, GuardedMount::Meant meant,
                       Found& found) const {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) && is_writable(path)) {
    found.mounts.push_back({GuardedMount::Kind::pinned, path.native(), meant});
  }
  for (auto above = path.parent_path(); is_writable(above); above = above.parent_path()) {
    const bool is_top = std::ranges::find(writable_, above) != writable_.end();
    if (is_top || ::lstat(above.c_str(), &status) != 0) break;
    found.mounts.push_back({GuardedMount::Kind::pinned, above.native(), meant});
  }
}

Result<void> GuardedPaths::guard(const std::filesystem::path& path, Found& found) const {
  // Meanwhile other runs create and remove placeholders, and people anything they like.
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    const auto place = first_missing(path);
    if (place.empty()) {
      std::error_code problem;
      const auto real = std::filesystem::canonical(path, problem);
      // A top in other words: then nothing could be written at all.
      if (std::ranges::find(writable_, real) != writable_.end()) return {};
      if (!problem && is_writable(real)) {
        found.mounts.push_back({GuardedMount::Kind::read_only, real.native(), kByPath});
        pin(real, kByPath, found);
      }
      pin(path, kByPath, found);
      return {};
    }
    if (!is_writable(place)) return {};
    pin(place, kByPath, found);
    auto made = TRY(Placeholder::make(place));
    if (made.is_there()) {
      found.mounts.push_back({GuardedMount::Kind::hidden_folder, place.native(), kByPath});
      found.placeholders.push_back(std::move(made));
      return {};
    }
    // Nothing can be created there by any process of this user.
    struct stat status {};
    if (::lstat(place.c_str(), &status) != 0) return {};
  }
  return fail(
      ErrorCode::unavailable,
      fmt::format("Cannot protect '{}': it keeps appearing and disappearing", path.string()));
}

// Of the repositories at the tops and around them.
Result<void> GuardedPaths::guard_what_git_names(Found& found) const {
  std::vector<std::filesystem::path> repositories;
  for (const auto& path : paths_) {
    std::error_code problem;
    const bool is_there = std::filesystem::exists(std::filesystem::symlink_status(path, problem));
    if (path.filename() == ".git" && is_there) repositories.push_back(path);
  }
  if (std::ranges::find(names_, ".git") != names_.end()) {
    for (const auto& top : writable_)
      std::ranges::move(repositories_around(top), std::back_inserter(repositories));
  }
  std::set<std::filesystem::path> known;
  for (const auto& dot_git : repositories) {
    for (const auto& path : paths_named_by_git(dot_git)) {
      if (known.insert(path).second) TRY(guard(path, found));
    }
  }
  return {};
}

// What is not there is only kept from being made where it is protected as well: a folder would take
// its place meanwhile, and whoever owns it may make it at any time. What SQLite keeps beside a
// database is made in advance.
void GuardedPaths::hide_path(const std::filesystem::path& path, Found& found) const {
  make_beside_database(path, found);
  std::error_code problem;
  const auto real = std::filesystem::canonical(path, problem);
  if (problem) return;
  const auto holds = [&](const auto& root) { return lies_in(real, root) && real != root; };
  if (std::ranges::none_of(roots_, holds)) return;
  const bool is_folder = std::filesystem::is_directory(real, problem);
  found.mounts.push_back(
      {is_folder ? GuardedMount::Kind::hidden_folder : GuardedMount::Kind::hidden_file,
       real.native(), kByPath});
  pin(real, kByPath, found);
}

// To SQLite an empty file is as good as none: whatever a command put in its place would be read as
// part of the database. The two that belong to the write-ahead log stay until SQLite removes them:
// it may have opened them since. A journal is not used together with that log, and is removed.
void GuardedPaths::make_beside_database(const std::filesystem::path& path, Found& found) const {
  const std::string& name = path.native();
  const auto holds = [&](const auto& top) { return lies_in(path, top); };
  for (const std::string_view ending : {"-wal", "-shm", "-journal"}) {
    if (!name.ends_with(ending)) continue;
    const std::filesystem::path database = name.substr(0, name.size() - ending.size());
    const auto hides = [&](const auto& folder) { return folder != path && lies_in(path, folder); };
    std::error_code problem;
    if (std::ranges::find(hidden_, database) == hidden_.end() ||
        std::ranges::none_of(tops_, holds) || std::ranges::any_of(hidden_, hides) ||
        !std::filesystem::is_regular_file(database, problem)) {
      return;
    }
    if (ending != "-journal") {
      make_empty_beside(path, database);
    } else if (auto made = Placeholder::make_file(path, database); made.is_there()) {
      found.placeholders.push_back(std::move(made));
    }
  }
}

// After all has been found: what leads there must not have changed since.
void GuardedPaths::identify(Pass& pass) const {
  std::set<std::string> folders;
  struct stat status {};
  for (GuardedMount& mount : pass.found.mounts) {
    if (::lstat(mount.path.c_str(), &status) != 0) {
      note_gone(mount.path, pass);
      continue;
    }
    mount.file = {status.st_dev, status.st_ino};
    std::string above = mount.path.substr(0, mount.path.rfind('/'));
    const auto holds = [&](const auto& top) { return lies_in(above, top); };
    while (std::ranges::any_of(tops_, holds) && folders.insert(above).second) {
      above.resize(above.rfind('/'));
    }
  }
  for (const std::string& folder : folders) {
    if (::lstat(folder.c_str(), &status) == 0) notice(folder, status, pass);
  }
}

Result<GuardedPaths::Pass> GuardedPaths::pass() {
  Pass pass;
  Found& found = pass.found;
  pass.began = clock_of_files();
  for (const auto& path : hidden_) hide_path(path, found);
  for (const auto& path : paths_) TRY(guard(path, found));
  TRY(guard_what_git_names(found));
  for (const Placeholder& placeholder : found.placeholders) {
    const std::string folder = std::filesystem::path(placeholder.path()).parent_path().native();
    struct stat status {};
    if (::lstat(folder.c_str(), &status) == 0) pass.own_changes[folder] = status.st_ctim;
  }
  if (!names_.empty() || !unreadable_.empty()) {
    search_all(pass);
  }
  // Shorter paths first: the contents of a folder are mounted after it. What is hidden needs no
  // protection, and neither needs pinning.
  using Kind = GuardedMount::Kind;
  std::ranges::stable_sort(found.mounts, {}, [](const GuardedMount& mount) {
    const int rank = mount.kind == Kind::pinned ? 2 : mount.kind == Kind::read_only ? 1 : 0;
    return std::tuple(mount.path.size(), rank, mount.meant);
  });
  std::vector<GuardedMount> once;
  std::map<std::string, std::size_t> seen;
  std::set<std::string> hidden;
  for (GuardedMount& mount : found.mounts) {
    bool is_hidden = false;
    for (std::size_t end = mount.path.rfind('/'); end != std::string::npos && end > 0;
         end = mount.path.rfind('/', end - 1)) {
      is_hidden = is_hidden || hidden.contains(mount.path.substr(0, end));
    }
    if (is_hidden) continue;
    const auto [known, is_new] = seen.emplace(mount.path, once.size());
    if (!is_new) {
      GuardedMount& other = once[known->second];
      other.meant = std::min(other.meant, mount.meant);
      continue;
    }
    if (mount.kind == Kind::hidden_folder) hidden.insert(mount.path);
    once.push_back(std::move(mount));
  }
  found.mounts = std::move(once);
  found.is_complete = found.is_complete && found.mounts.size() <= kMostMounts;
  identify(pass);
  return pass;
}

// A folder that is moved while others are read can be missed wherever it is. What is built
// meanwhile does no harm, as long as no folder is moved: that is known of folders that were watched
// before the pass began. Where others keep changing, as new ones do in a build, it is taken for
// granted in the end.
Result<GuardedPaths::Found> GuardedPaths::look() {
  const std::lock_guard lock(mutex_);
  Pass last = TRY(pass());
  FolderMoves moves;
  std::set<std::string> watched;
  for (int count = 1; !last.is_calm && last.found.is_complete; ++count) {
    if (count == kMostLooks) {
      return fail(ErrorCode::unavailable,
                  "Folders keep being moved, so that what is protected or unreadable cannot be "
                  "found. Nothing runs before that ends");
    }
    for (const std::string& folder : last.restless) {
      if (watched.insert(folder).second) moves.watch(folder);
    }
    (void)moves.were_seen();
    Pass next = TRY(pass());
    const bool is_same = next.found.mounts == last.found.mounts && !moves.were_seen();
    const bool is_known = count > kStrictLooks || std::ranges::includes(watched, next.restless);
    last = std::move(next);
    if (is_same && is_known) break;
    ::poll(nullptr, 0, count);
  }
  return std::move(last.found);
}

GuardedPaths::BehindLinks GuardedPaths::behind_links() {
  const std::lock_guard lock(mutex_);
  Pass once;
  once.began = clock_of_files();
  search_all(once);
  return {std::move(once.found.behind_links), once.found.is_complete};
}

}  // namespace wright::sandbox
