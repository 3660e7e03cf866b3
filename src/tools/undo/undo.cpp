#include "tools/undo/undo.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/try.h"
#include "tools/edit/file_changes.h"
#include "tools/edit/line_diff.h"
#include "tools/text/text_file.h"

namespace wright::tools {
namespace {

using Verdict = UndoneFile::Verdict;
using History = std::vector<const StateChange*>;

// Whether the file is in a state that the agent has left it in.
bool is_of_agent(const History& history, const std::optional<std::string>& now) {
  return std::ranges::any_of(
      history, [&](const StateChange* change) { return change->is_kept && change->after == now; });
}

UndoneFile judged(const Workspace& workspace, const std::string& path, const History& history) {
  UndoneFile file{.path = path};
  const StateChange& first = *history.front();
  const auto existing = read_for_change(workspace, path);
  if (!existing) {
    file.why = existing.error().message;
    return file;
  }
  if (*existing) file.now = (*existing)->content;
  if (!first.is_kept) {
    file.why = "what it was before is not kept: it is too large, or there is too much";
    return file;
  }
  file.before = first.before;
  file.mode = first.mode;
  if (file.now == file.before) {
    file.verdict = Verdict::unchanged;
  } else if (!is_of_agent(history, file.now)) {
    file.why = file.now ? "it was changed since" : "it was removed since";
  } else if (!file.before) {
    file.verdict = Verdict::remove;
  } else {
    file.verdict = file.now ? Verdict::restore : Verdict::recreate;
  }
  return file;
}

bool is_done(const UndoneFile& file) {
  return file.verdict == Verdict::restore || file.verdict == Verdict::remove ||
         file.verdict == Verdict::recreate;
}

}  // namespace

bool UndoPlan::does_something() const {
  return std::ranges::any_of(files, is_done);
}

UndoPlan plan_undo(const Workspace& workspace, const std::vector<ChangeEntry>& entries) {
  UndoPlan plan;
  std::map<std::string, History> histories;
  std::set<std::string> gaps;
  for (const ChangeEntry& entry : entries) {
    if (entry.base != workspace.base()) {
      gaps.insert(fmt::format("changes in {} are not taken back from here", entry.base));
      continue;
    }
    if (!entry.gap.empty()) gaps.insert(fmt::format("of a call of {}: {}", entry.tool, entry.gap));
    for (const StateChange& change : entry.changes) histories[change.path].push_back(&change);
  }
  for (const auto& [path, history] : histories) {
    plan.files.push_back(judged(workspace, path, history));
  }
  plan.gaps.assign(gaps.begin(), gaps.end());
  return plan;
}

Result<void> carry_out(const UndoPlan& plan, const Workspace& workspace) {
  std::vector<FileChange> changes;
  for (const UndoneFile& file : plan.files) {
    if (!is_done(file)) continue;
    const auto existing = TRY(read_for_change(workspace, file.path));
    const bool is_as_shown = existing.has_value() == file.now.has_value() &&
                             (!existing || existing->content == file.now);
    if (!is_as_shown) {
      return fail(ErrorCode::unavailable,
                  fmt::format("{} was changed by somebody else meanwhile; nothing was taken back",
                              shown_path(file.path)));
    }
    FileChange change{file.path, file.before, {}, {}};
    if (existing) {
      change.replaced = existing->status;
    } else if (file.mode) {
      struct stat like {};
      like.st_mode = S_IFREG | *file.mode;
      like.st_uid = ::geteuid();
      like.st_gid = ::getegid();
      change.like = like;
    }
    changes.push_back(std::move(change));
  }
  if (changes.empty()) return {};
  FileCalls calls;
  return apply_changes(workspace, changes, MissingFolders::create, calls);
}

std::string diff_of(const UndoPlan& plan) {
  std::string text;
  for (const UndoneFile& file : plan.files) {
    if (file.verdict == Verdict::unchanged) continue;
    if (file.verdict == Verdict::refused && !file.before && !file.now) continue;
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
  return text;
}

}  // namespace wright::tools
