#include "app/wiring/file_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "app/wiring/coding_settings.h"
#include "app/wiring/store_identity.h"
#include "core/enum_names.h"
#include "core/try.h"
#include "tools/edit/file_changes.h"
#include "tools/edit/line_diff.h"
#include "tools/text/text_file.h"

namespace wright::app {
namespace {

constexpr int kMostForks = 100;
constexpr int kMostDepth = 8;

std::string_view verb_of(tools::UndoneFile::Verdict verdict) {
  using Verdict = tools::UndoneFile::Verdict;
  switch (verdict) {
    case Verdict::restore: return "restore";
    case Verdict::remove: return "remove";
    case Verdict::recreate: return "bring back";
    case Verdict::unchanged: return "as it was";
    case Verdict::refused: return "leave";
  }
  return "";
}

// What taking it back adds and removes.
std::string size_of(const tools::UndoneFile& file) {
  const std::string_view before = file.before ? std::string_view(*file.before) : "";
  const std::string_view now = file.now ? std::string_view(*file.now) : "";
  if (tools::is_binary(before) || tools::is_binary(now)) return "not text";
  const auto diff = tools::unified_diff({file.path, file.path}, now, before);
  // What it will have: see UndoPlan::gaps for the rest.
  constexpr mode_t kPermissions = 0777;
  const mode_t mode = file.mode.value_or(0) & kPermissions;
  const bool has_other_mode = file.mode && file.mode_now && mode != (*file.mode_now & kPermissions);
  return fmt::format("+{} −{}{}", diff.additions, diff.deletions,
                     has_other_mode ? fmt::format("  mode {:04o}", mode) : "");
}

// What the log has under the number of a session may be of another one: of a database that was
// there before, or that was brought back to an earlier moment. Clocks of a store and of this
// machine may differ a little; entries of earlier versions do not say which store they are of.
bool is_of(const tools::ChangeEntry& entry, const std::string& store,
           std::span<const StoredCall> rows) {
  if (!entry.store.empty() && entry.store != store) return false;
  constexpr std::int64_t kApartMs = 60'000;
  return std::ranges::any_of(rows, [&](const StoredCall& row) {
    return row.tool_call_id == entry.call_id && row.created_at <= entry.at + kApartMs;
  });
}

// Whether it says that what was to be written stood there already.
bool has_left_all_as_it_was(const StoredCall& row) {
  const JsonObject* said = row.response ? row.response->if_object() : nullptr;
  const auto is_no = [&](std::string_view key) {
    const Json* value = said != nullptr ? said->if_contains(key) : nullptr;
    return value != nullptr && *value == Json(false);
  };
  return is_no("created") && is_no("modified");
}

// Of tools whose every call that succeeds has changed files, unless it says otherwise; of commands
// nobody knows.
bool has_changed_files(const StoredCall& row) {
  if (row.status != CallStatus::completed) return false;
  return row.tool_name == "apply_patch" ||
         (row.tool_name == "write_file" && !has_left_all_as_it_was(row));
}

}  // namespace

FileHistory::FileHistory(const Settings& settings, Store& store)
    : store_(store), base_(settings.base_path()), writable_(settings.writable()) {
  if (auto folder = changes_folder(settings); !folder.empty()) {
    log_.emplace(tools::ChangeLogOptions{.folder = std::move(folder)});
  }
}

Result<FileHistory::Part> FileHistory::of_last_turn(SessionId id) const {
  const auto messages = TRY(store_.get_messages(id));
  const auto last = std::ranges::find_if(
      messages.rbegin(), messages.rend(),
      [](const StoredMessage& stored) { return stored.message.is_from_user(); });
  CallIds calls;
  for (auto each = messages.rbegin(); each != last; ++each) {
    for (const ToolCall& call : each->message.tool_calls()) calls.insert(call.id);
  }
  return part_of(id, calls);
}

Result<FileHistory::Part> FileHistory::of_session(SessionId id) const {
  return part_of(id, std::nullopt);
}

// Of the sessions that it came from, only what its own messages tell of, and what was done before
// it was made: they went on without it.
Result<FileHistory::Part> FileHistory::part_of(SessionId id,
                                               const std::optional<CallIds>& calls) const {
  Part part;
  std::optional<CallIds> known = calls;
  std::int64_t latest = std::numeric_limits<std::int64_t>::max();
  std::optional<SessionId> next = id;
  for (int forks = 0; next && forks < kMostForks; ++forks) {
    Part own;
    TRY(add_entries(*next, known, 0, own));
    std::erase_if(own.entries, [&](const tools::ChangeEntry& entry) { return entry.at > latest; });
    std::ranges::move(own.entries, std::back_inserter(part.entries));
    std::ranges::move(own.plan.gaps, std::back_inserter(part.plan.gaps));
    const auto session = store_.get_session(*next);
    next = session ? session->forked_from : std::nullopt;
    if (!next) break;
    latest = std::min(latest, session->started_at);
    if (known) continue;
    known.emplace();
    const auto messages = TRY(store_.get_messages(id));
    for (const StoredMessage& stored : messages) {
      for (const ToolCall& call : stored.message.tool_calls()) known->insert(call.id);
    }
  }
  if (part.entries.empty()) return part;
  std::ranges::stable_sort(part.entries, {}, [](const tools::ChangeEntry& entry) {
    return std::pair(entry.at, entry.id);
  });
  const auto workspace = TRY(tools::Workspace::open({.base = base_, .writable = writable_}));
  // What another process has left half done is no state to plan from.
  if (workspace.is_writable()) {
    tools::FileCalls files;
    TRY(tools::recover_first(workspace, files));
  }
  auto gaps = std::move(part.plan.gaps);
  part.plan = tools::plan_undo(workspace, part.entries);
  std::ranges::move(gaps, std::back_inserter(part.plan.gaps));
  return part;
}

// Where nothing was kept of what a session changed: that is no session that changed nothing.
Result<std::string> FileHistory::gap_of(SessionId id, const std::string& store,
                                        std::span<const StoredCall> rows) const {
  const auto changed = std::ranges::count_if(rows, has_changed_files);
  if (changed == 0) return std::string();
  CallIds kept;
  if (log_) kept = TRY(log_->calls(id, store));
  const bool is_kept = std::ranges::any_of(
      rows, [&](const StoredCall& row) { return kept.contains(row.tool_call_id); });
  if (is_kept) return std::string();
  return fmt::format(
      "session {} changed files ({} of write_file and apply_patch), and what they replaced is not "
      "kept here (it is kept where a session ran, beside its database, for a month, and not with "
      "agent.undo=false)",
      id, changed == 1 ? "one call" : fmt::format("{} calls", changed));
}

Result<void> FileHistory::add_entries(SessionId id, const std::optional<CallIds>& calls, int depth,
                                      Part& part) const {
  auto rows = store_.get_tool_calls(id);
  if (!rows && rows.error().code == ErrorCode::not_found) return {};  // the original of a copy
  if (!rows) return std::unexpected(std::move(rows).error());
  if (calls) {
    std::erase_if(*rows, [&](const StoredCall& row) { return !calls->contains(row.tool_call_id); });
  }
  const std::string store = find_store_identity(store_).value_or("");
  if (log_) {
    auto own = TRY(log_->read(id));
    std::erase_if(own,
                  [&](const tools::ChangeEntry& entry) { return !is_of(entry, store, *rows); });
    std::ranges::move(own, std::back_inserter(part.entries));
  }
  auto gap = TRY(gap_of(id, store, *rows));
  if (!gap.empty()) part.plan.gaps.push_back(std::move(gap));
  if (depth >= kMostDepth) return {};
  const auto children = TRY(store_.list_sessions({.parent_session_id = id, .limit = kNoLimit}));
  for (const Session& child : children) {
    const bool is_wanted =
        !calls || (child.parent_call_id &&
                   std::ranges::find(*rows, *child.parent_call_id, &StoredCall::id) != rows->end());
    if (is_wanted) TRY(add_entries(child.id, std::nullopt, depth + 1, part));
  }
  return {};
}

Result<void> FileHistory::take_back(const Part& part) {
  if (!log_ || part.is_empty()) return {};
  const auto workspace = TRY(tools::Workspace::open({.base = base_, .writable = writable_}));
  TRY(tools::carry_out(part.plan, workspace));
  // What was left alone can still be taken back when it is as the agent left it.
  std::map<SessionId, std::vector<std::int64_t>> whole;
  std::map<SessionId, std::vector<tools::ChangeLog::UndonePath>> some;
  for (const tools::ChangeEntry& entry : part.entries) {
    if (entry.base != workspace.base()) continue;
    const auto is_settled = [&](const tools::StateChange& change) {
      return tools::is_settled(part.plan, change);
    };
    if (std::ranges::all_of(entry.changes, is_settled)) {
      whole[entry.session_id].push_back(entry.id);
      continue;
    }
    for (const tools::StateChange& change : entry.changes) {
      if (is_settled(change))
        some[entry.session_id].push_back({entry.id, change.path, change.kind});
    }
  }
  for (const auto& [id, entries] : whole) TRY(log_->mark_undone(id, entries));
  for (const auto& [id, paths] : some) TRY(log_->mark_undone(id, paths));
  return {};
}

void FileHistory::forget(SessionId id) {
  if (log_) log_->forget(id);
}

std::string shown_plan(const tools::UndoPlan& plan) {
  std::string text;
  for (const tools::UndoneFile& file : plan.files) {
    const bool is_refused = file.verdict == tools::UndoneFile::Verdict::refused;
    if (!is_refused && file.kind == tools::StateChange::Kind::link) {
      text +=
          fmt::format("  {:<10} {}  link{}\n", verb_of(file.verdict), tools::shown_path(file.path),
                      file.before ? " to " + tools::shown_path(*file.before) : "");
      continue;
    }
    text += fmt::format("  {:<10} {}  {}\n", verb_of(file.verdict), tools::shown_path(file.path),
                        is_refused ? file.why : size_of(file));
  }
  for (const tools::FolderChange& folder : plan.folders) {
    text += fmt::format("  {:<10} {}  folder\n", folder.is_made ? "remove" : "bring back",
                        tools::shown_path(folder.path));
  }
  for (const std::string& gap : plan.gaps) text += fmt::format("  · {}\n", gap);
  return text;
}

}  // namespace wright::app
