// grep: which lines of which files match a regular expression. Counts everything, shows the first.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/firm_bounds.h"
#include "core/try.h"
#include "tools/file_tool_list.h"
#include "tools/files/file_types.h"
#include "tools/files/glob.h"
#include "tools/files/similar_paths.h"
#include "tools/files/tree_walk.h"
#include "tools/other_names.h"
#include "tools/output/output_budget.h"
#include "tools/search/line_search.h"
#include "tools/search/ordered_search.h"
#include "wright/schema.h"

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
  std::optional<int> after;
  std::optional<int> before;
  std::optional<int> around;
  bool multiline = false;
  int limit = 100;
  std::optional<std::string> exclude_pattern;
  std::optional<std::int64_t> max_files_searched;
  bool recursive = true;
  bool include_line_numbers = true;
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
                 "the folder searched; a ! in front turns it round and also counts for folders")
        .min_length(1),
    WRIGHT_FIELD(ignore_case, "Do not distinguish upper and lower case").named("-i"),
    WRIGHT_FIELD(output_mode,
                 "content: lines with their numbers; files: paths only; count: lines per file")
        .with_default(),
    WRIGHT_FIELD(after, "Lines to show after each match").named("-A").at_least(0).at_most(50),
    WRIGHT_FIELD(before, "Lines to show before each match").named("-B").at_least(0).at_most(50),
    WRIGHT_FIELD(around, "Lines to show before and after").named("-C").at_least(0).at_most(50),
    WRIGHT_FIELD(multiline, "Matches may go over several lines, and . matches line breaks")
        .with_default(),
    WRIGHT_FIELD(limit, "How many lines (or files) to show at most")
        .at_least(1)
        .at_most(1000)
        .with_default(),
    WRIGHT_FIELD(exclude_pattern, "Only files that do not match this glob").min_length(1),
    WRIGHT_FIELD(max_files_searched, "How many files to search at most").at_least(1),
    WRIGHT_FIELD(recursive, "false: only files directly in path").with_default(),
    WRIGHT_FIELD(include_line_numbers, "false: leave line numbers out").with_default())

namespace {

// Which files of a tree are searched.
class FileFilter {
 public:
  static Result<FileFilter> from(const GrepArguments& arguments) {
    FileFilter filter;
    if (arguments.type) filter.type_.emplace(*arguments.type);
    Result<void> added;
    if (arguments.glob) {
      const bool is_negated = arguments.glob->starts_with('!');
      added = filter.add(std::string_view(*arguments.glob).substr(is_negated ? 1 : 0),
                         is_negated ? Meaning::exclude : Meaning::include);
    }
    if (added && arguments.exclude_pattern) {
      added = filter.add(*arguments.exclude_pattern, Meaning::exclude);
    }
    if (!added) return std::unexpected(std::move(added).error());
    return filter;
  }

  bool accepts(std::string_view path) const {
    if (type_ && !type_->matches(path)) return false;
    return std::ranges::all_of(globs_, [&](const auto& each) {
      const auto& [glob, meaning] = each;
      return meaning == Meaning::include ? glob.matches(path) : !matches_on_the_way(glob, path);
    });
  }

  bool has_unknown_type() const { return type_ && !type_->is_known(); }

 private:
  enum class Meaning : std::uint8_t { include, exclude };

  // Whether the path itself matches, or one of the folders that it leads through.
  static bool matches_on_the_way(const Glob& glob, std::string_view path) {
    for (std::size_t end = path.find('/'); end != std::string_view::npos;
         end = path.find('/', end + 1)) {
      if (glob.matches(path.substr(0, end))) return true;
    }
    return glob.matches(path);
  }

  Result<void> add(std::string_view pattern, Meaning meaning) {
    auto glob = TRY(Glob::parse(pattern));
    globs_.emplace_back(std::move(glob), meaning);
    return {};
  }

  std::optional<FileType> type_;
  std::vector<std::pair<Glob, Meaning>> globs_;
};

enum class Ended : std::uint8_t { at_the_end, early };  // with files that were not searched

// Gathers what was found, file after file, and makes the answer of it.
class Findings {
 public:
  explicit Findings(const GrepArguments& arguments)
      : mode_(arguments.output_mode),
        limit_(static_cast<std::size_t>(arguments.limit)),
        has_line_numbers_(arguments.include_line_numbers) {}

  std::size_t lines_wanted() const {
    return mode_ == OutputMode::content && !is_full_ ? limit_ - shown_.size() : 0;
  }

  void add(const std::string& path, const FileMatches& matches) {
    if (matches.is_binary) {
      ++binary_;
      return;
    }
    ++files_searched_;
    long_lines_ += matches.long_lines;
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

  JsonObject result(const Skipped& skipped, Ended ended = Ended::at_the_end) && {
    const bool counts_lines = mode_ == OutputMode::content;
    const auto all = counts_lines ? total_matches_ : files_with_matches_;
    const auto shown = static_cast<std::int64_t>(shown_.size());
    JsonObject made{{counts_lines ? "matches" : "files", std::move(shown_)},
                    {"total_matches", total_matches_},
                    {"files_with_matches", files_with_matches_},
                    {"files_searched", files_searched_},
                    {"truncated", shown < all || skipped.lost.count > 0 || ended == Ended::early},
                    {"skipped", skipped.json()}};
    made["skipped"].as_object()["binary"] = binary_;
    std::vector<std::string> notes;
    if (ended == Ended::early) {
      notes.push_back(
          fmt::format("Only the first {} files were searched, as max_files_searched says.",
                      files_searched_ + binary_));
    }
    if (auto note = missing_note(skipped.lost); !note.empty()) notes.push_back(std::move(note));
    if (shown < all) {
      notes.push_back(fmt::format("Only the first {} of {} {} are shown; narrow the search.", shown,
                                  all, counts_lines ? "matching lines" : "files"));
    }
    if (long_lines_ > 0) {
      notes.push_back(
          fmt::format("{} very long lines were searched only at their start.", long_lines_));
    }
    if (!notes.empty()) made["note"] = fmt::format("{}", fmt::join(notes, " "));
    return made;
  }

 private:
  // Bytes of the field names and numbers around a shown thing.
  static constexpr std::size_t kLineBytes = 140;
  static constexpr std::size_t kCountBytes = 40;

  static JsonArray array_of(const std::vector<std::string>& lines) {
    return JsonArray(lines.begin(), lines.end());
  }

  void show(const std::string& name, const MatchedLine& line) {
    JsonObject made{{"file_path", name}};
    if (has_line_numbers_) made["line_number"] = line.number;
    made["line_content"] = line.text;
    made["match_start"] = line.match_start;
    made["match_end"] = line.match_end;
    made["matched_text"] =
        std::string_view(line.text).substr(line.match_start, line.match_end - line.match_start);
    if (!line.before.empty()) made["before"] = array_of(line.before);
    if (!line.after.empty()) made["after"] = array_of(line.after);
    std::size_t bytes = json_size(name) + json_size(line.text) + kLineBytes +
                        json_size(made.at("matched_text").as_string());
    for (const auto* lines : {&line.before, &line.after}) {
      for (const std::string& each : *lines) bytes += json_size(each) + 1;
    }
    show(bytes, std::move(made));
  }

  void show(std::size_t bytes, Json thing) {
    is_full_ = is_full_ || shown_.size() == limit_ || !budget_.take(bytes + 1);
    if (!is_full_) shown_.push_back(std::move(thing));
  }

  OutputMode mode_;
  std::size_t limit_;
  bool has_line_numbers_;
  OutputBudget budget_;
  bool is_full_ = false;
  JsonArray shown_;
  std::int64_t total_matches_ = 0;
  std::int64_t files_with_matches_ = 0;
  std::int64_t files_searched_ = 0;
  std::int64_t binary_ = 0;
  std::int64_t long_lines_ = 0;
};

ContextLines context_of(const GrepArguments& arguments) {
  const auto lines = [&](const std::optional<int>& side) {
    return static_cast<std::size_t>(side.value_or(arguments.around.value_or(0)));
  };
  return {.before = lines(arguments.before), .after = lines(arguments.after)};
}

class Search {
 public:
  Search(const Workspace& workspace, const LinePattern& pattern, const GrepArguments& arguments,
         const std::stop_token& stop)
      : workspace_(workspace),
        pattern_(pattern),
        arguments_(arguments),
        stop_(stop),
        findings_(arguments) {}

  // A file that was named is searched whatever filters, rules and its name say.
  Result<JsonObject> in_file(const std::string& path) {
    const auto file = TRY(workspace_.open_file(path));
    LineSearch lines(pattern_, context_of(arguments_));
    const auto matches =
        lines.search(file.descriptor.get(), file.status.size, findings_.lines_wanted(), stop_);
    if (!matches && matches.error() == ECANCELED) return cancelled();
    if (!matches) {
      return fail(ErrorCode::storage,
                  fmt::format("'{}' cannot be read: {}", path,
                              std::generic_category().message(matches.error())));
    }
    findings_.add(path, *matches);
    JsonObject result = std::move(findings_).result({});
    if (matches->is_binary) {
      result["note"] = fmt::format("{} is not text and was not searched", shown_path(path));
    }
    return result;
  }

  Result<JsonObject> in_folder(const std::string& path, const FileFilter& filter) {
    const auto folder = TRY(workspace_.open_folder(path));
    const WalkOptions options{
        .extent = arguments_.recursive ? Extent::tree : Extent::entries,
        .wanted = [&](const std::string& inside) { return filter.accepts(inside); }};
    LeftOut unread;
    OrderedSearch search(pattern_, context_of(arguments_), findings_.lines_wanted(), stop_,
                         [&](const OrderedSearch::File& file, const auto& matches) {
                           if (matches) {
                             findings_.add(file.path, *matches);
                           } else {
                             unread.add(file.path);
                           }
                           return findings_.lines_wanted();
                         });
    std::int64_t files = 0;
    Ended ended = Ended::at_the_end;
    auto skipped = walk(workspace_, folder, options, stop_, [&](const WalkEntry& entry) {
      if (entry.kind != EntryKind::file) return Visited::proceed;
      if (files == arguments_.max_files_searched) {
        ended = Ended::early;
        return Visited::end;
      }
      ++files;
      search.add({entry.folder, entry.name, entry.path});
      return Visited::proceed;
    });
    if (!skipped) return cancelled();
    search.finish();
    if (stop_.stop_requested()) return cancelled();
    skipped->unreadable.add(unread);
    skipped->lost.add(unread);
    return std::move(findings_).result(*skipped, ended);
  }

 private:
  static std::unexpected<Error> cancelled() {
    return fail(ErrorCode::cancelled, "The search was cancelled");
  }

  const Workspace& workspace_;
  const LinePattern& pattern_;
  const GrepArguments& arguments_;
  const std::stop_token& stop_;
  Findings findings_;
};

Result<Json> grep(const Workspace& workspace, const GrepArguments& arguments,
                  const std::stop_token& stop) {
  const auto pattern = TRY(LinePattern::compile(
      arguments.pattern,
      arguments.ignore_case.value_or(false) ? LetterCase::ignore : LetterCase::distinguish,
      arguments.multiline ? Span::many_lines : Span::one_line));
  const auto filter = TRY(FileFilter::from(arguments));
  const auto path = TRY(workspace.locate(arguments.path.value_or(".")));
  auto status = workspace.status(path);
  if (!status) {
    return std::unexpected(with_suggestions(std::move(status).error(), workspace, path, stop));
  }

  Search search(workspace, pattern, arguments, stop);
  const bool is_folder = status->kind == EntryKind::folder;
  auto result = TRY(is_folder ? search.in_folder(path, filter) : search.in_file(path));
  if (is_folder && filter.has_unknown_type() && result.at("files_searched") == 0) {
    result["note"] = fmt::format(
        "'{}' is not a known type, and there are no text files with that extension. Known types: "
        "{}",
        arguments.type.value_or(""), known_file_types());
  }
  return result;
}

// The names of other systems' grep.
void use_names_of_grep(JsonObject& arguments) {
  static constexpr OtherName kNames[] = {{"include_pattern", "glob"},
                                         {"max_results", "limit"},
                                         {"head_limit", "limit"},
                                         {"case_insensitive", "-i"},
                                         {"-n", "include_line_numbers"}};
  rename_members(arguments, kNames);
  const auto is_case_sensitive = arguments.find("case_sensitive");
  if (is_case_sensitive != arguments.end() && is_case_sensitive->value().is_bool() &&
      !arguments.contains("-i")) {
    const bool ignores_case = !is_case_sensitive->value().get_bool();
    arguments.erase(is_case_sensitive);
    arguments["-i"] = ignores_case;
  }
  const Json* mode = arguments.if_contains("output_mode");
  if (mode != nullptr && *mode == "files_with_matches") arguments["output_mode"] = "files";
}

}  // namespace

Tool grep_tool(SharedWorkspace workspace) {
  Tool made = with_firm_bounds(tool(
      "grep",
      "Searches the text files below the base folder for a regular expression. Leaves out what "
      ".gitignore names, hidden and binary files, links and node_modules. Counts all matching "
      "lines and shows the first.",
      [workspace = std::move(workspace)](const GrepArguments& arguments, const Context& context)
          -> Result<Json> { return grep(*workspace, arguments, context.stop); },
      {.effect = Effect::read}));
  static constexpr std::string_view kNotShown[] = {"exclude_pattern", "max_files_searched",
                                                   "recursive", "include_line_numbers"};
  return with_rewrite(without_showing(std::move(made), kNotShown), use_names_of_grep);
}

}  // namespace wright::tools
