// write_file: creates, overwrites or extends a file, or replaces a piece of it. What is in the
// file is at every moment either the old content or the new.
#include <fmt/format.h>

#include "core/try.h"
#include "tools/edit/file_changes.h"
#include "tools/edit/line_diff.h"
#include "tools/edit/preview.h"
#include "tools/edit/text_replacement.h"
#include "tools/file_tool_list.h"
#include "tools/other_names.h"
#include "tools/text/text_file.h"
#include "wright/schema.h"

namespace wright::tools {

struct WriteFileArguments {
  std::string path;
  std::optional<std::string> content;
  std::optional<std::string> search;
  std::optional<std::string> replace;
  bool replace_all = false;
  bool append = false;
  bool create_dirs = false;
  bool create_if_not_exists = true;
};
WRIGHT_DESCRIBE(
    WriteFileArguments, WRIGHT_FIELD(path, "Path of the file, relative to the base").min_length(1),
    WRIGHT_FIELD(content, "The whole content of the file; with append, what is added at its end"),
    WRIGHT_FIELD(search,
                 "Instead of content: text that is in the file exactly once, and is replaced"),
    WRIGHT_FIELD(replace, "What takes the place of search"),
    WRIGHT_FIELD(replace_all, "Replace search wherever it is").with_default(),
    WRIGHT_FIELD(append, "Add content at the end of the file").with_default(),
    WRIGHT_FIELD(create_dirs, "Make folders that are missing on the way").with_default(),
    WRIGHT_FIELD(create_if_not_exists, "false: write only to a file that is already there")
        .with_default())

namespace {

// What the file contains afterwards.
struct Intended {
  std::string content;
  std::int64_t bytes_written = 0;
  std::optional<std::int64_t> replacements;
};

Result<void> check(const WriteFileArguments& arguments) {
  const bool is_replacing = arguments.search || arguments.replace;
  const auto refuse = [](const char* why) { return fail(ErrorCode::invalid_argument, why); };
  if (arguments.content && is_replacing) {
    return refuse("Give either content, or search and replace, not both");
  }
  if (!arguments.content && !is_replacing) {
    return refuse("Give content, or search and replace");
  }
  if (is_replacing && !(arguments.search && arguments.replace)) {
    return refuse("search and replace belong together; an empty replace removes what was found");
  }
  if (is_replacing && arguments.append) {
    return refuse("append goes with content, not with search and replace");
  }
  return {};
}

// Pieces of text go only where they mean what they say.
Result<void> check_takes_text(const std::string& path, std::string_view content,
                              std::string_view what_is_not_done) {
  const bool is_utf16 = has_utf16_mark(content);
  if (!is_utf16 && !is_binary(content)) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} is {}; {}", shown_path(path),
                          is_utf16 ? "UTF-16, and not UTF-8" : "not text", what_is_not_done));
}

Result<Intended> new_content(const WriteFileArguments& arguments, const std::string& path,
                             const std::optional<ExistingFile>& existing) {
  if (!existing && (arguments.search || !arguments.create_if_not_exists)) {
    return fail(ErrorCode::not_found,
                fmt::format("There is no {}{}", shown_path(path),
                            arguments.search ? " in which something could be replaced"
                                             : ", and create_if_not_exists is false"));
  }
  if (arguments.search) {
    TRY(check_takes_text(path, existing->content, "nothing is replaced in it"));
    auto replaced = replace_text(existing->content, *arguments.search, *arguments.replace,
                                 arguments.replace_all ? Occurrences::all : Occurrences::only_one);
    if (!replaced) {
      Error error = std::move(replaced).error();
      error.message = fmt::format("{}: {}", shown_path(path), error.message);
      return std::unexpected(std::move(error));
    }
    const auto size = static_cast<std::int64_t>(replaced->text.size());
    return Intended{std::move(replaced->text), size, replaced->count};
  }
  if (arguments.append && existing) {
    TRY(check_takes_text(path, existing->content, "nothing is added to it"));
    const std::string added =
        has_dos_lines(existing->content) ? with_dos_lines(*arguments.content) : *arguments.content;
    return Intended{existing->content + added, static_cast<std::int64_t>(added.size()), {}};
  }
  // Who read the file has not seen its byte order mark.
  const bool has_mark = existing && existing->content.starts_with(kUtf8Mark) &&
                        !arguments.content->starts_with(kUtf8Mark);
  const std::string content = (has_mark ? std::string(kUtf8Mark) : "") + *arguments.content;
  return Intended{content, static_cast<std::int64_t>(content.size()), {}};
}

Result<Intended> intended(const WriteFileArguments& arguments, const std::string& path,
                          const std::optional<ExistingFile>& existing) {
  auto wanted = TRY(new_content(arguments, path, existing));
  TRY(check_hides_nothing(path, existing ? std::string_view(existing->content) : "", wanted.content));
  return wanted;
}

Result<Json> write_once(const Workspace& workspace, const WriteFileArguments& arguments,
                        const std::string& path, FileCalls& calls, const ChangeRecorder& recorder,
                        const Context& context) {
  const auto existing = TRY(read_for_change(workspace, path));
  auto wanted = TRY(intended(arguments, path, existing));
  const bool is_changed = !existing || existing->content != wanted.content;
  if (is_changed) {
    FileChange change{path, std::move(wanted.content), {}, {}};
    if (existing) change.replaced = existing->status;
    const auto missing = arguments.create_dirs ? MissingFolders::create : MissingFolders::refuse;
    TRY(apply_recorded(workspace, "write_file", std::span(&change, 1), missing, calls, recorder,
                       context));
  }
  JsonObject result{{"path", to_valid_utf8(path)},
                    {"success", true},
                    {"bytes_written", is_changed ? wanted.bytes_written : 0},
                    {"created", !existing.has_value()},
                    {"modified", existing.has_value() && is_changed}};
  if (wanted.replacements) result["replacements"] = *wanted.replacements;
  if (!is_changed) result["note"] = "The file already had this content.";
  return result;
}

// The file that is meant, in normal form, when the arguments make sense together.
Result<std::string> target_of(const Workspace& workspace, const WriteFileArguments& arguments) {
  TRY(check(arguments));
  auto path = workspace.locate(arguments.path);
  if (path && arguments.path.ends_with('/')) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("{} names a folder; give the path of a file", shown_path(arguments.path)));
  }
  return path;
}

Result<Json> write_file(const Workspace& workspace, const WriteFileArguments& arguments,
                        FileCalls& calls, const ChangeRecorder& recorder, const Context& context) {
  const auto path = TRY(target_of(workspace, arguments));
  // Two calls that write to one file at once come one after the other.
  constexpr int kMaxTries = 16;
  for (int tries = 1;; ++tries) {
    if (context.stop.stop_requested()) return fail(ErrorCode::cancelled, "Writing was cancelled");
    auto result = write_once(workspace, arguments, path, calls, recorder, context);
    if (result || !is_conflict(result.error()) || tries == kMaxTries) return result;
  }
}

Result<std::string> write_would_change(const Workspace& workspace, const Json& json) {
  const auto arguments = TRY(decode<WriteFileArguments>(json));
  const auto path = TRY(target_of(workspace, arguments));
  TRY(workspace.write_target(path));
  const auto existing = TRY(read_for_change(workspace, path));
  const auto wanted = TRY(intended(arguments, path, existing));
  const std::string_view before = existing ? std::string_view(existing->content) : "";
  if (is_binary(before) || is_binary(wanted.content)) {
    return fmt::format("{} is not text; {} bytes would become {}\n", shown_path(path),
                       before.size(), wanted.content.size());
  }
  if (!existing && wanted.content.empty()) return fmt::format("add {}\n", path);
  return unified_diff({existing ? std::string_view(path) : "", path}, before, wanted.content).text;
}

}  // namespace

Tool write_file_tool(SharedWorkspace workspace, SharedFileCalls calls, ChangeRecorder recorder) {
  Tool made = tool(
      "write_file",
      "Writes a text file below the base folder: all of it (content), more at its end (content "
      "with append), or one piece replaced by another (search and replace, exact to the blank). "
      "Either all is written or nothing.",
      [workspace, calls = std::move(calls), recorder = std::move(recorder)](
          const WriteFileArguments& arguments, const Context& context) -> Result<Json> {
        return write_file(*workspace, arguments, *calls, recorder, context);
      },
      {.effect = Effect::write, .concurrency = Concurrency::serial});
  made.preview = [workspace = std::move(workspace)](const Json& arguments) {
    return preview_of_change(write_would_change(*workspace, arguments), workspace->base());
  };
  static constexpr OtherName kNames[] = {{"file_path", "path"}};
  return with_rewrite(std::move(made),
                      [](JsonObject& arguments) { rename_members(arguments, kNames); });
}

}  // namespace wright::tools
