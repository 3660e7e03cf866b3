// What is taken back, and what is left alone: see undo.h.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <span>

#include "tools/edit/file_changes.h"
#include "tools/undo/named_entry.h"
#include "tools/undo/undo.h"

namespace wright::tools {
namespace {

using Verdict = UndoneFile::Verdict;
using Kind = StateChange::Kind;
using History = std::vector<const StateChange*>;

// Whether this change has left the file as it is now.
bool has_led_to(const StateChange& change, const UndoneFile& file) {
  return change.is_kept && change.after == file.now &&
         (!change.mode_after || !file.mode_now || *change.mode_after == *file.mode_now);
}

// Whether nobody else had a hand in the file between two changes. What was moved there from where
// nobody looks came from somebody else.
bool is_continued(const StateChange& earlier, const StateChange& later) {
  return !earlier.is_moved_in && earlier.after == later.before;
}

// The agent's changes of a file without anybody else's in between.
using ChangeRun = std::span<const StateChange* const>;

// The one that led to what is there now, or that began with it. Otherwise the last one. Nobody knows
// what was there before a change that is not kept: what came before that is left.
ChangeRun run_to_take_back(const History& history, const UndoneFile& file) {
  const auto unknown = std::ranges::find(history.rbegin(), history.rend(), false,
                                         [](const auto* change) { return change->is_kept; });
  const ChangeRun known(unknown == history.rend() ? history.begin() : unknown.base() - 1,
                        history.end());
  if (unknown != history.rend()) return known;
  std::vector<ChangeRun> runs;
  for (std::size_t begin = 0, end = 1; begin < known.size(); begin = end, ++end) {
    while (end < known.size() && is_continued(*known[end - 1], *known[end])) ++end;
    runs.push_back(known.subspan(begin, end - begin));
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
  // One that was gone meanwhile and made anew has those of a new file.
  const bool is_made_anew =
      std::ranges::any_of(run.subspan(1), [](const auto* each) { return !each->before; });
  // Permissions that a person has changed are the person's.
  if (has_other_mode || is_made_anew || !file.now) file.mode = first.mode;
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

// What does not come back may live on under the name that it was moved to: that stays. Where nobody
// knows what it was, all that the file has ever been counts: it may have been changed before it was
// moved.
void keep_only_copies(UndoPlan& plan, const std::map<std::string, History>& files) {
  std::set<std::string_view> lost;
  for (const UndoneFile& file : plan.files) {
    const auto found = files.find(file.path);
    if (file.kind != Kind::file || file.verdict != Verdict::refused || found == files.end()) continue;
    const auto add = [&](const std::optional<std::string>& content) {
      if (content && !content->empty()) lost.insert(*content);
    };
    add(found->second.front()->before);
    if (file.is_persons) continue;
    for (const StateChange* change : found->second) {
      add(change->before);
      add(change->after);
    }
  }
  for (UndoneFile& file : plan.files) {
    const bool goes = file.verdict == Verdict::remove || file.verdict == Verdict::restore;
    if (!goes || !file.now || !lost.contains(*file.now)) continue;
    file.verdict = Verdict::refused;
    file.why = "it may be the only copy of a file that does not come back";
  }
}

// Without it, there would be nothing at all.
void keep_links_in_place_of_files(UndoPlan& plan) {
  std::set<std::string_view> refused;
  for (const UndoneFile& file : plan.files) {
    if (file.kind == Kind::file && file.verdict == Verdict::refused) refused.insert(file.path);
  }
  for (UndoneFile& link : plan.files) {
    if (link.kind != Kind::link || !is_done(link) || !refused.contains(link.path)) continue;
    link.verdict = Verdict::refused;
    link.why = "it stands in for a file that does not come back";
  }
}

Leaving leaving_by(const UndoPlan& plan, const std::map<std::string, bool>& folders) {
  Leaving leaving;
  for (const auto& [path, is_made] : folders) {
    if (is_made) leaving.made_folders.insert(path);
  }
  for (const UndoneFile& file : plan.files) {
    const bool goes = file.verdict == Verdict::remove;
    if (goes || (file.kind == Kind::link && is_done(file))) leaving.paths.insert(file.path);
  }
  return leaving;
}

}  // namespace

bool is_done(const UndoneFile& file) {
  return file.verdict == Verdict::restore || file.verdict == Verdict::remove ||
         file.verdict == Verdict::recreate;
}

bool UndoPlan::does_something() const {
  return std::ranges::any_of(files, is_done) || !folders.empty();
}

bool UndoPlan::is_whole() const {
  return !leaves_folders && std::ranges::none_of(files, [](const UndoneFile& file) {
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
  keep_links_in_place_of_files(plan);
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
  const Leaving last = leaving_by(plan, folders);
  const bool is_any_removed =
      std::ranges::any_of(folders, [](const auto& folder) { return !folder.second; });
  for (const auto& [path, is_made] : folders) {
    const auto entry = entry_at(workspace, path);
    // What stands in its place, or above it, may be what goes.
    const bool is_cleared = !is_made && (last.paths.contains(path) || last.has_above(path));
    const bool is_there = !is_cleared && entry && *entry && (*entry)->is_there();
    if (!is_cleared && (!entry || is_there != is_made)) {
      if (!is_made && is_there && !(*entry)->is_folder()) {
        gaps.insert(fmt::format("the folder {} does not come back: something else stands there",
                                shown_path(path)));
      }
      continue;
    }
    if (is_made && !last.has_whole_folder(workspace, path)) {
      plan.leaves_folders = plan.leaves_folders || is_any_removed;
      gaps.insert(fmt::format("the folder {} stays: it holds what git ignores, what is not kept, or "
                              "what is somebody else's",
                              shown_path(path)));
      continue;
    }
    plan.folders.push_back({path, is_made});
  }
  std::ranges::sort(plan.files, {}, &UndoneFile::path);
  plan.gaps.assign(gaps.begin(), gaps.end());
  return plan;
}

}  // namespace wright::tools
