// Questions about the whole: what it is, what it needs, where it starts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "offline/definitions.h"
#include "offline/languages.h"
#include "offline/locate.h"
#include "offline/manifests.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr std::size_t kMostManifests = 6;

// Lines that begin a program, in the languages that mark it.
constexpr const char* kMainPattern =
    R"(^\s*(?:int|void|auto|signed|static\s+int)\s+w?main\s*\(|^main\s*\(|^\s*(?:pub\s+)?(?:async\s+)?fn\s+main\s*\(|^func\s+main\s*\(|\bstatic\s+(?:async\s+)?(?:void|int|Task)\s+[Mm]ain\s*\(|^if\s+__name__\s*==\s*['"]__main__|^\s*(?:suspend\s+)?fun\s+main\s*\(|\bint\s+WINAPI\s+w?WinMain)";

int depth_of(std::string_view path) {
  return static_cast<int>(std::ranges::count(path, '/'));
}

// The manifests of a tree, the uppermost first.
std::vector<std::string> manifest_paths(const Listing& all) {
  std::vector<std::string> paths;
  for (const FileEntry& file : all.files) {
    if (is_manifest(file.path) && path_penalty(file.path) == 0) paths.push_back(file.path);
  }
  std::ranges::stable_sort(paths, {}, depth_of);
  if (paths.size() > kMostManifests) paths.resize(kMostManifests);
  return paths;
}

std::vector<Manifest> read_manifests(const std::vector<std::string>& paths, Investigation& look) {
  std::vector<Manifest> manifests;
  for (const std::string& path : paths) {
    const FileText file = look.read_file({.path = path, .limit = 600});
    if (look.is_waiting()) continue;
    if (auto manifest = read_manifest(path, file.content))
      manifests.push_back(std::move(*manifest));
  }
  return manifests;
}

std::string readme_of(const Listing& all) {
  std::vector<std::string> readmes;
  for (const FileEntry& file : all.files) {
    if (lower(file_name(file.path)).starts_with("readme")) readmes.push_back(file.path);
  }
  std::ranges::stable_sort(
      readmes, {}, [](const std::string& path) { return std::pair(depth_of(path), path.size()); });
  return readmes.empty() || depth_of(readmes.front()) > 1 ? std::string() : readmes.front();
}

std::string title_of(const std::vector<std::string_view>& lines) {
  for (std::size_t i = 0; i < lines.size() && i < 20; ++i) {
    const std::string_view line = trim(lines[i]);
    if (line.starts_with("# ")) return std::string(trim(line.substr(2)));
    const bool is_underlined = i + 1 < lines.size() && lines[i + 1].size() > 2 &&
                               lines[i + 1].find_first_not_of("=-") == std::string_view::npos;
    if (is_underlined && !line.empty()) return std::string(line);
  }
  return {};
}

using LanguageCounts = std::vector<std::pair<std::string, std::int64_t>>;

LanguageCounts languages_in(const Listing& all) {
  std::map<std::string_view, std::int64_t> counts;
  for (const FileEntry& file : all.files) {
    const Language& language = language_of(file.path);
    if (is_code(language.family)) ++counts[language.name];
  }
  return {counts.begin(), counts.end()};
}

// For a tree that is too large to be listed: how many files of the usual languages there are.
LanguageCounts count_languages(Investigation& look) {
  struct Usual {
    std::string_view name;
    std::string_view glob;
  };
  constexpr auto kUsual = std::to_array<Usual>({{"C", "*.c"},
                                                {"C++", "{*.cpp,*.cc,*.cxx}"},
                                                {"C/C++ header", "{*.h,*.hpp,*.hh,*.hxx}"},
                                                {"Python", "*.py"},
                                                {"JavaScript", "{*.js,*.mjs,*.jsx}"},
                                                {"TypeScript", "{*.ts,*.tsx}"},
                                                {"Java", "*.java"},
                                                {"Go", "*.go"},
                                                {"Rust", "*.rs"},
                                                {"Ruby", "*.rb"},
                                                {"Shell", "*.sh"}});
  LanguageCounts counts;
  for (const Usual& usual : kUsual) {
    const Listing found = look.list_files({.pattern = std::string(usual.glob), .limit = 1});
    if (found.total > 0) counts.emplace_back(std::string(usual.name), found.total);
  }
  return counts;
}

void add_languages(Answer& answer, LanguageCounts counts) {
  std::ranges::stable_sort(counts, std::ranges::greater{}, [](const auto& e) { return e.second; });
  std::string text;
  for (std::size_t i = 0; i < counts.size() && i < 8; ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", counts[i].first,
                        counted(counts[i].second, "file", "files"));
  }
  answer.heading("Languages");
  answer.paragraph(text.empty() ? "No source files of a language I know." : text + ".");
}

void add_layout(Answer& answer, const Listing& direct, const Listing& all) {
  std::vector<std::string> folders;
  for (const FileEntry& entry : direct.files) {
    if (!entry.path.ends_with('/')) continue;
    std::map<std::string_view, int> languages;
    std::int64_t count = 0;
    for (const FileEntry& file : all.files) {
      if (!file.path.starts_with(entry.path)) continue;
      ++count;
      if (is_code(language_of(file.path).family)) ++languages[language_of(file.path).name];
    }
    const auto most =
        std::ranges::max_element(languages, {}, [](const auto& e) { return e.second; });
    folders.push_back(
        count == 0 ? entry.path
                   : fmt::format("{} ({}{}{})", entry.path, all.is_truncated ? "at least " : "",
                                 counted(count, "file", "files"),
                                 languages.empty() ? "" : fmt::format(", mostly {}", most->first)));
  }
  if (!folders.empty()) answer.heading("Layout").items(folders, 25, "folders");
}

void add_manifests(Answer& answer, const std::vector<Manifest>& manifests) {
  std::vector<std::string> items;
  for (const Manifest& manifest : manifests) {
    const bool says_nothing =
        manifest.name.empty() && manifest.description.empty() && manifest.dependencies.empty();
    if (says_nothing) continue;
    std::string text = fmt::format("{}: {}", manifest.path, manifest.kind);
    if (!manifest.name.empty()) text.append(" ").append(code_span(manifest.name));
    if (!manifest.version.empty()) text.append(" ").append(manifest.version);
    if (!manifest.description.empty())
      text.append(", ").append(shortened(manifest.description, 200));
    if (!manifest.dependencies.empty()) {
      text += fmt::format("; {}", counted(static_cast<std::int64_t>(manifest.dependencies.size()),
                                          "dependency", "dependencies"));
    }
    items.push_back(std::move(text));
  }
  if (!items.empty())
    answer.heading("Build and packaging").items(items, kMostManifests, "manifests");
}

std::vector<std::string> main_places(const Matches& mains) {
  std::vector<Match> sorted = mains.matches;
  std::erase_if(sorted, [](const Match& match) {
    const Family family = language_of(match.path).family;
    return family == Family::prose || is_comment_line(family, match.text);
  });
  std::ranges::stable_sort(sorted, {}, [](const Match& match) {
    return std::pair(path_penalty(match.path), depth_of(match.path));
  });
  std::vector<std::string> items;
  for (const Match& match : sorted) {
    items.push_back(fmt::format("{}: {}", place(match.path, match.line), code_span(match.text)));
  }
  return items;
}

}  // namespace

std::string plan_project(const Question&, Investigation& look) {
  const Listing direct = look.list_files({.pattern = "*", .is_recursive = false, .limit = 300});
  const Listing all = look.list_files({.pattern = "*", .limit = 1000});
  GrepRequest wanted{.pattern = kMainPattern};
  wanted.limit = 200;
  const Matches mains = look.grep(wanted);
  if (look.is_waiting()) return "Looking at the files and folders.";
  const std::string readme_path = readme_of(all).empty() ? readme_of(direct) : readme_of(all);
  FileText readme;
  if (!readme_path.empty()) readme = look.read_file({.path = readme_path, .limit = 120});
  const std::vector<Manifest> manifests =
      read_manifests(manifest_paths(all.is_truncated ? direct : all), look);
  LanguageCounts languages = all.is_truncated ? count_languages(look) : languages_in(all);
  if (look.is_waiting()) return "Reading what the project says about itself.";
  if (all.files.empty() && direct.files.empty()) {
    return look.has_failed() ? "I could not look at the project." : "There are no files here.";
  }
  Answer answer;
  const Window window = window_of(readme);
  const std::string title = title_of(window.lines);
  const std::string opening = opening_of(Family::prose, window.lines);
  if (!opening.empty()) {
    answer.paragraph(fmt::format(
        "{}{} (from {})", title.empty() ? "" : fmt::format("**{}**: ", shortened(title, 120)),
        shortened(opening, 900), place(readme_path, 1)));
  } else {
    const auto described = std::ranges::find_if(
        manifests, [](const Manifest& manifest) { return !manifest.description.empty(); });
    answer.paragraph(
        described != manifests.end()
            ? fmt::format("{} (from {})", shortened(described->description, 400), described->path)
            : "The project has no README that says what it is; this is what the files show.");
  }
  answer.paragraph(counted(all.total, "file", "files") + ".");
  add_languages(answer, std::move(languages));
  add_layout(answer, direct, all);
  add_manifests(answer, manifests);
  const auto places = main_places(mains);
  if (!places.empty()) answer.heading("Where programs start").items(places, 6, "places");
  const auto tests = std::ranges::count_if(all.files, [](const FileEntry& file) {
    return contains_ignoring_case(file.path, "test") && is_code(language_of(file.path).family);
  });
  if (tests > 0) {
    answer.paragraph(fmt::format("{} {} tests by their name.",
                                 counted(tests, "source file", "source files"),
                                 tests == 1 ? "looks like" : "look like"));
  }
  return answer.text();
}

std::string plan_dependencies(const Question& question, Investigation& look) {
  const Listing all = look.list_files({.pattern = "*", .path = question.path, .limit = 1000});
  const Listing direct =
      look.list_files({.pattern = "*", .path = question.path, .is_recursive = false, .limit = 300});
  if (look.is_waiting()) return "Looking for manifest files.";
  std::vector<std::string> paths = manifest_paths(all);
  if (paths.empty()) paths = manifest_paths(direct);
  const std::vector<Manifest> manifests = read_manifests(paths, look);
  if (look.is_waiting()) return "Reading the manifests.";
  Answer answer;
  for (const Manifest& manifest : manifests) {
    if (manifest.dependencies.empty()) continue;
    std::vector<std::string> items;
    for (const std::string& dependency : manifest.dependencies)
      items.push_back(code_span(dependency));
    answer.heading(fmt::format("{} ({})", manifest.path, manifest.kind))
        .items(items, 40, "dependencies");
  }
  if (!answer.is_empty()) return answer.text();
  GrepRequest wanted{
      .pattern =
          R"(^\s*#\s*include\s*<[^>]+>|^\s*(?:import|from)\s+\w+|^\s*use\s+\w+::|\brequire\s*\(?['"][^.'"])"};
  wanted.path = question.path;
  wanted.limit = 300;
  const Matches found = look.grep(wanted);
  if (look.is_waiting()) return "No manifest lists dependencies; looking at imports.";
  std::map<std::string, std::int64_t> counts;
  for (const Match& match : found.matches) {
    for (const std::string& name : imports_of(language_of(match.path).family, {match.text}))
      ++counts[name];
  }
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& e) { return e.second; });
  if (sorted.empty()) return "I found no manifest that lists dependencies, and no imports.";
  std::vector<std::string> items;
  for (const auto& [name, count] : sorted)
    items.push_back(fmt::format("{} ({})", code_span(name), count));
  answer.paragraph("No manifest lists dependencies. The sources import these, most often first:");
  answer.items(items, 30, "imports");
  if (found.is_truncated)
    answer.paragraph(
        fmt::format("(from {} of {} import lines)", found.matches.size(), found.total));
  return answer.text();
}

std::string plan_entry_points(const Question& question, Investigation& look) {
  GrepRequest wanted{.pattern = kMainPattern, .path = question.path};
  wanted.limit = 200;
  const Matches mains = look.grep(wanted);
  const Listing all = look.list_files({.pattern = "*", .path = question.path, .limit = 1000});
  if (look.is_waiting()) return "Looking for where programs start.";
  const std::vector<Manifest> manifests = read_manifests(manifest_paths(all), look);
  if (look.is_waiting()) return "Reading the manifests.";
  Answer answer;
  const auto places = main_places(mains);
  if (!places.empty()) answer.heading("Main functions").items(places, 20, "places");
  for (const Manifest& manifest : manifests) {
    if (manifest.entry_points.empty()) continue;
    std::vector<std::string> items;
    for (const std::string& entry : manifest.entry_points) items.push_back(code_span(entry));
    answer.heading(fmt::format("Programs named in {}", manifest.path)).items(items, 20, "programs");
  }
  std::vector<std::string> usual;
  for (const FileEntry& file : all.files) {
    const std::string name = lower(file_name(file.path));
    const bool is_usual = name == "__main__.py" || name == "manage.py" || name == "app.py" ||
                          name == "index.js" || name == "index.ts" || name == "server.js" ||
                          name == "config.ru" || name.starts_with("main.");
    if (is_usual && path_penalty(file.path) == 0) usual.push_back(file.path);
  }
  if (!usual.empty()) answer.heading("Files with the usual names").items(usual, 15, "files");
  if (answer.is_empty())
    return "I found no main function, no program in a manifest and no file with a usual name: this "
           "looks like a library or data.";
  return answer.text();
}

}  // namespace wright::offline
