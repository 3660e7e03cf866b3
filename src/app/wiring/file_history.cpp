#include "app/wiring/file_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "app/wiring/coding_settings.h"
#include "core/enum_names.h"
#include "core/try.h"
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
  return fmt::format("+{} −{}", diff.additions, diff.deletions);
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

Result<FileHistory::Part> FileHistory::part_of(SessionId id,
                                               const std::optional<CallIds>& calls) const {
  Part part;
  if (!log_) return part;
  std::optional<SessionId> next = id;
  for (int forks = 0; next && forks < kMostForks; ++forks) {
    TRY(add_entries(*next, calls, 0, part.entries));
    const auto session = store_.get_session(*next);
    next = session ? session->forked_from : std::nullopt;
  }
  if (part.entries.empty()) return part;
  std::ranges::stable_sort(part.entries, {}, [](const tools::ChangeEntry& entry) {
    return std::pair(entry.at, entry.id);
  });
  const auto workspace = TRY(tools::Workspace::open({.base = base_, .writable = writable_}));
  part.plan = tools::plan_undo(workspace, part.entries);
  return part;
}

Result<void> FileHistory::add_entries(SessionId id, const std::optional<CallIds>& calls, int depth,
                                      std::vector<tools::ChangeEntry>& entries) const {
  auto own = TRY(log_->read(id));
  if (calls) {
    std::erase_if(own,
                  [&](const tools::ChangeEntry& entry) { return !calls->contains(entry.call_id); });
  }
  std::ranges::move(own, std::back_inserter(entries));
  if (depth >= kMostDepth) return {};
  const auto children = TRY(store_.list_sessions({.parent_session_id = id, .limit = kNoLimit}));
  if (children.empty()) return {};
  std::map<CallId, std::string> names;
  const auto rows = TRY(store_.get_tool_calls(id));
  for (const StoredCall& call : rows) names[call.id] = call.tool_call_id;
  for (const Session& child : children) {
    const bool is_wanted =
        !calls || (child.parent_call_id && calls->contains(names[*child.parent_call_id]));
    if (is_wanted) TRY(add_entries(child.id, std::nullopt, depth + 1, entries));
  }
  return {};
}

Result<void> FileHistory::take_back(const Part& part) {
  if (!log_ || part.is_empty()) return {};
  const auto workspace = TRY(tools::Workspace::open({.base = base_, .writable = writable_}));
  TRY(tools::carry_out(part.plan, workspace));
  std::map<SessionId, std::vector<std::int64_t>> undone;
  for (const tools::ChangeEntry& entry : part.entries) {
    undone[entry.session_id].push_back(entry.id);
  }
  for (const auto& [id, entries] : undone) TRY(log_->mark_undone(id, entries));
  return {};
}

void FileHistory::forget(SessionId id) {
  if (log_) log_->forget(id);
}

std::string shown_plan(const tools::UndoPlan& plan) {
  std::string text;
  for (const tools::UndoneFile& file : plan.files) {
    const bool is_refused = file.verdict == tools::UndoneFile::Verdict::refused;
    text += fmt::format("  {:<10} {}  {}\n", verb_of(file.verdict), tools::shown_path(file.path),
                        is_refused ? file.why : size_of(file));
  }
  for (const std::string& gap : plan.gaps) text += fmt::format("  · {}\n", gap);
  return text;
}

}  // namespace wright::app
