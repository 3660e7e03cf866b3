#include "tools/undo/recording.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "core/try.h"
#include "tools/edit/change_journal.h"
#include "tools/edit/file_changes.h"
#include "tools/file_tool_list.h"
#include "tools/undo/tree_snapshot.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

// A name that JSON cannot hold is told of, not kept.
void make_tellable(StateChange& change) {
  if (is_valid_utf8(change.path)) return;
  change.path = to_valid_utf8(change.path);
  change.is_kept = false;
}

ChangeEntry entry_for(const Context& context, std::string_view tool, const Workspace& workspace) {
  return {.session_id = context.session_id,
          .call_id = std::string(context.call_id),
          .tool = std::string(tool),
          .base = workspace.base()};
}

Result<void> record(ChangeLog& log, const Workspace& workspace, std::string_view tool,
                    std::span<const FileChange> changes, const std::set<std::string>& made_folders,
                    const Context& context) {
  if (context.session_id == 0) return {};
  ChangeEntry entry = entry_for(context, tool, workspace);
  for (const FileChange& change : changes) {
    StateChange state{.path = change.path, .after = change.content};
    auto existing = TRY(read_for_change(workspace, change.path));
    if (existing) {
      state.mode = existing->status.st_mode & 07777;
      state.before = std::move(existing->content);
    }
    make_tellable(state);
    entry.changes.push_back(std::move(state));
  }
  for (const std::string& path : made_folders) {
    if (is_valid_utf8(path)) entry.folders.push_back({path, true});
  }
  return log.add(std::move(entry));
}

// What bash is wrapped in; all copies of the tool share it.
class CommandRecorder {
 public:
  CommandRecorder(Tool bash, Workspace workspace, SharedChangeLog log)
      : bash_(std::move(bash)), workspace_(std::move(workspace)), log_(std::move(log)) {}

  Result<ToolReply> run(const Json& arguments, const Context& context) {
    const bool is_looked_at =
        context.session_id != 0 && !(bash_.only_reads && bash_.only_reads(arguments));
    if (!is_looked_at) return bash_.function(arguments, context);
    const auto last = last_seen();
    const auto before = TRY(TreeSnapshot::take(TreeSnapshot::Moment::before, workspace_, {}, last.get(), context.stop));
    auto reply = bash_.function(arguments, context);
    // One that waits for a person has not run.
    if (reply && !std::holds_alternative<Output>(*reply)) return reply;
    // Also after a command that was stopped.
    auto after = TreeSnapshot::take(TreeSnapshot::Moment::after, workspace_, {}, &before, {});
    ChangeEntry entry = entry_for(context, bash_.spec.name, workspace_);
    if (!after) {
      // It has run, whatever can be seen of it.
      entry.gap = fmt::format("what it changed could not be looked at: {}", after.error().message);
      (void)log_->add(std::move(entry));
      return with_note(std::move(reply));
    }
    describe(before, *after, entry);
    remember(std::move(*after));
    if (entry.changes.empty() && entry.folders.empty() && entry.gap.empty()) return reply;
    return log_->add(std::move(entry)) ? std::move(reply) : with_note(std::move(reply));
  }

 private:
  using SharedSnapshot = std::shared_ptr<const TreeSnapshot>;

  static void describe(const TreeSnapshot& before, const TreeSnapshot& after, ChangeEntry& entry) {
    const auto say = [&](const std::string& gap) {
      entry.gap += entry.gap.empty() ? gap : "; " + gap;
    };
    const auto first_of = [](const std::vector<std::string>& paths) {
      return shown_path(paths.front()) + (paths.size() > 1 ? " and others" : "");
    };
    entry.changes = before.changes_to(after);
    const bool may_be_all_that_is_left = before.may_have_become_new(after);
    for (StateChange& change : entry.changes) {
      make_tellable(change);
      const bool is_new = change.kind == StateChange::Kind::file && !change.before &&
                          !TreeSnapshot::is_rule_file(change.path);
      if (is_new && may_be_all_that_is_left) change.is_kept = false;
    }
    entry.folders = before.folder_changes_to(after);
    std::erase_if(entry.folders,
                  [](const FolderChange& folder) { return !is_valid_utf8(folder.path); });
    if (before.is_partial() || after.is_partial()) {
      say("there are more files here than are looked at, so this may not be all");
    }
    if (const auto moved = before.moved_into_sight(after); !moved.empty()) {
      say(fmt::format("what was there before under another name stays where it is: {}",
                      first_of(moved)));
    }
    if (const auto folders = before.folder_modes_changed_to(after); !folders.empty()) {
      say(fmt::format("folders keep the permissions that they have now: {}", first_of(folders)));
    }
    if (const auto specials = before.special_changes_to(after); !specials.empty()) {
      say(fmt::format("pipes, sockets or devices came or went: {}", first_of(specials)));
    }
  }

  static Result<ToolReply> with_note(Result<ToolReply> reply) {
    if (reply) {
      std::get<Output>(*reply).notes.push_back(
          "What this command changed is not kept and cannot be taken back");
    }
    return reply;
  }

  SharedSnapshot last_seen() {
    const std::lock_guard lock(mutex_);
    return last_;
  }
  void remember(TreeSnapshot seen) {
    const std::lock_guard lock(mutex_);
    last_ = std::make_shared<const TreeSnapshot>(std::move(seen));
  }

  const Tool bash_;
  const Workspace workspace_;
  const SharedChangeLog log_;
  std::mutex mutex_;
  SharedSnapshot last_;  // its contents need not be read again
};

}  // namespace

Result<std::vector<Tool>> recorded_editing_tools(const FileAccess& access, SharedChangeLog log) {
  auto opened = TRY(Workspace::open(access));
  const auto workspace = std::make_shared<const Workspace>(std::move(opened));
  const auto calls = std::make_shared<FileCalls>();
  recover_changes(*workspace, *calls);
  const auto recorder = [log = std::move(log)](const Workspace& where, std::string_view tool,
                                               std::span<const FileChange> changes,
                                               const std::set<std::string>& made_folders,
                                               const Context& context) {
    return record(*log, where, tool, changes, made_folders, context);
  };
  return std::vector<Tool>{write_file_tool(workspace, calls, recorder),
                           apply_patch_tool(workspace, calls, recorder)};
}

Result<Tool> recorded_bash(Tool bash, const FileAccess& access, SharedChangeLog log) {
  auto workspace = TRY(Workspace::open(
      FileAccess{.base = access.base, .hidden = access.hidden, .unreadable = access.unreadable}));
  Tool recorded = bash;
  const auto recorder =
      std::make_shared<CommandRecorder>(std::move(bash), std::move(workspace), std::move(log));
  recorded.function = [recorder](const Json& arguments, const Context& context) {
    return recorder->run(arguments, context);
  };
  return recorded;
}

}  // namespace wright::tools
