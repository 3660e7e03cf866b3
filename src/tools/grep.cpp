// grep: which lines of which files match a regular expression. Counts everything, shows the first.
#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "tools/file_tool_list.h"
#include "tools/file_types.h"
#include "tools/glob.h"
#include "tools/line_search.h"
#include "tools/output_budget.h"
#include "tools/similar_paths.h"
#include "tools/tree_walk.h"
#include "wright/describe.h"

namespace wright::tools {

enum class OutputMode : std::uint8_t { content, files, count };
WRIGHT_ENUM(OutputMode, content, files, count)

struct GrepArguments {
  std::string pattern;
  std::optional<std::string> path;
  std::optional<std::string> type;
  std::optional<std::string> glob;
  std::optional<bool> ignore_case;
  OutputMode output_mode = OutputMode::content;
  int limit = 100;
};
WRIGHT_DESCRIBE(
    GrepArguments,
    WRIGHT_FIELD(pattern,
                 "Regular expression (RE2: no look-around, no back-references), searched "
                 "line by line")
        .min_length(1),
    WRIGHT_FIELD(path, "File or folder to search, relative to the base; all of it when absent"),
    WRIGHT_FIELD(type, "Only files of this type: cpp, c, py, rust, js, ts, go, java, md, cmake, …")
        .min_length(1),
    WRIGHT_FIELD(glob,
                 "Only files that match: without a slash by name (*.h), with one by path below "
                 "the folder searched; a ! in front turns it round")
        .min_length(1),
    WRIGHT_FIELD(ignore_case, "Do not distinguish upper and lower case").named("-i"),
    WRIGHT_FIELD(output_mode,
                 "content: lines with their numbers; files: paths only; count: lines per file")
        .with_default(),
    WRIGHT_FIELD(limit, "How many lines (or files) to show at most")
        .at_least(1)
        .at_most(1000)
        .with_default())

namespace {

// Which files of a tree are searched.
class FileFilter {
 public:
  static Result<FileFilter> from(const GrepArguments& arguments) {
    FileFilter filter;
    if (arguments.type) filter.type_.emplace(*arguments.type);
    if (!arguments.glob) return filter;
    std::string_view pattern = *arguments.glob;
    filter.is_negated_ = pattern.starts_with('!');
    if (filter.is_negated_) pattern.remove_prefix(1);
    auto glob = Glob::parse(pattern);
    if (!glob) return std::unexpected(std::move(glob).error());
    filter.glob_ = std::move(*glob);
    return filter;
  }

  bool accepts(std::string_view path) const {
    if (type_ && !type_->matches(path)) return false;
    return !glob_ || glob_->matches(path) != is_negated_;
  }

  bool has_unknown_type() const { return type_ && !type_->is_known(); }

 private:
  std::optional<FileType> type_;
  std::optional<Glob> glob_;
  bool is_negated_ = false;
};

// Gathers what was found, file after file, and makes the answer of it.
class Findings {
 public:
  Findings(OutputMode mode, int limit) : mode_(mode), limit_(static_cast<std::size_t>(limit)) {}

  std::size_t lines_wanted() const {
    return mode_ == OutputMode::content && !is_full_ ? limit_ - shown_.size() : 0;
  }

  void add(const std::string& path, const FileMatches& matches) {
    if (matches.is_binary) {
      ++binary_;
      return;
    }
    ++files_searched_;
    if (matches.count == 0) return;
    ++files_with_matches_;
    total_matches_ += matches.count;
    const std::string name = to_valid_utf8(path);
    switch (mode_) {
      case OutputMode::content:
        for (const MatchedLine& line : matches.lines) show(name, line);
        break;
      case OutputMode::files: show(json_size(name), Json(std::string_view(name))); break;
      case OutputMode::count:
        show(json_size(name) + kCountBytes,
             JsonObject{{"file_path", name}, {"count", matches.count}});
        break;
    }
  }

  void add_unreadable() { ++unreadable_; }

  JsonObject result(const Skipped& skipped) && {
    const bool counts_lines = mode_ == OutputMode::content;
    const auto all = counts_lines ? total_matches_ : files_with_matches_;
    const auto shown = static_cast<std::int64_t>(shown_.size());
    JsonObject made{{counts_lines ? "matches" : "files", std::move(shown_)},
                    {"total_matches", total_matches_},
                    {"files_with_matches", files_with_matches_},
                    {"files_searched", files_searched_},
                    {"truncated", shown < all},
                    {"skipped", JsonObject{{"ignored", skipped.ignored},
                                           {"hidden", skipped.hidden},
                                           {"binary", binary_},
                                           {"unreadable", skipped.unreadable + unreadable_}}}};
    if (shown < all) {
      made["note"] = fmt::format("Only the first {} of {} {} are shown; narrow the search", shown,
                                 all, counts_lines ? "matching lines" : "files");
    }
    return made;
  }

 private:
  // Bytes of the field names and numbers around a shown thing.
  static constexpr std::size_t kLineBytes = 95;
  static constexpr std::size_t kCountBytes = 40;

  void show(const std::string& name, const MatchedLine& line) {
    show(json_size(name) + json_size(line.text) + kLineBytes,
         JsonObject{{"file_path", name},
                    {"line_number", line.number},
                    {"line_content", line.text},
                    {"match_start", line.match_start},
                    {"match_end", line.match_end}});
  }

  void show(std::size_t bytes, Json thing) {
    is_full_ = is_full_ || shown_.size() == limit_ || !budget_.take(bytes + 1);
    if (!is_full_) shown_.push_back(std::move(thing));
  }

  OutputMode mode_;
  std::size_t limit_;
  OutputBudget budget_;
  bool is_full_ = false;
  JsonArray shown_;
  std::int64_t total_matches_ = 0;
  std::int64_t files_with_matches_ = 0;
  std::int64_t files_searched_ = 0;
  std::int64_t binary_ = 0;
  std::int64_t unreadable_ = 0;
};

class Search {
 public:
  Search(const Workspace& workspace, const LinePattern& pattern, const GrepArguments& arguments,
         const std::stop_token& stop)
      : workspace_(workspace),
        stop_(stop),
        lines_(pattern),
        findings_(arguments.output_mode, arguments.limit) {}

  // A file that was named is searched whatever filters, rules and its name say.
  Result<JsonObject> in_file(const std::string& path) {
    const auto file = workspace_.open_file(path);
    if (!file) return std::unexpected(file.error());
    const auto matches = matches_in(*file);
    if (!matches && matches.error() == ECANCELED) return cancelled();
    if (!matches) {
      return fail(ErrorCode::storage,
                  fmt::format("'{}' cannot be read: {}", path,
                              std::generic_category().message(matches.error())));
    }
    findings_.add(path, *matches);
    return std::move(findings_).result({});
  }

  Result<JsonObject> in_folder(const std::string& path, const FileFilter& filter) {
    const auto folder = workspace_.open_folder(path);
    if (!folder) return std::unexpected(folder.error());
    const WalkOptions options{
        .wanted = [&](const std::string& inside) { return filter.accepts(inside); }};
    const auto skipped = walk(workspace_, *folder, options, stop_, [&](const WalkEntry& entry) {
      const auto file = folder->open_file(entry.inside);
      const auto matches = file ? matches_in(*file) : std::unexpected(file.error());
      if (matches) {
        findings_.add(entry.path, *matches);
      } else {
        findings_.add_unreadable();
      }
      return Visited::go_on;
    });
    if (!skipped) return cancelled();
    return std::move(findings_).result(*skipped);
  }

 private:
  static std::unexpected<Error> cancelled() {
    return fail(ErrorCode::cancelled, "The search was cancelled");
  }

  std::expected<FileMatches, int> matches_in(const OpenFile& file) {
    return lines_.search(file.descriptor.get(), file.status.size, findings_.lines_wanted(), stop_);
  }

  const Workspace& workspace_;
  const std::stop_token& stop_;
  LineSearch lines_;
  Findings findings_;
};

Result<Json> grep(const Workspace& workspace, const GrepArguments& arguments,
                  const std::stop_token& stop) {
  const auto pattern = LinePattern::compile(arguments.pattern, arguments.ignore_case.value_or(false)
                                                                   ? LetterCase::ignore
                                                                   : LetterCase::distinguish);
  if (!pattern) return std::unexpected(pattern.error());
  const auto filter = FileFilter::from(arguments);
  if (!filter) return std::unexpected(filter.error());
  const auto path = workspace.locate(arguments.path.value_or("."));
  if (!path) return std::unexpected(path.error());
  auto status = workspace.status(*path);
  if (!status) {
    return std::unexpected(with_suggestions(std::move(status).error(), workspace, *path, stop));
  }

  Search search(workspace, *pattern, arguments, stop);
  const bool is_folder = status->kind == EntryKind::folder;
  auto result = is_folder ? search.in_folder(*path, *filter) : search.in_file(*path);
  if (!result) return std::unexpected(std::move(result).error());
  if (is_folder && filter->has_unknown_type() && result->at("files_searched") == 0) {
    (*result)["note"] = fmt::format(
        "'{}' is not a known type, and there are no text files with that extension. Known types: "
        "{}",
        *arguments.type, known_file_types());
  }
  return std::move(*result);
}

}  // namespace

Tool grep_tool(SharedWorkspace workspace) {
  return tool(
      "grep",
      "Searches the text files below the base folder for a regular expression. Leaves out what "
      ".gitignore names, hidden and binary files, links and node_modules. Counts all matching "
      "lines and shows the first.",
      [workspace = std::move(workspace)](const GrepArguments& arguments, Context& context)
          -> Result<Json> { return grep(*workspace, arguments, context.stop); },
      {.effect = Effect::read});
}

}  // namespace wright::tools
