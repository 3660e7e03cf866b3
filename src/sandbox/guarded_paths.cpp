#include "sandbox/guarded_paths.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/paths.h"
#include "core/try.h"
#include "sandbox/folder_moves.h"
#include "sandbox/git_index.h"
#include "sandbox/git_paths.h"
#include "sandbox/link_way.h"

namespace wright::sandbox {
namespace {

constexpr std::size_t kMostMounts = 5'000;
constexpr std::size_t kMostPlaceholders = 250;  // each is an open file
constexpr int kMostTries = 100;
constexpr int kMostLooks = 30;
constexpr int kStrictLooks = 8;

constexpr auto kByPath = GuardedMount::Meant::by_path;

timespec clock_of_files() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}

}  // namespace

void GuardedPaths::Found::lacks(std::string what) {
  if (too_much.empty()) too_much = std::move(what);
}

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

// Where it is missing, `missing` is made in its place; where it is what leads to it, always a
// folder.
Result<void> GuardedPaths::guard(const std::filesystem::path& path, Placeholder::Kind missing,
                                 Found& found) const {
  // Meanwhile other runs create and remove placeholders, and people anything they like.
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    const LinkWay way = way_of(path.native());
    const std::filesystem::path real(way.real);
    for (const std::string& link : way.links) pin(link, kByPath, found);
    // One of its links could only be replaced, and none can.
    if (way.end == LinkWay::End::nowhere) return {};
    // A top in other words: then nothing could be written at all.
    if (std::ranges::find(writable_, real) != writable_.end()) return {};
    const auto place = first_missing(real);
    if (place.empty()) {
      if (!is_writable(real)) return {};
      found.mounts.push_back({GuardedMount::Kind::read_only, real.native(), kByPath});
      pin(real, kByPath, found);
      return {};
    }
    if (!is_writable(place)) return {};
    if (found.placeholders.size() >= kMostPlaceholders) {
      found.lacks(fmt::format("more than {} protected paths are missing, '{}' is one of them",
                              kMostPlaceholders, place.string()));
      return {};
    }
    pin(place, kByPath, found);
    const bool is_last = place == real && way.end != LinkWay::End::missing_on_the_way;
    auto made = TRY(Placeholder::make(place, is_last ? missing : Placeholder::Kind::folder));
    if (made.is_there()) {
      // An empty file says no more than itself, and git must be able to read it.
      const bool is_file = made.kind() == Placeholder::Kind::file;
      found.mounts.push_back(
          {is_file ? GuardedMount::Kind::read_only : GuardedMount::Kind::hidden_folder,
           place.native(), kByPath});
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

// At the tops and around them.
std::set<std::filesystem::path> GuardedPaths::known_repositories() const {
  std::set<std::filesystem::path> repositories;
  for (const auto& path : paths_) {
    std::error_code problem;
    const bool is_there = std::filesystem::exists(std::filesystem::symlink_status(path, problem));
    if (path.filename() == ".git" && is_there) repositories.insert(path);
  }
  if (std::ranges::find(names_, ".git") != names_.end()) {
    for (const auto& top : writable_) {
      for (auto& each : repositories_around(top)) repositories.insert(std::move(each));
      if (is_git_folder(top)) repositories.insert(top);
    }
  }
  return repositories;
}

Result<void> GuardedPaths::guard_all(const GitPlaces& places, std::string_view whose,
                                     Found& found) const {
  for (const auto& folder : places.folders) TRY(guard(folder, Placeholder::Kind::folder, found));
  for (const auto& file : places.files) TRY(guard(file, Placeholder::Kind::file, found));
  if (!places.is_complete) found.lacks(fmt::format("{} names too much", whose));
  return {};
}

Result<void> GuardedPaths::guard_what_git_names(const std::filesystem::path& dot_git,
                                                Pass& pass) const {
  const GitPlaces places = places_named_by_git(dot_git, pass.git);
  const std::string settings = fmt::format("the repository '{}'", dot_git.string());
  TRY(guard_all(places, settings, pass.found));
  const auto submodules = submodules_in_index(places.index, places.hash, pass.git);
  if (!submodules) {
    pass.found.lacks(fmt::format("the index of {} is too large", settings));
    return {};
  }
  for (const std::string& path : *submodules) {
    const auto folder = places.worktree / path;
    // Where it is not checked out, git ends when it meets a `.git` that is no repository.
    std::error_code problem;
    const bool is_empty =
        std::filesystem::is_directory(std::filesystem::symlink_status(folder, problem)) &&
        first_missing(folder / ".git") == folder / ".git";
    TRY(guard(is_empty ? folder : folder / ".git", Placeholder::Kind::folder, pass.found));
  }
  return {};
}

Result<void> GuardedPaths::guard_tops_from_git(Pass& pass) const {
  Found& found = pass.found;
  std::error_code problem;
  if (std::ranges::find(names_, ".git") == names_.end()) return {};
  TRY(guard_all(places_of_the_person(pass.git), "your own configuration of git", found));
  for (const auto& top : writable_) {
    if (!std::filesystem::is_directory(top, problem)) continue;
    TRY(guard_all(places_at_top(top), fmt::format("the repository '{}'", top.string()), found));
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
  for (const auto& path : paths_) TRY(guard(path, Placeholder::Kind::folder, found));
  TRY(guard_tops_from_git(pass));
  const auto repositories = known_repositories();
  for (const auto& dot_git : repositories) TRY(guard_what_git_names(dot_git, pass));
  for (const Placeholder& placeholder : found.placeholders) {
    const std::string folder = std::filesystem::path(placeholder.path()).parent_path().native();
    struct stat status {};
    if (::lstat(folder.c_str(), &status) == 0) pass.own_changes[folder] = status.st_ctim;
  }
  if (!names_.empty() || !unreadable_.empty()) {
    search_all(pass);
    for (const auto& link : pass.protected_links) {
      TRY(guard(link, Placeholder::Kind::folder, found));
    }
    for (const auto& dot_git : pass.repositories) {
      if (!repositories.contains(dot_git)) TRY(guard_what_git_names(dot_git, pass));
    }
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
  if (found.mounts.size() > kMostMounts) {
    found.lacks(fmt::format("more than {} paths are protected or unreadable, '{}' is one of them",
                            kMostMounts, found.mounts.back().path));
  }
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
  for (int count = 1; !last.is_calm && last.found.is_complete(); ++count) {
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

GuardedPaths::Elsewhere GuardedPaths::elsewhere() {
  const std::lock_guard lock(mutex_);
  Pass once;
  once.began = clock_of_files();
  search_all(once);
  Elsewhere told{std::move(once.found.behind_links), {}, once.found.is_complete()};
  const auto tell = [&](const std::filesystem::path& path) {
    std::error_code problem;
    auto real = std::filesystem::weakly_canonical(path, problem);
    if (!real.has_filename()) real = real.parent_path();
    const auto holds = [&](const auto& root) { return real != root && lies_in(real, root); };
    if (!problem && std::ranges::any_of(roots_, holds)) told.of_git.push_back(real.native());
  };
  for (const auto& dot_git : once.repositories) {
    const GitPlaces places = places_named_by_git(dot_git, once.git);
    std::ranges::for_each(places.folders, tell);
    std::ranges::for_each(places.files, tell);
    told.is_complete = told.is_complete && places.is_complete;
  }
  return told;
}

}  // namespace wright::sandbox
