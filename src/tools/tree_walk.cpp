#include "tools/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "tools/ignore_scopes.h"

namespace wright::tools {
namespace {

struct Found {
  std::string name;
  EntryKind kind = EntryKind::special;
  FileStatus status = {};
};

// One folder on the way down.
struct Level {
  std::string inside;  // "" or "a/b/"
  std::vector<Found> entries;
  std::size_t next = 0;
  std::size_t scope_depth = 0;  // to go back to
};

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

EntryKind kind_of(unsigned char type) {
  switch (type) {
    case DT_REG: return EntryKind::file;
    case DT_DIR: return EntryKind::folder;
    case DT_LNK: return EntryKind::link;
    default: return EntryKind::special;
  }
}

// Orders names so that a walk in this order yields paths in the order of their bytes: a folder
// counts with the slash that follows its name.
bool comes_before(const Found& left, const Found& right) {
  const std::size_t both = std::min(left.name.size(), right.name.size());
  if (const int order = left.name.compare(0, both, right.name, 0, both); order != 0) {
    return order < 0;
  }
  const auto next = [both](const Found& entry) {
    if (entry.name.size() > both)
      return static_cast<int>(static_cast<unsigned char>(entry.name[both]));
    return entry.kind == EntryKind::folder ? int{'/'} : -1;
  };
  return next(left) < next(right);
}

class Walk {
 public:
  Walk(const Workspace& workspace, const Folder& folder, const WalkOptions& options,
       const std::stop_token& stop)
      : workspace_(workspace),
        folder_(folder),
        options_(options),
        stop_(stop),
        scopes_(workspace, folder.path()) {}

  Result<Skipped> run(const Visit& visit) {
    enter("");
    while (!levels_.empty()) {
      if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "The walk was cancelled");
      Level& level = levels_.back();
      if (level.next == level.entries.size()) {
        scopes_.leave_to(level.scope_depth);
        levels_.pop_back();
        continue;
      }
      const Found& found = level.entries[level.next++];
      const std::string inside = level.inside + found.name;
      if (found.kind == EntryKind::folder && options_.extent == Extent::tree) {
        enter(inside + "/");
        continue;
      }
      const std::string path = folder_.path_of(inside);
      if (visit({path, inside, found.kind, found.status}) == Visited::end) break;
    }
    return skipped_;
  }

 private:
  void enter(std::string inside) {
    auto descriptor = folder_.open_folder(inside.empty() ? "." : inside);
    if (!descriptor) {
      ++skipped_.unreadable;
      return;
    }
    const Directory directory(::fdopendir(descriptor->get()));
    if (directory == nullptr) {
      ++skipped_.unreadable;
      return;
    }
    descriptor->release();
    const int number = ::dirfd(directory.get());
    std::vector<Found> names = read_names(directory.get());
    Level level{std::move(inside), {}, 0, scopes_.depth()};
    enter_scopes(level.inside, names, number);
    for (Found& found : names) {
      if (is_visited(level.inside, found, number)) level.entries.push_back(std::move(found));
    }
    std::ranges::sort(level.entries, comes_before);
    levels_.push_back(std::move(level));
  }

  std::vector<Found> read_names(DIR* directory) {
    std::vector<Found> names;
    while (!stop_.stop_requested()) {
      errno = 0;
      const dirent* entry = ::readdir(directory);
      if (entry == nullptr) {
        if (errno != 0) ++skipped_.unreadable;
        break;
      }
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      names.push_back({std::string(name), kind_of(entry->d_type)});
      if (entry->d_type == DT_UNKNOWN) read_status(names.back(), ::dirfd(directory));
    }
    return names;
  }

  void enter_scopes(const std::string& folder, const std::vector<Found>& names, int descriptor) {
    const auto has = [&](std::string_view name) {
      return std::ranges::find(names, name, &Found::name) != names.end();
    };
    std::string path = folder_.path_of(folder);
    if (path.ends_with('/')) path.pop_back();
    scopes_.enter(path.empty() ? "." : path, descriptor,
                  {.has_gitignore = has(".gitignore"), .has_git = has(".git")});
  }

  // Decides on one entry, counts what is skipped, and learns what is asked about the others.
  bool is_visited(const std::string& above, Found& found, int folder) {
    if (found.name.starts_with('.') &&
        (options_.hidden == Hidden::leave_out || found.name == ".git")) {
      ++skipped_.hidden;
      return false;
    }
    const std::string inside = above + found.name;
    const std::string path = folder_.path_of(inside);
    if ((found.kind == EntryKind::folder && found.name == "node_modules") ||
        scopes_.ignores(path, found.kind)) {
      ++skipped_.ignored;
      return false;
    }
    if (found.kind == EntryKind::folder && options_.extent == Extent::tree) return true;
    if (found.kind == EntryKind::link) {
      if (options_.links == Links::refuse || !follow(found, path)) return false;
    } else if (found.kind == EntryKind::special) {
      ++skipped_.unreadable;
      return false;
    }
    if (options_.wanted && !options_.wanted(inside)) return false;
    if (options_.sizes == Sizes::known && found.status.kind == EntryKind::special) {
      const EntryKind expected = found.kind;
      if (!read_status(found, folder) || found.kind != expected) {
        ++skipped_.unreadable;
        return false;
      }
    }
    return true;
  }

  // Turns a link into what it leads to. False when the walk has no use for that.
  bool follow(Found& found, const std::string& path) {
    const auto target = workspace_.status(path);
    if (!target || target->kind == EntryKind::special) {
      ++skipped_.unreadable;
      return false;
    }
    if (target->kind == EntryKind::folder && options_.extent == Extent::tree) return false;
    found.kind = target->kind;
    found.status = *target;
    return true;
  }

  static bool read_status(Found& found, int folder) {
    struct stat status {};
    if (::fstatat(folder, found.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
    found.status = file_status(status);
    found.kind = found.status.kind;
    return true;
  }

  const Workspace& workspace_;
  const Folder& folder_;
  const WalkOptions& options_;
  const std::stop_token& stop_;
  IgnoreScopes scopes_;
  std::vector<Level> levels_;
  Skipped skipped_;
};

}  // namespace

Result<Skipped> walk(const Workspace& workspace, const Folder& folder, const WalkOptions& options,
                     const std::stop_token& stop, const Visit& visit) {
  return Walk(workspace, folder, options, stop).run(visit);
}

}  // namespace wright::tools
