#include "tools/undo/tree_snapshot.h"

#include <fcntl.h>
#include <sys/stat.h>

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

std::shared_ptr<const std::string> content_of(const WalkEntry& entry, mode_t& mode) {
  const FileDescriptor file(::openat(entry.folder->get(), entry.name.c_str(),
                                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  mode = status.st_mode & 07777;
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
  const WalkOptions options{.hidden = Hidden::visit, .sizes = Sizes::known};
  TRY(walk(workspace, folder, options, stop, [&](const WalkEntry& entry) {
    if (entry.kind != EntryKind::file) return Visited::proceed;
    if (snapshot.files_.size() >= limits.files) {
      snapshot.is_partial_ = true;
      return Visited::end;
    }
    Seen seen{entry.status, 0, {}};
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
        seen.content = content_of(entry, seen.mode);
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
    StateChange change{.path = path, .before = text(was), .is_kept = was.content != nullptr};
    if (was.content != nullptr) change.mode = was.mode;
    if (found != later.files_.end()) {
      const Seen& is = found->second;
      if (is_same(was.status, is.status)) continue;
      if (was.content != nullptr && is.content != nullptr && *was.content == *is.content) continue;
      change.after = text(is);
      change.is_kept = change.is_kept && is.content != nullptr;
    }
    changes.push_back(std::move(change));
  }
  for (const auto& [path, is] : later.files_) {
    if (files_.contains(path) || is_partial_) continue;
    changes.push_back({.path = path, .after = text(is), .is_kept = is.content != nullptr});
  }
  return changes;
}

}  // namespace wright::tools
