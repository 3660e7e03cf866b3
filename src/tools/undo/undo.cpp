#include "tools/undo/undo.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <map>
#include <ranges>
#include <set>
#include <span>

#include "core/try.h"
#include "tools/edit/file_changes.h"
#include "tools/edit/line_diff.h"
#include "tools/text/text_file.h"

namespace wright::tools {
namespace {

using Verdict = UndoneFile::Verdict;
using Kind = StateChange::Kind;
using History = std::vector<const StateChange*>;

// A name in a folder that is held open.
struct NamedEntry {
  FileDescriptor folder;
  std::string name;

  // Where a link leads; nothing when there is no link.
  std::optional<std::string> target() const {
    std::array<char, PATH_MAX> text;
    const ssize_t length = ::readlinkat(folder.get(), name.c_str(), text.data(), text.size());
    if (length < 0) return std::nullopt;
    return std::string(text.data(), static_cast<std::size_t>(length));
  }
  bool is_there() const {
    struct stat status {};
    return ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  }
};

// Nothing where there is no such folder.
Result<std::optional<NamedEntry>> entry_at(const Workspace& workspace, const std::string& path) {
  const auto target = TRY(workspace.write_target(path));
  const std::size_t slash = target.inside.rfind('/');
  const bool is_nested = slash != std::string::npos;
  auto folder = open_beneath(target.root, is_nested ? target.inside.substr(0, slash) : ".",
                             O_RDONLY | O_DIRECTORY, Links::follow, target.resolver);
  if (!folder && folder.error() == ENOENT) return std::nullopt;
  if (!folder) return std::unexpected(workspace.path_error(folder.error(), path));
  NamedEntry entry{std::move(*folder), target.inside.substr(is_nested ? slash + 1 : 0)};
  TRY(workspace.may_write_in(target, entry.folder.get(), entry.name));
  return entry;
}

// Whether this change has left the file as it is now.
bool has_led_to(const StateChange& change, const UndoneFile& file) {
  return change.is_kept && change.after == file.now &&
         (!change.mode_after || !file.mode_now || *change.mode_after == *file.mode_now);
}

// Whether nobody else had a hand in the file between two changes. What was moved there from where
// nobody looks came from somebody else.
bool is_continued(const StateChange& earlier, const StateChange& later) {
  if (earlier.is_moved_in) return false;
  return !earlier.is_kept || !later.is_kept || earlier.after == later.before;
}

// The agent's changes of a file without anybody else's in between.
using ChangeRun = std::span<const StateChange* const>;

// The one that led to what is there now, or that began with it. Otherwise the last one.
ChangeRun run_to_take_back(const History& history, const UndoneFile& file) {
  std::vector<ChangeRun> runs;
  for (std::size_t begin = 0, end = 1; begin < history.size(); begin = end, ++end) {
    while (end < history.size() && is_continued(*history[end - 1], *history[end])) ++end;
    runs.push_back(ChangeRun(history).subspan(begin, end - begin));
  }
  const auto led = std::ranges::find_if(runs | std::views::reverse, [&](ChangeRun run) {
    return std::ranges::any_of(run, [&](const auto* each) { return has_led_to(*each, file); });
  });
  if (led != runs.rend()) return *led;
  const auto began = std::ranges::find_if(runs | std::views::reverse, [&](ChangeRun run) {
    return run.front()->is_kept && run.front()->before == file.now;
  });
  return began != runs.rend() ? *began : runs.back();
}

void judge(UndoneFile& file, const History& history) {
  const ChangeRun run = run_to_take_back(history, file);
  const StateChange& first = *run.front();
  if (!first.is_kept) {
    file.why = first.before ? "what it was before is not kept: it is too large, or there is too much"
                            : "it may hold what is left of a file that does not come back";
    return;
  }
  file.before = first.before;
  const bool has_other_mode =
      std::ranges::any_of(run, [](const auto* each) { return each->mode_after.has_value(); });
  // Permissions that a person has changed are the person's.
  if (has_other_mode || !file.now) file.mode = first.mode;
  const bool is_mode_back = !file.mode || !file.mode_now || *file.mode == *file.mode_now;
  const bool is_of_agent =
      std::ranges::any_of(run, [&](const auto* each) { return has_led_to(*each, file); });
  if (file.now == file.before && is_mode_back) {
    file.verdict = Verdict::unchanged;
  } else if (!is_of_agent) {
    file.why = file.now ? "it was changed since" : "it was removed since";
    file.is_persons = true;
  } else if (file.now && run.back()->is_moved_in && has_led_to(*run.back(), file)) {
    file.why = "what was moved there may be the only copy of a file that does not come back";
  } else if (!file.before) {
    file.verdict = Verdict::remove;
  } else {
    file.verdict = file.now ? Verdict::restore : Verdict::recreate;
  }
}

UndoneFile judged_link(const Workspace& workspace, const std::string& path,
                       const History& history) {
  UndoneFile link{.path = path, .kind = Kind::link};
  const auto entry = entry_at(workspace, path);
  if (!entry) {
    link.why = entry.error().message;
    return link;
  }
  if (*entry) link.now = (*entry)->target();
  judge(link, history);
  return link;
}

// `is_cleared`: what stands there, or above it, is the agent's, and goes first.
UndoneFile judged_file(const Workspace& workspace, const std::string& path, const History& history,
                       bool is_cleared) {
  UndoneFile file{.path = path};
  if (!is_cleared) {
    const auto existing = read_for_change(workspace, path);
    if (!existing) {
      file.why = existing.error().message;
      return file;
    }
    if (*existing) {
      file.now = (*existing)->content;
      file.mode_now = (*existing)->status.st_mode & 07777;
    }
  }
  judge(file, history);
  return file;
}

// What goes by the plan: links, files, and folders that the agent made and that are empty then.
struct Leaving {
  std::set<std::string> paths = {};  // of files and links
  std::set<std::string> made_folders = {};

  bool has_above(const std::string& path) const {
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      if (paths.contains(path.substr(0, slash))) return true;
    }
    return false;
  }

  // Whether a folder that the agent made stands there and all of it goes.
  bool has_whole_folder(const Workspace& workspace, const std::string& path) const {
    if (!made_folders.contains(path)) return false;
    const auto entry = entry_at(workspace, path);
    if (!entry || !*entry) return false;
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int opened = ::openat((*entry)->folder.get(), (*entry)->name.c_str(), flags);
    DIR* listing = opened < 0 ? nullptr : ::fdopendir(opened);
    if (listing == nullptr) {
      if (opened >= 0) ::close(opened);
      return false;
    }
    bool all = true;
    while (const dirent* each = all ? ::readdir(listing) : nullptr) {
      const std::string_view name = each->d_name;
      if (name == "." || name == "..") continue;
      const std::string inside = fmt::format("{}/{}", path, name);
      all = paths.contains(inside) || has_whole_folder(workspace, inside);
    }
    ::closedir(listing);
    return all;
  }
};

bool is_done(const UndoneFile& file) {
  return file.verdict == Verdict::restore || file.verdict == Verdict::remove ||
         file.verdict == Verdict::recreate;
}

std::unexpected<Error> changed_meanwhile(const std::string& path) {
  return fail(ErrorCode::unavailable,
              fmt::format("{} was changed by somebody else meanwhile; nothing was taken back",
                          shown_path(path)));
}

// A link that does not come back is put where people look.
Result<void> make_link(const Workspace& workspace, const UndoneFile& link) {
  const auto entry = TRY(entry_at(workspace, link.path));
  const bool is_made =
      entry && ::symlinkat(link.before->c_str(), entry->folder.get(), entry->name.c_str()) == 0;
  if (is_made) return {};
  return fail(ErrorCode::storage,
              fmt::format("The link {} to {} could not be made again; all else was taken back",
                          shown_path(link.path), shown_path(*link.before)));
}

// Removes the links that the agent made or changed. Those that are gone are in `removed`.
Result<void> remove_links(const UndoPlan& plan, const Workspace& workspace,
                          std::vector<UndoneFile>& removed) {
  for (const UndoneFile& link : plan.files) {
    if (link.kind != Kind::link || !is_done(link) || !link.now) continue;
    const auto entry = TRY(entry_at(workspace, link.path));
    if (!entry || entry->target() != link.now ||
        ::unlinkat(entry->folder.get(), entry->name.c_str(), 0) != 0) {
      return changed_meanwhile(link.path);
    }
    removed.push_back({.path = link.path, .before = link.now, .kind = Kind::link});
  }
  return {};
}

Result<void> make_folders(const UndoPlan& plan, const Workspace& workspace) {
  for (const FolderChange& folder : plan.folders) {
    if (folder.is_made) continue;
    const auto entry = TRY(entry_at(workspace, folder.path));
    const bool is_there = entry && ::mkdirat(entry->folder.get(), entry->name.c_str(), 0777) == 0;
    if (!is_there && !(entry && errno == EEXIST)) {
      return fail(ErrorCode::storage,
                  fmt::format("The folder {} could not be made again", shown_path(folder.path)));
    }
  }
  return {};
}

void remove_folders(const UndoPlan& plan, const Workspace& workspace) {
  for (const FolderChange& folder : plan.folders | std::views::reverse) {
    if (!folder.is_made) continue;
    const auto entry = entry_at(workspace, folder.path);
    // One that somebody has put something into stays.
    if (entry && *entry) {
      ::unlinkat((*entry)->folder.get(), (*entry)->name.c_str(), AT_REMOVEDIR);
    }
  }
}

enum class Part : std::uint8_t { all, removals, others };

Result<void> change_files(const UndoPlan& plan, Part part, const Workspace& workspace) {
  std::vector<FileChange> changes;
  for (const UndoneFile& file : plan.files) {
    if (file.kind != Kind::file || !is_done(file)) continue;
    const bool is_removal = file.verdict == Verdict::remove;
    if (part != Part::all && is_removal != (part == Part::removals)) continue;
    const auto existing = TRY(read_for_change(workspace, file.path));
    const bool is_as_shown = existing.has_value() == file.now.has_value() &&
                             (!existing || existing->content == file.now);
    if (!is_as_shown) return changed_meanwhile(file.path);
    FileChange change{file.path, file.before, {}, {}};
    if (existing) change.replaced = existing->status;
    if (file.mode && file.before) {
      struct stat like {};
      like.st_uid = existing ? existing->status.st_uid : ::geteuid();
      like.st_gid = existing ? existing->status.st_gid : ::getegid();
      like.st_mode = S_IFREG | *file.mode;
      change.like = like;
    }
    changes.push_back(std::move(change));
  }
  if (changes.empty()) return {};
  // When it comes to it, also those are as they should be that are not touched.
  const auto still_right = [&]() -> Result<void> {
    if (part == Part::removals) return {};  // the others are looked at when it is their turn
    for (const UndoneFile& file : plan.files) {
      if (file.kind != Kind::file || file.verdict != Verdict::unchanged) continue;
      const auto existing = TRY(read_for_change(workspace, file.path));
      const bool is_same = existing.has_value() == file.before.has_value() &&
                           (!existing || existing->content == file.before);
      if (!is_same) return changed_meanwhile(file.path);
    }
    return {};
  };
  FileCalls calls;
  return apply_changes(workspace, changes, MissingFolders::create, calls, still_right);
}

// Files that were removed so that others could come back, which they did not.
Result<void> put_back_removed(const UndoPlan& plan, const Workspace& workspace) {
  std::vector<FileChange> changes;
  for (const UndoneFile& file : plan.files) {
    if (file.kind != Kind::file || file.verdict != Verdict::remove || !file.now) continue;
    FileChange change{file.path, file.now, {}, {}};
    if (file.mode_now) {
      struct stat like {};
      like.st_uid = ::geteuid();
      like.st_gid = ::getegid();
      like.st_mode = S_IFREG | *file.mode_now;
      change.like = like;
    }
    changes.push_back(std::move(change));
  }
  FileCalls calls;
  if (changes.empty()) return {};
  return apply_changes(workspace, changes, MissingFolders::create, calls);
}

// The files of the plan, when its links are out of the way.
Result<void> take_back_files(const UndoPlan& plan, const Workspace& workspace) {
  if (!plan.makes_room_first) return change_files(plan, Part::all, workspace);
  TRY(change_files(plan, Part::removals, workspace));
  remove_folders(plan, workspace);
  auto done = change_files(plan, Part::others, workspace);
  if (done) return done;
  Error error = std::move(done).error();
  if (const auto back = put_back_removed(plan, workspace); !back) {
    error.message += ". Files that the agent made are gone meanwhile: " + back.error().message;
  }
  return std::unexpected(std::move(error));
}

std::string described(const UndoneFile& link) {
  const auto end = [](const std::optional<std::string>& target) {
    return target ? fmt::format("a link to {}", shown_path(*target)) : std::string("no link");
  };
  return fmt::format("{} was {} and is {}\n", shown_path(link.path), end(link.before),
                     end(link.now));
}

// What does not come back may live on under the name that it was moved to: that stays.
void keep_only_copies(UndoPlan& plan, const std::map<std::string, History>& files) {
  std::set<std::string_view> lost;
  for (const UndoneFile& file : plan.files) {
    if (file.kind != Kind::file || file.verdict != Verdict::refused) continue;
    const auto found = files.find(file.path);
    if (found == files.end()) continue;
    const StateChange& first = *found->second.front();
    if (first.before && !first.before->empty()) lost.insert(*first.before);
  }
  for (UndoneFile& file : plan.files) {
    if (file.verdict != Verdict::remove || !file.now || !lost.contains(*file.now)) continue;
    file.verdict = Verdict::refused;
    file.why = "it may be the only copy of a file that does not come back";
  }
}

}  // namespace

bool UndoPlan::does_something() const {
  return std::ranges::any_of(files, is_done) || !folders.empty();
}

bool UndoPlan::is_whole() const {
  return std::ranges::none_of(
      files, [](const UndoneFile& file) {
        return file.verdict == Verdict::refused && !file.is_persons;
      });
}

bool is_settled(const UndoPlan& plan, const StateChange& change) {
  return std::ranges::any_of(plan.files, [&](const UndoneFile& file) {
    return file.path == change.path && file.kind == change.kind && file.verdict != Verdict::refused;
  });
}

UndoPlan plan_undo(const Workspace& workspace, const std::vector<ChangeEntry>& entries) {
  UndoPlan plan;
  std::map<std::string, History> files;
  std::map<std::string, History> links;
  std::map<std::string, bool> folders;  // whether the first change made it
  std::set<std::string> gaps;
  for (const ChangeEntry& entry : entries) {
    if (entry.base != workspace.base()) {
      gaps.insert(fmt::format("changes in {} are not taken back from here", entry.base));
      continue;
    }
    if (!entry.gap.empty()) gaps.insert(fmt::format("of a call of {}: {}", entry.tool, entry.gap));
    for (const StateChange& change : entry.changes) {
      (change.kind == Kind::link ? links : files)[change.path].push_back(&change);
    }
    for (const FolderChange& folder : entry.folders) folders.emplace(folder.path, folder.is_made);
  }
  Leaving leaving;
  for (const auto& [path, is_made] : folders) {
    if (is_made) leaving.made_folders.insert(path);
  }
  for (const auto& [path, history] : links) {
    plan.files.push_back(judged_link(workspace, path, history));
    if (is_done(plan.files.back()) && plan.files.back().now) leaving.paths.insert(path);
  }
  const auto add_file = [&](const std::string& path, const History& history, bool is_cleared) {
    plan.files.push_back(
        judged_file(workspace, path, history, is_cleared || leaving.paths.contains(path)));
    const UndoneFile& file = plan.files.back();
    if (file.verdict == Verdict::remove) leaving.paths.insert(path);
    if (is_cleared && is_done(file)) plan.makes_room_first = true;
    if (is_done(file) && history.front()->is_kept && file.before != history.front()->before) {
      gaps.insert(fmt::format("{} goes back to what somebody else had made of it by then",
                              shown_path(path)));
    }
    constexpr mode_t kSetIds = 06000;  // which go when a file is written
    const mode_t mode = history.front()->mode.value_or(0);
    if (is_done(file) && file.before && (mode & kSetIds) != 0) {
      gaps.insert(
          fmt::format("{} had the mode {:04o}: set-user-id and set-group-id do not come back",
                      shown_path(path), mode));
    }
  };
  // By path, so that what stands above others is judged before them; but what comes back in place of a
  // folder when it is known what of that goes.
  for (const auto& [path, history] : files) {
    if (!leaving.made_folders.contains(path)) add_file(path, history, leaving.has_above(path));
  }
  for (const auto& [path, history] : files | std::views::reverse) {
    if (!leaving.made_folders.contains(path)) continue;
    add_file(path, history,
             leaving.has_above(path) || leaving.has_whole_folder(workspace, path));
  }
  keep_only_copies(plan, files);
  // A link comes back only where nothing stands, or what stands there goes.
  for (UndoneFile& link : plan.files) {
    if (link.kind != Kind::link || link.verdict != Verdict::recreate) continue;
    const auto entry = entry_at(workspace, link.path);
    const bool is_folder = leaving.has_whole_folder(workspace, link.path);
    const bool goes = is_folder || std::ranges::any_of(plan.files, [&](const UndoneFile& file) {
      return file.kind == Kind::file && file.path == link.path && file.verdict == Verdict::remove;
    });
    if (is_folder) plan.makes_room_first = true;
    if (entry && *entry && (*entry)->is_there() && !goes) {
      link.verdict = Verdict::refused;
      link.why = "something else stands there now";
    }
  }
  for (const auto& [path, is_made] : folders) {
    const auto entry = entry_at(workspace, path);
    const bool is_there = entry && *entry && (*entry)->is_there();
    if (entry && is_there == is_made) plan.folders.push_back({path, is_made});
  }
  std::ranges::sort(plan.files, {}, &UndoneFile::path);
  plan.gaps.assign(gaps.begin(), gaps.end());
  return plan;
}

Result<void> carry_out(const UndoPlan& plan, const Workspace& workspace) {
  std::vector<UndoneFile> removed;
  auto done = remove_links(plan, workspace, removed);
  if (done) done = take_back_files(plan, workspace);
  if (!done) {
    for (const UndoneFile& link : removed) (void)make_link(workspace, link);
    return done;
  }
  TRY(make_folders(plan, workspace));
  for (const UndoneFile& link : plan.files) {
    if (link.kind == Kind::link && is_done(link) && link.before) TRY(make_link(workspace, link));
  }
  remove_folders(plan, workspace);
  return {};
}

std::string diff_of(const UndoPlan& plan) {
  std::string text;
  for (const UndoneFile& file : plan.files) {
    if (file.verdict == Verdict::unchanged) continue;
    if (file.verdict == Verdict::refused && !file.before && !file.now) continue;
    if (file.kind == Kind::link) {
      text += described(file);
      continue;
    }
    if (file.mode && file.mode_now && *file.mode != *file.mode_now) {
      text += fmt::format("{} had mode {:04o} and has {:04o}\n", shown_path(file.path), *file.mode,
                          *file.mode_now);
    }
    if (file.before == file.now) continue;
    const std::string_view before = file.before ? std::string_view(*file.before) : "";
    const std::string_view now = file.now ? std::string_view(*file.now) : "";
    if (is_binary(before) || is_binary(now)) {
      text += fmt::format("{} is not text: {} bytes became {}\n", shown_path(file.path),
                          before.size(), now.size());
      continue;
    }
    if (before.empty() && now.empty()) {
      text += fmt::format("{} {}\n", file.before ? "removed" : "added", shown_path(file.path));
      continue;
    }
    text += unified_diff({file.before ? std::string_view(file.path) : "",
                          file.now ? std::string_view(file.path) : ""},
                         before, now)
                .text;
  }
  for (const FolderChange& folder : plan.folders) {
    text += fmt::format("the folder {} was {}\n", shown_path(folder.path),
                        folder.is_made ? "made" : "removed");
  }
  return text;
}

}  // namespace wright::tools
