// apply_patch: changes several files by one patch. A patch that does not fit somewhere, or cannot
// be written somewhere, changes nothing anywhere.
#include <fmt/format.h>

#include <map>
#include <set>

#include "core/try.h"
#include "tools/edit/file_changes.h"
#include "tools/edit/line_diff.h"
#include "tools/edit/patch_format.h"
#include "tools/edit/patch_text.h"
#include "tools/edit/preview.h"
#include "tools/file_tool_list.h"
#include "tools/files/similar_paths.h"
#include "tools/other_names.h"
#include "tools/output/output_budget.h"
#include "tools/text/text_file.h"
#include "wright/schema.h"

namespace wright::tools {

struct ApplyPatchArguments {
  std::string patch;
};
WRIGHT_DESCRIBE(
    ApplyPatchArguments,
    WRIGHT_FIELD(patch,
                 "*** Begin Patch, then for each file '*** Add File: path' (lines with + in "
                 "front), '*** Delete File: path' or '*** Update File: path' (optionally '*** Move "
                 "to: path', then hunks: '@@ a line above' and lines that begin with a blank "
                 "(context), - (removed) or + (added); '*** End of File' after a hunk ties it to "
                 "the end), then *** End Patch")
        .min_length(1))

namespace {

constexpr std::size_t kMaxPatchBytes = std::size_t{16} * 1024 * 1024;

// A file as it is on the disk, and as the patch has left it so far.
struct Draft {
  std::optional<ExistingFile> original;
  std::optional<std::string> content;
  std::optional<struct stat> like;  // the file that was moved here
};

struct Applied {
  FilePatch::Operation operation;
  std::string path;
  std::string new_path;
  UnifiedDiff diff;
  std::vector<std::string> notes = {};
};

// Carries a patch out in memory.
class Drafts {
 public:
  Drafts(const Workspace& workspace, std::stop_token stop)
      : workspace_(workspace), stop_(std::move(stop)) {}

  Result<Applied> apply(const FilePatch& file) {
    const auto path = TRY(workspace_.locate(file.path));
    const auto draft = TRY(load(path));
    switch (file.operation) {
      case FilePatch::Operation::add: return add(file, path, *draft);
      case FilePatch::Operation::remove: return remove(path, *draft);
      case FilePatch::Operation::update: return update(file, path, *draft);
    }
    return fail(ErrorCode::internal, "an operation without a meaning");
  }

  // A file may be deleted here and added there, with the mark in place of what was hidden in it.
  Result<void> check_hides_nothing_in_new_files() const {
    std::string all_before;
    for (const auto& [path, draft] : drafts_) {
      if (draft.original && !draft.content) all_before += draft.original->content;
    }
    for (const auto& [path, draft] : drafts_) {
      if (!draft.original && draft.content) {
        TRY(check_hides_nothing(path, all_before, *draft.content));
      }
    }
    return {};
  }

  // What has to happen on the disk in the end.
  std::vector<FileChange> changes() && {
    std::vector<FileChange> made;
    for (auto& [path, draft] : drafts_) {
      const bool was_there = draft.original.has_value();
      if (!was_there && !draft.content) continue;
      if (was_there && draft.content == draft.original->content) continue;
      FileChange change{path, std::move(draft.content), {}, draft.like};
      if (was_there) change.replaced = draft.original->status;
      made.push_back(std::move(change));
    }
    return made;
  }

 private:
  Result<Draft*> load(const std::string& path) {
    const auto known = drafts_.find(path);
    if (known != drafts_.end()) return &known->second;
    auto existing = TRY(read_for_change(workspace_, path));
    Draft draft{std::move(existing), {}, {}};
    if (draft.original) draft.content = draft.original->content;
    return &drafts_.emplace(path, std::move(draft)).first->second;
  }

  static std::unexpected<Error> taken(const std::string& path) {
    return fail(ErrorCode::already_exists,
                fmt::format("{} is already there; update it, or delete it first in the same patch",
                            shown_path(path)));
  }

  std::unexpected<Error> missing(const std::string& path) const {
    Error error{ErrorCode::not_found, fmt::format("There is no {}", shown_path(path)), {}};
    return std::unexpected(with_suggestions(std::move(error), workspace_, path, stop_));
  }

  static Result<Applied> add(const FilePatch& file, const std::string& path, Draft& draft) {
    if (draft.content) return taken(path);
    if (draft.original) TRY(check_hides_nothing(path, draft.original->content, file.content));
    draft.content = file.content;
    return Applied{file.operation, path, {}, unified_diff({{}, path}, {}, file.content)};
  }

  Result<Applied> remove(const std::string& path, Draft& draft) const {
    if (!draft.content) return missing(path);
    const std::string before = std::move(*draft.content);
    draft.content.reset();
    Applied applied{FilePatch::Operation::remove, path, {}, {}};
    if (!is_binary(before)) applied.diff = unified_diff({path, {}}, before, {});
    return applied;
  }

  Result<Applied> update(const FilePatch& file, const std::string& path, Draft& draft) {
    if (!draft.content) return missing(path);
    const std::string before = *draft.content;
    if (is_binary(before) && !file.hunks.empty()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} is not text; no lines of it can be changed", shown_path(path)));
    }
    auto after = apply_hunks(before, file.hunks);
    if (!after) {
      Error error = std::move(after).error();
      error.message = fmt::format("{}: {}", shown_path(path), error.message);
      return std::unexpected(std::move(error));
    }
    TRY(check_hides_nothing(path, before, after->text));
    std::string name = path;
    if (!file.new_path.empty()) {
      name = TRY(workspace_.locate(file.new_path));
    }
    Applied applied{file.operation, path, name == path ? std::string() : name,
                    unified_diff({path, name}, before, after->text), std::move(after->notes)};
    if (name == path) {
      draft.content = std::move(after->text);
      return applied;
    }
    const auto destination = TRY(load(name));
    if (destination->content) return taken(name);
    destination->content = std::move(after->text);
    destination->like = draft.original ? std::optional(draft.original->status) : draft.like;
    draft.content.reset();
    return applied;
  }

  const Workspace& workspace_;
  std::stop_token stop_;
  std::map<std::string, Draft> drafts_;
};

std::string_view operation_name(const Applied& applied) {
  switch (applied.operation) {
    case FilePatch::Operation::add: return "add";
    case FilePatch::Operation::remove: return "delete";
    case FilePatch::Operation::update: return applied.new_path.empty() ? "update" : "move";
  }
  return "update";
}

// A patch may name one file several times.
std::size_t count_files(const std::vector<Applied>& applied) {
  std::set<std::string_view> names;
  for (const Applied& each : applied) {
    names.insert(each.new_path.empty() ? each.path : each.new_path);
  }
  return names.size();
}

Json result_json(const std::vector<Applied>& applied) {
  JsonArray files;
  JsonArray notes;
  std::int64_t additions = 0;
  std::int64_t deletions = 0;
  constexpr std::size_t kFieldBytes = 100;
  const std::size_t budget = kOutputBudget / applied.size();
  for (const Applied& each : applied) {
    for (const std::string& note : each.notes) {
      notes.push_back(Json(fmt::format("{}: {}", shown_path(each.path), note)));
    }
    additions += each.diff.additions;
    deletions += each.diff.deletions;
    const std::size_t names = json_size(each.path) + json_size(each.new_path) + kFieldBytes;
    files.push_back(JsonObject{
        {"path", to_valid_utf8(each.path)},
        {"operation", operation_name(each)},
        {"new_path", each.new_path.empty() ? Json(nullptr) : Json(to_valid_utf8(each.new_path))},
        {"unified_diff", bounded_diff(each.diff.text, budget > names ? budget - names : 0)}});
  }
  const std::size_t changed = count_files(applied);
  const std::string message =
      fmt::format("Applied the patch: {} {} changed, {} lines added, {} removed", changed,
                  changed == 1 ? "file" : "files", additions, deletions);
  JsonObject result{{"success", true},
                    {"files_changed", std::move(files)},
                    {"total_additions", additions},
                    {"total_deletions", deletions},
                    {"message", message}};
  if (!notes.empty()) result["notes"] = std::move(notes);
  return result;
}

Result<std::vector<Applied>> apply_all(Drafts& drafts, const std::vector<FilePatch>& files,
                                       const std::stop_token& stop) {
  std::vector<Applied> applied;
  for (const FilePatch& file : files) {
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "The patch was cancelled");
    auto one = TRY(drafts.apply(file));
    applied.push_back(std::move(one));
  }
  TRY(drafts.check_hides_nothing_in_new_files());
  return applied;
}

Result<Json> apply_once(const Workspace& workspace, const std::vector<FilePatch>& files,
                        FileCalls& calls, const ChangeRecorder& recorder, const Context& context) {
  Drafts drafts(workspace, context.stop);
  const auto applied = TRY(apply_all(drafts, files, context.stop));
  const auto changes = std::move(drafts).changes();
  TRY(apply_recorded(workspace, "apply_patch", changes, MissingFolders::create, calls, recorder,
                     context));
  return result_json(applied);
}

Result<std::vector<FilePatch>> parsed(const ApplyPatchArguments& arguments) {
  if (arguments.patch.size() > kMaxPatchBytes) {
    return fail(ErrorCode::limit_reached,
                fmt::format("The patch is larger than {} MiB", kMaxPatchBytes / (1024 * 1024)));
  }
  return parse_patch(arguments.patch);
}

Result<Json> apply_patch(const Workspace& workspace, const ApplyPatchArguments& arguments,
                         FileCalls& calls, const ChangeRecorder& recorder, const Context& context) {
  const auto files = TRY(parsed(arguments));
  constexpr int kMaxTries = 4;
  for (int tries = 1;; ++tries) {
    auto result = apply_once(workspace, files, calls, recorder, context);
    if (result) return result;
    if (is_conflict(result.error()) && tries < kMaxTries) continue;
    Error error = std::move(result).error();
    error.message = "The patch was not applied, no file was changed. " + error.message;
    return std::unexpected(std::move(error));
  }
}

// What is left to say of a file where no line changes.
std::string note_of(const Applied& applied) {
  if (!applied.new_path.empty()) {
    return fmt::format("rename from {}\nrename to {}\n", applied.path, applied.new_path);
  }
  if (!applied.diff.text.empty()) return {};
  return fmt::format("{} {}\n", operation_name(applied), applied.path);
}

Result<std::string> patch_would_change(const Workspace& workspace, const Json& json) {
  const auto arguments = TRY(decode<ApplyPatchArguments>(json));
  const auto files = TRY(parsed(arguments));
  Drafts drafts(workspace, {});
  const auto applied = TRY(apply_all(drafts, files, {}));
  std::string diff;
  for (const Applied& each : applied) diff += note_of(each) + each.diff.text;
  for (const FileChange& change : std::move(drafts).changes()) {
    TRY(workspace.write_target(change.path));
  }
  return diff;
}

}  // namespace

Tool apply_patch_tool(SharedWorkspace workspace, SharedFileCalls calls, ChangeRecorder recorder) {
  Tool made = tool(
      "apply_patch",
      "Adds, changes, moves and deletes files below the base folder by one patch, and returns what "
      "changed as unified diffs. All or nothing: a patch that does not fit changes no file.",
      [workspace, calls = std::move(calls), recorder = std::move(recorder)](
          const ApplyPatchArguments& arguments, const Context& context) -> Result<Json> {
        return apply_patch(*workspace, arguments, *calls, recorder, context);
      },
      {.effect = Effect::write, .concurrency = Concurrency::serial});
  made.preview = [workspace = std::move(workspace)](const Json& arguments) {
    return preview_of_change(patch_would_change(*workspace, arguments), workspace->base());
  };
  static constexpr OtherName kNames[] = {{"input", "patch"}};
  return with_rewrite(std::move(made),
                      [](JsonObject& arguments) { rename_members(arguments, kNames); });
}

}  // namespace wright::tools
