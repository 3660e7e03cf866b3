#include "tools/files/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <vector>

#include "tools/files/ignore_scopes.h"

namespace wright::tools {
namespace {

struct Found {
  std::string name;
  EntryKind kind = EntryKind::special;
  FileStatus status = {};
};

// One folder on the way down.
struct Level {
  std::string inside;  // relative to the folder that is walked: "" or "a/b/"
  std::string path;    // relative to the base: "" or "a/b/"
  SharedDescriptor folder;
  std::vector<Found> entries;
  std::size_t next = 0;
  std::size_t scope_depth = 0;  // to go back to
};

// How many folders on the way down are held open at once.
constexpr std::size_t kMaxOpenLevels = 64;

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

// Empty where the folder is where its path says.
std::string real_path_behind_links(const Workspace& workspace, const Folder& folder) {
  std::string real = folder.real_path();
  const std::string& path = folder.path();
  const bool is_there = path == "."             ? real == workspace.base()
                        : path.starts_with('/') ? real == path
                                                : real == workspace.base() + "/" + path;
  return is_there ? std::string() : real;
}

class Walk {
 public:
  Walk(const Workspace& workspace, const Folder& folder, const WalkOptions& options,
       const std::stop_token& stop)
      : workspace_(workspace),
        folder_(folder),
        options_(options),
        stop_(stop),
        real_(real_path_behind_links(workspace, folder)),
        scopes_(workspace, folder.path()) {}

  Result<Skipped> run(const Visit& visit) {
    if (auto descriptor = folder_.open_folder(".")) {
      enter("", folder_.path() == "." ? "" : folder_.path() + "/", std::move(*descriptor));
    } else {
      lose(folder_.path());
    }
    std::string path;
    while (!levels_.empty()) {
      if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "The walk was cancelled");
      Level& level = levels_.back();
      if (level.next == level.entries.size()) {
        scopes_.leave_to(level.scope_depth);
        levels_.pop_back();
        continue;
      }
      const Found& found = level.entries[level.next++];
      if (!is_open(level)) {
        lose(level.path + found.name);
        continue;
      }
      if (found.kind == EntryKind::folder && options_.extent == Extent::tree) {
        path.assign(level.path).append(found.name);
        if (options_.extras == Extras::visit &&
            visit({path, level.folder, found.name, found.kind, found.status}) == Visited::end) {
          break;
        }
        enter_below(level, found.name);
        continue;
      }
      path.assign(level.path).append(found.name);
      if (visit({path, level.folder, found.name, found.kind, found.status}) == Visited::end) break;
    }
    return skipped_;
  }

 private:
  // Opens a folder again that was closed because the way went too deep.
  bool is_open(Level& level) {
    if (level.folder != nullptr) return true;
    auto opened = folder_.open_folder(level.inside.empty() ? "." : level.inside);
    if (!opened) return false;
    level.folder = std::make_shared<const FileDescriptor>(std::move(*opened));
    return true;
  }

  void enter_below(const Level& level, const std::string& name) {
    if (level.path.size() + name.size() + 1 >= PATH_MAX) {
      lose(level.path + name);  // nobody could name what is in there
      return;
    }
    // The folder above was reached without leaving the base, so one step without a link stays in.
    const int number = ::openat(level.folder->get(), name.c_str(),
                                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (number < 0) {
      lose(level.path + name);
      return;
    }
    if (levels_.size() >= kMaxOpenLevels) levels_[levels_.size() - kMaxOpenLevels].folder.reset();
    enter(level.inside + name + "/", level.path + name + "/", FileDescriptor(number));
  }

  void enter(std::string inside, std::string path, FileDescriptor descriptor) {
    const int number = descriptor.get();
    std::vector<Found> names = read_names(number, path);
    Level level{std::move(inside),
                std::move(path),
                std::make_shared<const FileDescriptor>(std::move(descriptor)),
                {},
                0,
                scopes_.depth()};
    enter_scopes(level.path, names, number);
    std::erase_if(names, [&](Found& found) { return !is_visited(level, found); });
    std::ranges::sort(names, comes_before);
    level.entries = std::move(names);
    levels_.push_back(std::move(level));
  }

  std::vector<Found> read_names(int folder, const std::string& path) {
    std::vector<Found> names;
    while (!stop_.stop_requested()) {
      const ssize_t length = ::getdents64(folder, buffer_.get(), kBufferBytes);
      if (length < 0) lose(path.empty() ? "." : path.substr(0, path.size() - 1));
      if (length <= 0) break;
      for (ssize_t at = 0; at < length;) {
        const auto* entry = reinterpret_cast<const dirent64*>(buffer_.get() + at);
        at += entry->d_reclen;
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        names.push_back({std::string(name), kind_of(entry->d_type)});
        if (entry->d_type == DT_UNKNOWN) read_status(names.back(), folder);
      }
    }
    return names;
  }

  void enter_scopes(std::string_view path, const std::vector<Found>& names, int descriptor) {
    const auto has = [&](std::string_view name) {
      return std::ranges::find(names, name, &Found::name) != names.end();
    };
    if (path.ends_with('/')) path.remove_suffix(1);
    scopes_.enter(path.empty() ? "." : std::string(path), descriptor,
                  {.has_gitignore = has(".gitignore"), .has_git = has(".git")});
  }

  // Decides on one entry, counts what is skipped, and learns what is asked about the others.
  bool is_visited(const Level& level, Found& found) {
    if (found.name.starts_with('.') &&
        (options_.hidden == Hidden::leave_out || found.name == ".git")) {
      ++skipped_.hidden;
      return false;
    }
    path_.assign(level.path).append(found.name);
    if (is_hidden(level, found)) return false;
    if ((found.kind == EntryKind::folder && found.name == "node_modules") ||
        scopes_.ignores(path_, found.kind)) {
      ++skipped_.ignored;
      return false;
    }
    if (found.kind == EntryKind::folder && options_.extent == Extent::tree) return true;
    const bool is_extra = found.kind == EntryKind::link || found.kind == EntryKind::special;
    if (is_extra && options_.extras == Extras::visit) return true;
    if (found.kind == EntryKind::link) {
      if (!follow(found)) return false;
    } else if (found.kind == EntryKind::special) {
      skipped_.unreadable.add(path_);
      return false;
    }
    if (options_.wanted) {
      inside_.assign(level.inside).append(found.name);
      if (!options_.wanted(inside_)) return false;
    }
    if (options_.sizes == Sizes::known && found.status.kind == EntryKind::special) {
      const EntryKind expected = found.kind;
      if (!read_status(found, level.folder->get()) || found.kind != expected) {
        lose(path_);
        return false;
      }
    }
    return true;
  }

  // By its path, and by where it is when a link led to the folder that is walked.
  bool is_hidden(const Level& level, const Found& found) {
    if (workspace_.hides_in_shown_folder(path_)) return true;
    if (real_.empty()) return false;
    inside_.assign(real_).append("/").append(level.inside).append(found.name);
    return workspace_.hides_in_shown_folder(inside_);
  }

  // Turns the link at path_ into what it leads to. False when the walk has no use for that.
  bool follow(Found& found) {
    if (options_.links == Links::refuse) {
      skipped_.links.add(path_);
      return false;
    }
    const auto target = workspace_.status(path_);
    if (!target || target->kind == EntryKind::special) {
      skipped_.unreadable.add(path_);
      return false;
    }
    if (target->kind == EntryKind::folder && options_.extent == Extent::tree) {
      skipped_.links.add(path_);
      return false;
    }
    found.kind = target->kind;
    found.status = *target;
    return true;
  }

  void lose(const std::string& path) {
    skipped_.unreadable.add(path);
    skipped_.lost.add(path);
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
  const std::string real_;  // where the folder is, if links led there
  IgnoreScopes scopes_;
  std::vector<Level> levels_;
  Skipped skipped_;
  static constexpr std::size_t kBufferBytes = 64 * 1024;
  std::unique_ptr<char[]> buffer_ = std::make_unique_for_overwrite<char[]>(kBufferBytes);
  std::string path_;    // of the entry that is decided on
  std::string inside_;  // the same, relative to the folder that is walked, or where it is
};

JsonArray names_of(const LeftOut& left_out) {
  constexpr std::size_t kLongest = 200;
  JsonArray names;
  for (const std::string& path : left_out.paths) {
    const std::string valid = to_valid_utf8(path);
    const std::string_view start = utf8_prefix(valid, kLongest);
    names.emplace_back(fmt::format("{}{}", start, start.size() < valid.size() ? "…" : ""));
  }
  return names;
}

}  // namespace

void LeftOut::add(std::string path) {
  ++count;
  if (paths.size() < kMostNamed) paths.push_back(std::move(path));
}

void LeftOut::add(const LeftOut& others) {
  count += others.count;
  for (const std::string& path : others.paths) {
    if (paths.size() < kMostNamed) paths.push_back(path);
  }
}

JsonObject Skipped::json() const {
  JsonObject made{{"ignored", ignored}, {"hidden", hidden}, {"unreadable", unreadable.count}};
  if (unreadable.count > 0) made["unreadable_paths"] = names_of(unreadable);
  if (links.count > 0) {
    made["links"] = links.count;
    made["link_paths"] = names_of(links);
  }
  return made;
}

std::string missing_note(const LeftOut& lost) {
  if (lost.count == 0) return {};
  std::vector<std::string> names;
  for (const std::string& path : lost.paths) names.push_back(shown_path(path));
  return fmt::format(
      "{} could not be read ({}{}), so what is in {} is missing here.",
      lost.count == 1 ? std::string("One entry") : fmt::format("{} entries", lost.count),
      fmt::join(names, ", "), lost.count > std::ssize(lost.paths) ? ", …" : "",
      lost.count == 1 ? "it" : "them");
}

Result<Skipped> walk(const Workspace& workspace, const Folder& folder, const WalkOptions& options,
                     const std::stop_token& stop, const Visit& visit) {
  return Walk(workspace, folder, options, stop).run(visit);
}

}  // namespace wright::tools
