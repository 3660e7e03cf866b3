#include "tools/undo/undo.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ranges>

#include "core/try.h"
#include "tools/edit/file_changes.h"
#include "tools/edit/line_diff.h"
#include "tools/text/text_file.h"
#include "tools/undo/named_entry.h"

namespace wright::tools {
namespace {

using Verdict = UndoneFile::Verdict;
using Kind = StateChange::Kind;

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

}  // namespace

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
    if (file.verdict == Verdict::refused && !file.before && !file.now) {
      text += fmt::format("{}: {}\n", shown_path(file.path), file.why);
      continue;
    }
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
