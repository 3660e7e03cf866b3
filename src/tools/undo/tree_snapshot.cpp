#include "tools/undo/tree_snapshot.h"

#include <fcntl.h>
#include <sys/stat.h>
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

}  // namespace

Result<TreeSnapshot> TreeSnapshot::take(const Workspace& workspace, const SnapshotLimits& limits,
                                        const TreeSnapshot* earlier, const std::stop_token& stop) {
  TreeSnapshot snapshot;
  const auto folder = TRY(workspace.open_folder("."));
  std::size_t bytes = 0;
  std::size_t others = 0;
  const WalkOptions options{
      .hidden = Hidden::visit, .sizes = Sizes::known, .extras = Extras::visit};
  TRY(walk(workspace, folder, options, stop, [&](const WalkEntry& entry) {
    if (snapshot.files_.size() >= limits.files || others >= limits.files) {
      snapshot.is_partial_ = true;
      return Visited::end;
    }
    if (entry.kind != EntryKind::file) {
      ++others;
      if (entry.kind == EntryKind::link) snapshot.links_.emplace(entry.path, target_of(entry));
      if (entry.kind == EntryKind::folder) snapshot.folders_.insert(entry.path);
      if (entry.kind == EntryKind::special) snapshot.specials_.insert(entry.path);
      return Visited::proceed;
    }
    Seen seen{entry.status, {}};
    const auto size = static_cast<std::size_t>(entry.status.size);
    if (size <= limits.file_bytes && bytes + size <= limits.bytes) {
      const Seen* known = nullptr;
      if (earlier != nullptr) {
        const auto found = earlier->files_.find(entry.path);
        if (found != earlier->files_.end() && is_same(found->second.status, entry.status)) {
          known = &found->second;
        }
      }
      if (known != nullptr && known->content != nullptr) {
        seen = *known;
      } else {
        seen.content = content_of(entry);
      }
      bytes += size;
    }
    snapshot.files_.emplace(entry.path, std::move(seen));
    return Visited::proceed;
  }));
  return snapshot;
}

std::vector<StateChange> TreeSnapshot::changes_to(const TreeSnapshot& later) const {
  std::vector<StateChange> changes;
  const auto text = [](const Seen& seen) {
    return seen.content != nullptr ? *seen.content : std::string();
  };
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
    }
    changes.push_back(std::move(change));
  }
  for (const auto& [path, is] : later.files_) {
    if (files_.contains(path) || is_partial_) continue;
    changes.push_back({.path = path, .after = text(is), .is_kept = is.content != nullptr});
  }
  const auto add_link = [&](const std::string& path, std::optional<std::string> before,
                            std::optional<std::string> after) {
    changes.push_back({.path = path,
                       .before = std::move(before),
                       .after = std::move(after),
                       .kind = StateChange::Kind::link});
  };
  for (const auto& [path, target] : links_) {
    const auto found = later.links_.find(path);
    if (found == later.links_.end()) {
      if (!later.is_partial_) add_link(path, target, std::nullopt);
    } else if (found->second != target) {
      add_link(path, target, found->second);
    }
  }
  for (const auto& [path, target] : later.links_) {
    if (!links_.contains(path) && !is_partial_) add_link(path, std::nullopt, target);
  }
  return changes;
}

std::vector<FolderChange> TreeSnapshot::folder_changes_to(const TreeSnapshot& later) const {
  std::vector<FolderChange> changes;
  if (is_partial_ || later.is_partial_) return changes;
  for (const std::string& path : folders_) {
    if (!later.folders_.contains(path)) changes.push_back({path, false});
  }
  for (const std::string& path : later.folders_) {
    if (!folders_.contains(path)) changes.push_back({path, true});
  }
  return changes;
}

std::vector<std::string> TreeSnapshot::special_changes_to(const TreeSnapshot& later) const {
  std::vector<std::string> paths;
  if (is_partial_ || later.is_partial_) return paths;
  std::ranges::set_symmetric_difference(specials_, later.specials_, std::back_inserter(paths));
  return paths;
}

}  // namespace wright::tools
