#include "tools/undo/tree_snapshot.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <iterator>
#include <utility>

#include "core/file_descriptor.h"
#include "core/try.h"
#include "tools/files/tree_walk.h"
#include "tools/text/text_file.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

bool is_same(const FileStatus& one, const FileStatus& other) {
  return one.size == other.size && one.modified == other.modified && one.changed == other.changed &&
         one.number == other.number;
}

// Whether only its permissions, owner or names have changed: whatever writes moves `modified`.
bool has_same_content(const FileStatus& one, const FileStatus& other) {
  return one.size == other.size && one.modified == other.modified && one.number == other.number;
}

std::string target_of(const WalkEntry& entry) {
  std::array<char, PATH_MAX> target;
  const ssize_t length =
      ::readlinkat(entry.folder->get(), entry.name.c_str(), target.data(), target.size());
  return {target.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

mode_t mode_of(const WalkEntry& entry) {
  struct stat status {};
  const bool is_known =
      ::fstatat(entry.folder->get(), entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  return is_known ? status.st_mode & 07777 : 0;
}

std::shared_ptr<const std::string> content_of(const WalkEntry& entry) {
  const FileDescriptor file(::openat(entry.folder->get(), entry.name.c_str(),
                                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const auto length = read_fully(file.get(), text);
  if (!length || *length != text.size()) return {};
  return std::make_shared<const std::string>(std::move(text));
}

std::int64_t nanoseconds(std::int64_t seconds, std::int64_t rest) {
  return seconds * 1'000'000'000 + rest;
}

std::int64_t time_by(clockid_t clock) {
  struct timespec now {};
  ::clock_gettime(clock, &now);
  return nanoseconds(now.tv_sec, now.tv_nsec);
}

// Whatever has been done by then has an earlier stamp. That would not be so by the coarse clock:
// newer kernels stamp some files with the exact time, and those after them no earlier.
std::int64_t moment_now() { return time_by(CLOCK_REALTIME); }

// Whatever is done after this is stamped with a later time than `moment`. The clock for most files
// moves on every few milliseconds.
void wait_until_after(std::int64_t moment) {
  constexpr int kMostTries = 50;
  constexpr struct timespec kShort {.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int i = 0; i < kMostTries && time_by(CLOCK_REALTIME_COARSE) <= moment; ++i) {
    ::nanosleep(&kShort, nullptr);
  }
}

}  // namespace

bool TreeSnapshot::is_rule_file(std::string_view path) {
  return path == ".gitignore" || path.ends_with("/.gitignore");
}

// Nobody can set when a file was born or last changed. A file system that does not know when it was
// born knows when it was written: who moves a file does not write to it.
TreeSnapshot::Origin TreeSnapshot::origin_of(int folder, const std::string& name,
                                             std::int64_t since) {
  struct statx status {};
  if (::statx(folder, name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME,
              &status) != 0) {
    return Origin::moved;  // whatever it is, it is not known to be new
  }
  const auto at = [](const statx_timestamp& time) {
    return nanoseconds(time.tv_sec, time.tv_nsec);
  };
  if (at(status.stx_ctime) <= since) return Origin::untouched;
  const bool knows_birth = (status.stx_mask & STATX_BTIME) != 0;
  return at(knows_birth ? status.stx_btime : status.stx_mtime) <= since
             ? Origin::moved
             : Origin::made;
}

const TreeSnapshot::Seen* TreeSnapshot::file_at(const std::string& path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : &found->second;
}

std::set<std::uint64_t> TreeSnapshot::kept_numbers() const {
  std::set<std::uint64_t> numbers;
  for (const auto& [path, seen] : files_) {
    if (seen.content != nullptr && is_valid_utf8(path)) numbers.insert(seen.status.number);
  }
  return numbers;
}

std::set<std::uint64_t> TreeSnapshot::link_numbers() const {
  std::set<std::uint64_t> numbers;
  for (const auto& [path, link] : links_) {
    if (is_valid_utf8(path)) numbers.insert(link.number);
  }
  return numbers;
}

bool TreeSnapshot::has_rules_of(const TreeSnapshot& other) const {
  const auto rules = [](const TreeSnapshot& snapshot) {
    std::map<std::string_view, std::int64_t> found;
    for (const auto& [path, seen] : snapshot.files_) {
      if (is_rule_file(path)) found.emplace(path, seen.status.changed);
    }
    return found;
  };
  return rules(*this) == rules(other);
}

// Files that `earlier` has and that git ignores since: they are not gone.
Result<void> TreeSnapshot::add_what_is_ignored_now(const Workspace& workspace,
                                                   const SnapshotLimits& limits,
                                                   const TreeSnapshot& earlier) {
  for (const auto& [path, was] : earlier.files_) {
    if (files_.contains(path) || links_.contains(path)) continue;
    const auto file = workspace.open_file(path);
    if (!file || file->status.kind != EntryKind::file) continue;
    Seen seen{file->status, {}};
    if (is_same(was.status, file->status)) {
      seen.content = was.content;
    } else if (static_cast<std::size_t>(file->status.size) <= limits.file_bytes) {
      std::string text(static_cast<std::size_t>(file->status.size), '\0');
      const auto length = read_fully(file->descriptor.get(), text);
      if (length && *length == text.size()) {
        seen.content = std::make_shared<const std::string>(std::move(text));
      }
    }
    files_.emplace(path, std::move(seen));
  }
  return {};
}

Result<TreeSnapshot> TreeSnapshot::take(Moment moment, const Workspace& workspace,
                                        const SnapshotLimits& limits, const TreeSnapshot* earlier,
                                        const std::stop_token& stop) {
  TreeSnapshot snapshot;
  snapshot.begun_ = moment_now();
  const auto origin = [&](const WalkEntry& entry, bool is_known) {
    if (moment == Moment::before || is_known) return Origin::made;
    return origin_of(entry.folder->get(), entry.name, earlier->begun_);
  };
  const auto folder = TRY(workspace.open_folder("."));
  std::size_t bytes = 0;
  std::size_t others = 0;
  const WalkOptions options{
      .hidden = Hidden::visit, .sizes = Sizes::known, .extras = Extras::visit};
  const auto skipped = TRY(walk(workspace, folder, options, stop, [&](const WalkEntry& entry) {
    if (snapshot.files_.size() >= limits.files || others >= limits.files) {
      snapshot.is_partial_ = true;
      return Visited::end;
    }
    if (entry.kind != EntryKind::file) {
      ++others;
      if (entry.kind == EntryKind::link) {
        const bool is_old = earlier != nullptr && earlier->links_.contains(entry.path);
        snapshot.links_.emplace(entry.path, SeenLink{target_of(entry), entry.status.number,
                                                     origin(entry, is_old)});
        return Visited::proceed;
      }
      // What is in a folder that was moved is not stamped.
      const std::size_t slash = entry.path.rfind('/');
      const std::string above = slash == std::string::npos ? "" : entry.path.substr(0, slash);
      const bool is_known =
          earlier != nullptr &&
          (earlier->folders_.contains(entry.path) ||
           (snapshot.folders_.contains(above) && !earlier->folders_.contains(above)));
      if (origin(entry, is_known) == Origin::untouched) return Visited::proceed;
      if (entry.kind == EntryKind::folder) snapshot.folders_.emplace(entry.path, mode_of(entry));
      if (entry.kind == EntryKind::special) snapshot.specials_.insert(entry.path);
      return Visited::proceed;
    }
    Seen seen{entry.status, {}};
    const Seen* was = earlier != nullptr ? earlier->file_at(entry.path) : nullptr;
    seen.origin = origin(entry, was != nullptr && was->status.number == entry.status.number);
    const auto size = static_cast<std::size_t>(entry.status.size);
    if (size <= limits.file_bytes && bytes + size <= limits.bytes) {
      if (was != nullptr && was->content != nullptr && is_same(was->status, entry.status)) {
        seen.content = was->content;
      } else {
        seen.content = content_of(entry);
      }
      bytes += size;
    }
    snapshot.files_.emplace(entry.path, std::move(seen));
    return Visited::proceed;
  }));
  snapshot.ignored_ = skipped.ignored;
  if (moment == Moment::before) wait_until_after(snapshot.begun_);
  if (moment == Moment::after && !snapshot.is_partial_ && !snapshot.has_rules_of(*earlier)) {
    TRY(snapshot.add_what_is_ignored_now(workspace, limits, *earlier));
  }
  return snapshot;
}

bool TreeSnapshot::may_have_become_new(const TreeSnapshot& later) const {
  if (later.ignored_ < ignored_ || !has_rules_of(later)) return true;
  return std::ranges::any_of(files_, [&](const auto& file) {
    if (file.second.content != nullptr) return false;
    const auto found = later.files_.find(file.first);
    return found == later.files_.end() || !is_same(file.second.status, found->second.status);
  });
}

std::vector<std::string> TreeSnapshot::moved_into_sight(const TreeSnapshot& later) const {
  std::vector<std::string> paths;
  if (is_partial_) return paths;
  const auto kept = kept_numbers();
  for (const auto& [path, is] : later.files_) {
    if (is.origin == Origin::moved && !kept.contains(is.status.number)) paths.push_back(path);
  }
  return paths;
}

std::vector<StateChange> TreeSnapshot::changes_to(const TreeSnapshot& later) const {
  std::vector<StateChange> changes;
  const auto text = [](const Seen& seen) {
    return seen.content != nullptr ? *seen.content : std::string();
  };
  const auto kept = kept_numbers();
  for (const auto& [path, was] : files_) {
    const auto found = later.files_.find(path);
    // What a partial look does not find may still be there.
    if (found == later.files_.end() && later.is_partial_) continue;
    StateChange change{.path = path,
                       .before = text(was),
                       .mode = was.status.mode,
                       .is_kept = was.content != nullptr};
    if (found != later.files_.end()) {
      const Seen& is = found->second;
      if (is_same(was.status, is.status)) continue;
      // A command may have made it unreadable.
      const bool is_same_text = was.content != nullptr &&
                                (is.content != nullptr ? *was.content == *is.content
                                                       : has_same_content(was.status, is.status));
      const bool has_other_mode = was.status.mode != is.status.mode;
      if (is_same_text && !has_other_mode) continue;
      if (has_other_mode) change.mode_after = is.status.mode;
      change.after = is_same_text ? change.before : text(is);
      change.is_kept = change.is_kept && (is_same_text || is.content != nullptr);
      change.is_moved_in = is.origin != Origin::made && !kept.contains(is.status.number);
    }
    changes.push_back(std::move(change));
  }
  for (const auto& [path, is] : later.files_) {
    if (files_.contains(path) || is_partial_) continue;
    // A file that was moved, or whose folder was, is removed only where it is known how it comes back.
    if (is.origin != Origin::made && !kept.contains(is.status.number)) continue;
    changes.push_back({.path = path, .after = text(is), .is_kept = is.content != nullptr});
  }
  add_link_changes(later, changes);
  return changes;
}

void TreeSnapshot::add_link_changes(const TreeSnapshot& later,
                                    std::vector<StateChange>& changes) const {
  const auto add = [&](const std::string& path, std::optional<std::string> before,
                       std::optional<std::string> after) {
    changes.push_back({.path = path,
                       .before = std::move(before),
                       .after = std::move(after),
                       .kind = StateChange::Kind::link});
  };
  for (const auto& [path, was] : links_) {
    const auto found = later.links_.find(path);
    if (found == later.links_.end()) {
      if (!later.is_partial_) add(path, was.target, std::nullopt);
    } else if (found->second.target != was.target) {
      add(path, was.target, found->second.target);
    }
  }
  if (is_partial_) return;
  const auto known = link_numbers();
  for (const auto& [path, is] : later.links_) {
    const bool may_go = is.origin == Origin::made || known.contains(is.number);
    if (!links_.contains(path) && may_go) add(path, std::nullopt, is.target);
  }
}

std::vector<FolderChange> TreeSnapshot::folder_changes_to(const TreeSnapshot& later) const {
  std::vector<FolderChange> changes;
  if (is_partial_ || later.is_partial_) return changes;
  for (const auto& [path, mode] : folders_) {
    if (!later.folders_.contains(path)) changes.push_back({path, false});
  }
  for (const auto& [path, mode] : later.folders_) {
    if (!folders_.contains(path)) changes.push_back({path, true});
  }
  return changes;
}

std::vector<std::string> TreeSnapshot::folder_modes_changed_to(const TreeSnapshot& later) const {
  std::vector<std::string> paths;
  for (const auto& [path, mode] : folders_) {
    const auto now = later.folders_.find(path);
    if (now != later.folders_.end() && now->second != mode) paths.push_back(path);
  }
  return paths;
}

std::vector<std::string> TreeSnapshot::special_changes_to(const TreeSnapshot& later) const {
  std::vector<std::string> paths;
  if (is_partial_ || later.is_partial_) return paths;
  std::ranges::set_symmetric_difference(specials_, later.specials_, std::back_inserter(paths));
  return paths;
}

}  // namespace wright::tools
