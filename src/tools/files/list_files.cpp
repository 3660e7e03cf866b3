// list_files: which files are there. Reads folders, never files.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <tuple>

#include "core/firm_bounds.h"
#include "core/try.h"
#include "tools/file_tool_list.h"
#include "tools/files/glob.h"
#include "tools/files/tree_walk.h"
#include "tools/other_names.h"
#include "tools/output/output_budget.h"
#include "wright/schema.h"

namespace wright::tools {

enum class ListMode : std::uint8_t { glob, tree };
WRIGHT_ENUM(ListMode, glob, tree)

enum class SortOrder : std::uint8_t { name, size, modified };
WRIGHT_ENUM(SortOrder, name, size, modified)

struct ListFilesArguments {
  std::string pattern;
  std::optional<std::string> path;
  bool recursive = true;
  bool include_hidden = false;
  bool details = false;
  ListMode mode = ListMode::glob;
  SortOrder sort = SortOrder::name;
  int limit = 1000;
};
WRIGHT_DESCRIBE(
    ListFilesArguments,
    WRIGHT_FIELD(pattern,
                 "Glob. Without a slash it matches file names at any depth (*.cpp; * is "
                 "everything); with a slash it is anchored at path (src/**/*.h). Also ? [a-z] "
                 "[!a] {a,b}")
        .min_length(1),
    WRIGHT_FIELD(path, "Folder to list, relative to the base; the base itself when absent"),
    WRIGHT_FIELD(recursive,
                 "All files at every depth; false lists the direct entries, folders with a / at "
                 "the end")
        .with_default(),
    WRIGHT_FIELD(include_hidden, "Also names that start with a dot").with_default(),
    WRIGHT_FIELD(details, "Size in bytes and time of change for each file").with_default(),
    WRIGHT_FIELD(mode, "glob: a list of paths; tree: the same as an indented tree of folders")
        .with_default(),
    WRIGHT_FIELD(sort, "By name, or largest first, or most recently changed first").with_default(),
    WRIGHT_FIELD(limit, "How many at most").at_least(1).at_most(10'000).with_default())

namespace {

struct Listed {
  std::string path;
  FileStatus status;
};

// Keeps the first `limit` of all that it is given, in the order asked for.
class Selection {
 public:
  Selection(SortOrder order, std::size_t limit) : order_(order), limit_(limit) {}

  void add(Listed listed) {
    kept_.push_back(std::move(listed));
    if (kept_.size() >= 2 * limit_) shrink();
  }

  std::vector<Listed> take() && {
    shrink();
    std::ranges::sort(kept_, [this](const Listed& a, const Listed& b) { return before(a, b); });
    return std::move(kept_);
  }

 private:
  bool before(const Listed& left, const Listed& right) const {
    const auto key = [this](const Listed& listed) {
      const std::int64_t number = order_ == SortOrder::size       ? listed.status.size
                                  : order_ == SortOrder::modified ? listed.status.modified
                                                                  : 0;
      return std::tuple<std::int64_t, std::string_view>(-number, listed.path);
    };
    return key(left) < key(right);
  }

  void shrink() {
    if (kept_.size() <= limit_) return;
    std::ranges::nth_element(kept_, kept_.begin() + static_cast<std::ptrdiff_t>(limit_),
                             [this](const Listed& a, const Listed& b) { return before(a, b); });
    kept_.resize(limit_);
  }

  SortOrder order_;
  std::size_t limit_;
  std::vector<Listed> kept_;
};

std::string iso_time(std::int64_t nanoseconds) {
  const auto seconds =
      static_cast<std::time_t>((nanoseconds - (nanoseconds < 0 ? 999'999'999 : 0)) / 1'000'000'000);
  std::tm utc{};
  if (::gmtime_r(&seconds, &utc) == nullptr) return {};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

// What of a selection fits into an answer.
struct Shown {
  Json json;
  std::int64_t count = 0;
};

Shown shown_as_list(const std::vector<Listed>& selected) {
  OutputBudget budget;
  JsonArray array;
  for (const Listed& listed : selected) {
    std::string name = to_valid_utf8(listed.path);
    if (!budget.take(json_size(name) + 1)) break;
    array.emplace_back(std::move(name));
  }
  const auto count = static_cast<std::int64_t>(array.size());
  return {std::move(array), count};
}

Shown shown_with_details(const std::vector<Listed>& selected) {
  constexpr std::size_t kDetailBytes = 80;
  OutputBudget budget;
  JsonArray array;
  for (const Listed& listed : selected) {
    std::string name = to_valid_utf8(listed.path);
    if (!budget.take(json_size(name) + kDetailBytes)) break;
    array.push_back(JsonObject{{"path", std::move(name)},
                               {"size", listed.status.size},
                               {"modified", iso_time(listed.status.modified)}});
  }
  const auto count = static_cast<std::int64_t>(array.size());
  return {std::move(array), count};
}

// One line for each file and for each folder on the way to it, indented by how deep it is.
Shown shown_as_tree(const std::vector<Listed>& selected, const std::string& current_path) {
  std::vector<std::string> paths;
  for (const Listed& listed : selected) {
    const std::size_t above = current_path == "." ? 0 : current_path.size() + 1;
    paths.push_back(to_valid_utf8(listed.path.substr(above)));
  }
  std::ranges::sort(paths);
  OutputBudget budget;
  std::string tree;
  std::string_view open_folder;  // "a/b/", the folder that the last line is in
  std::int64_t count = 0;
  for (const std::string& path : paths) {
    std::size_t start = 0;
    while (true) {
      const std::size_t slash = path.find('/', start);
      if (slash == std::string::npos || !open_folder.starts_with(path.substr(0, slash + 1))) break;
      start = slash + 1;
    }
    std::string lines;
    auto depth = static_cast<std::size_t>(std::ranges::count(path.substr(0, start), '/'));
    while (start < path.size()) {
      const std::size_t end = std::min(path.find('/', start), path.size() - 1) + 1;
      lines += fmt::format("{:{}}{}\n", "", 2 * depth++, path.substr(start, end - start));
      start = end;
    }
    if (!budget.take(json_size(lines))) break;
    tree += lines;
    open_folder = std::string_view(path).substr(0, path.rfind('/') + 1);
    ++count;
  }
  return {Json(tree), count};
}

// A glob that begins with the absolute path of the folder that is listed is meant below it.
std::string_view without_folder(std::string_view pattern, const Workspace& workspace,
                                const std::string& path) {
  const std::string folder = path.starts_with('/') ? path
                             : path == "."         ? workspace.base()
                                                   : workspace.base() + "/" + path;
  const bool is_below =
      pattern.starts_with(folder) && pattern.substr(folder.size()).starts_with('/');
  return is_below && folder.size() + 1 < pattern.size() ? pattern.substr(folder.size()) : pattern;
}

// Who asks for ".github/**" wants to see what is hidden.
bool names_hidden(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const bool starts_name = at == 0 || std::string_view("/{,").find(pattern[at - 1]) < 3;
    if (starts_name && pattern[at] == '.' && !pattern.substr(at).starts_with("./")) return true;
  }
  return false;
}

// What to try when nothing was found for a pattern that is the name of a folder.
std::string hint_for(const Workspace& workspace, const std::string& path,
                     const std::string& pattern) {
  const auto named = workspace.locate(path == "." ? pattern : path + "/" + pattern);
  const auto status = named ? workspace.status(*named) : fail(ErrorCode::not_found, "");
  if (!status || status->kind != EntryKind::folder) return {};
  return fmt::format("{} is a folder; '{}/**' matches what is in it, or name it in path",
                     shown_path(*named), pattern.substr(0, pattern.find_last_not_of('/') + 1));
}

Result<Json> list_files(const Workspace& workspace, const ListFilesArguments& arguments,
                        const std::stop_token& stop) {
  const auto path = TRY(workspace.locate(arguments.path.value_or(".")));
  const auto pattern = without_folder(arguments.pattern, workspace, path);
  const auto glob = TRY(Glob::parse(pattern));
  const auto folder = TRY(workspace.open_folder(path));

  const WalkOptions options{
      .extent = arguments.recursive ? Extent::tree : Extent::entries,
      .hidden =
          arguments.include_hidden || names_hidden(pattern) ? Hidden::visit : Hidden::leave_out,
      .links = Links::follow,
      .sizes =
          arguments.details || arguments.sort != SortOrder::name ? Sizes::known : Sizes::unknown,
      .wanted = [&](const std::string& inside) { return glob.matches(inside); }};
  Selection selection(arguments.sort, static_cast<std::size_t>(arguments.limit));
  std::int64_t files = 0;
  std::int64_t folders = 0;
  const auto skipped = walk(workspace, folder, options, stop, [&](const WalkEntry& entry) {
    const bool is_folder = entry.kind == EntryKind::folder;
    ++(is_folder ? folders : files);
    Listed listed{entry.path, entry.status};
    if (is_folder) {
      listed.path += '/';
      listed.status.size = 0;  // what a folder takes itself tells nothing about what is in it
    }
    selection.add(std::move(listed));
    return Visited::proceed;
  });
  if (!skipped) return std::unexpected(skipped.error());

  const auto selected = std::move(selection).take();
  const Shown shown = arguments.mode == ListMode::tree ? shown_as_tree(selected, path)
                      : arguments.details              ? shown_with_details(selected)
                                                       : shown_as_list(selected);
  JsonObject result{{"current_path", to_valid_utf8(path)},
                    {arguments.mode == ListMode::tree ? "tree" : "files", shown.json},
                    {"total_files", files}};
  if (!arguments.recursive) result["total_folders"] = folders;
  result["truncated"] = shown.count < files + folders || skipped->lost.count > 0;
  result["limit"] = arguments.limit;
  result["skipped"] = skipped->json();
  std::vector<std::string> notes;
  if (shown.count < static_cast<std::int64_t>(selected.size())) {
    notes.push_back(fmt::format(
        "Only the first {} are shown, to keep the answer readable; narrow pattern or path",
        shown.count));
  } else if (files + folders == 0) {
    notes.push_back(hint_for(workspace, path, std::string(pattern)));
  }
  notes.push_back(missing_note(skipped->lost));
  std::erase(notes, "");
  if (!notes.empty()) result["note"] = fmt::format("{}", fmt::join(notes, ". "));
  return result;
}

// The names of other systems' list_files, which also lists a folder without being given a pattern.
void use_names_of_list(JsonObject& arguments) {
  static constexpr OtherName kNames[] = {{"max_files", "limit"}};
  rename_members(arguments, kNames);
  if (arguments.contains("pattern") || !arguments.contains("path")) return;
  const bool is_recursive = arguments.contains("recursive");
  arguments["pattern"] = "*";
  if (!is_recursive) arguments["recursive"] = false;
}

}  // namespace

Tool list_files_tool(SharedWorkspace workspace) {
  Tool made = with_firm_bounds(
      tool("list_files",
           "Lists files below the base folder that match a glob. Leaves out what .gitignore names, "
           "hidden files and node_modules, and says how many of those there were.",
           [workspace = std::move(workspace)](const ListFilesArguments& arguments,
                                              const Context& context) -> Result<Json> {
             return list_files(*workspace, arguments, context.stop);
           },
           {.effect = Effect::read}));
  return with_rewrite(std::move(made), use_names_of_list);
}

}  // namespace wright::tools
