// Questions about the whole: what it is, how it is built, what it needs, where it starts, and what
// projects keep by convention.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>

#include "offline/index.h"
#include "offline/languages.h"
#include "offline/lines.h"
#include "offline/manifest_files.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/regex_text.h"
#include "offline/source_text.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

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
    if (is_code(file.path)) ++counts[language_of(file.path).name];
  }
  return {counts.begin(), counts.end()};
}

// For a tree that is too large to be listed.
LanguageCounts counted_by_index(Investigation& look) {
  LanguageCounts counts;
  const Json found = look.call(
      "aggregate_entities",
      {{"entity_type", "file"}, {"operation", "COUNT"}, {"group_by", "language"}, {"limit", 100}});
  const JsonObject* answer = found.if_object();
  const Json* groups = answer == nullptr ? nullptr : answer->if_contains("groups");
  if (groups == nullptr || !groups->is_array()) return counts;
  for (const Json& group : groups->get_array()) {
    const JsonObject* object = group.if_object();
    const Json* name = object == nullptr ? nullptr : object->if_contains("group");
    const Json* count = object == nullptr ? nullptr : object->if_contains("count");
    if (name == nullptr || count == nullptr || !name->is_string() || !count->is_int64()) continue;
    counts.emplace_back(std::string(name->get_string()), count->get_int64());
  }
  return counts;
}

void add_languages(AnswerText& answer, LanguageCounts counts) {
  std::ranges::stable_sort(counts, std::ranges::greater{}, [](const auto& e) { return e.second; });
  std::string text;
  for (std::size_t i = 0; i < counts.size() && i < 8; ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", counts[i].first,
                        counted(counts[i].second, "file", "files"));
  }
  answer.heading("Languages");
  answer.paragraph(text.empty() ? "No source files of a language I know." : text + ".");
}

void add_layout(AnswerText& answer, const Listing& direct, const Listing& all) {
  std::vector<std::string> folders;
  for (const FileEntry& entry : direct.files) {
    if (!entry.path.ends_with('/')) continue;
    std::map<std::string_view, int> languages;
    std::int64_t count = 0;
    for (const FileEntry& file : all.files) {
      if (!file.path.starts_with(entry.path)) continue;
      ++count;
      if (is_code(file.path)) ++languages[language_of(file.path).name];
    }
    const auto most =
        std::ranges::max_element(languages, {}, [](const auto& e) { return e.second; });
    folders.push_back(
        all.is_truncated
            ? entry.path
            : fmt::format("{} ({}{})", entry.path, counted(count, "file", "files"),
                          languages.empty() ? "" : fmt::format(", mostly {}", most->first)));
  }
  if (!folders.empty()) answer.heading("Layout").items(folders, 25, "folders");
}

void add_manifests(AnswerText& answer, const std::vector<Manifest>& manifests) {
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
    if (!manifest.dependencies.empty() && manifest.not_read.empty()) {
      text += fmt::format("; {}", counted(static_cast<std::int64_t>(manifest.dependencies.size()),
                                          "dependency", "dependencies"));
    }
    items.push_back(std::move(text));
  }
  if (!items.empty())
    answer.heading("Build and packaging").items(items, kMostManifests, "manifests");
}

constexpr auto kMainNames = std::to_array<const char*>({"main", "Main", "wmain", "WinMain"});

// Functions called main; scripts of Python say it in another way.
struct Mains {
  Entities functions;
  Matches scripts;
  Matches lines;  // that have such a name: ctags does not see every function
};

Mains find_mains(Investigation& look, const std::string& path) {
  Mains mains;
  GrepRequest wanted{.pattern = "^if __name__ == .__main__.", .path = path};
  wanted.limit = 200;
  mains.scripts = look.grep(wanted);
  GrepRequest named{.pattern = R"(\b(?:main|Main|wmain|WinMain)\s*\()", .path = path};
  named.limit = 200;
  mains.lines = look.grep(named);
  if (!has_index(look)) return mains;
  JsonArray conditions{condition("name", "IN", Json(JsonArray{"main", "Main", "wmain", "WinMain"})),
                       condition("type", "IN", Json(JsonArray{"function", "method"}))};
  if (!path.empty()) conditions.push_back(within(path));
  mains.functions = find_entities(look, "any", std::move(conditions));
  return mains;
}

std::vector<std::string> main_places(const Mains& mains) {
  std::vector<std::pair<std::string, std::string>> places;
  for (const Entity& entity : mains.functions.found)
    places.emplace_back(entity.file, fmt::format("{}: {}", place(entity.file, entity.line),
                                                 code_span(entity.name + entity.signature)));
  for (const Match& match : mains.lines.matches) {
    const bool is_known = std::ranges::any_of(mains.functions.found, [&](const Entity& entity) {
      return entity.file == match.path && entity.line == match.line;
    });
    const bool defines = std::ranges::any_of(
        kMainNames, [&](const char* name) { return looks_defining(match, name); });
    const bool starts_there = language_of(match.path).name != "Python";
    if (!is_known && defines && starts_there)
      places.emplace_back(
          match.path, fmt::format("{}: {} (by the look of the line)", place(match.path, match.line),
                                  code_span(match.text)));
  }
  for (const Match& match : mains.scripts.matches) {
    if (language_of(match.path).name == "Python")
      places.emplace_back(
          match.path, fmt::format("{}: {}", place(match.path, match.line), code_span(match.text)));
  }
  std::ranges::stable_sort(places, {}, [](const auto& each) {
    return std::pair(path_penalty(each.first), depth_of(each.first));
  });
  std::vector<std::string> items;
  for (auto& [path, text] : places) items.push_back(std::move(text));
  return items;
}

// The sections of a README whose headings have one of the words.
std::vector<std::string> sections_about(const FileText& readme, const RE2& words) {
  std::vector<std::string> sections;
  std::string section;
  bool is_wanted = false;
  bool is_fenced = false;
  int line = 0;
  const auto finish = [&] {
    if (is_wanted && !trim(section).empty()) sections.push_back(section);
    section.clear();
  };
  for (const std::string_view each : split_lines(readme.content)) {
    ++line;
    if (each.starts_with("```")) is_fenced = !is_fenced;
    if (!is_fenced && each.starts_with('#')) {
      finish();
      is_wanted = RE2::PartialMatch(piece(each), words);
      section = fmt::format("**{}** ({})\n", trim(each.substr(each.find_first_not_of("# "))),
                            place(readme.path, line));
      continue;
    }
    if (is_wanted && section.size() < 2500) section.append(each).append("\n");
  }
  finish();
  return sections;
}

}  // namespace

std::string plan_project(const ParsedPrompt&, Investigation& look) {
  const Listing direct = look.list_files({.pattern = "*", .is_recursive = false, .limit = 300});
  const Listing all = look.list_files({.pattern = "*", .limit = 1000});
  const Mains mains = find_mains(look, {});
  if (look.is_waiting()) return "Looking at the files and folders.";
  const std::string readme_path = readme_of(all).empty() ? readme_of(direct) : readme_of(all);
  FileText readme;
  if (!readme_path.empty()) readme = look.read_file({.path = readme_path, .limit = 120});
  const std::vector<Manifest> manifests =
      read_manifests(manifest_paths(all.is_truncated ? direct : all), look);
  LanguageCounts languages =
      all.is_truncated && has_index(look) ? counted_by_index(look) : languages_in(all);
  if (look.is_waiting()) return "Reading what the project says about itself.";
  if (all.files.empty() && direct.files.empty()) {
    return look.has_failed() ? "I could not look at the project." : "There are no files here.";
  }
  AnswerText answer;
  const Window window = window_of(readme);
  const std::string title = title_of(window.lines);
  const std::string opening = opening_of(Marks::prose, window.lines);
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
  return answer.text();
}

std::string plan_how_to(const ParsedPrompt& question, Investigation& look) {
  static const RE2 kBuild(
      R"((?i)\b(?:build|building|compil\w+|install\w*|setup|set up|getting started|quick ?start|make)\b)");
  static const RE2 kRun(
      R"((?i)\b(?:run|running|usage|using|use|getting started|quick ?start|start\w*|example)\b)");
  static const RE2 kTest(R"((?i)\btest(?:s|ing)?\b)");
  const bool tests = question.qualifier.starts_with("test");
  const bool runs = question.qualifier.starts_with("run") ||
                    question.qualifier.starts_with("use") ||
                    question.qualifier.starts_with("start");
  const Listing direct = look.list_files({.pattern = "*", .is_recursive = false, .limit = 300});
  if (look.is_waiting()) return "Looking for a README.";
  const std::string path = readme_of(direct);
  FileText readme;
  if (!path.empty()) readme = look.read_file({.path = path, .limit = 1000});
  if (look.is_waiting()) return fmt::format("Reading {}.", path);
  const auto sections = sections_about(readme, tests ? kTest : runs ? kRun : kBuild);
  std::vector<std::string> manifests;
  for (const FileEntry& file : direct.files) {
    const std::string name = lower(file_name(file.path));
    if (is_manifest(file.path) || name == "makefile" || name == "dockerfile" ||
        name == "justfile" || name == "configure" || name == "build.sh") {
      manifests.push_back(file.path);
    }
  }
  AnswerText answer;
  if (sections.empty()) {
    answer.paragraph(
        fmt::format("I found no instructions: {}.",
                    path.empty() ? "there is no README at the top"
                                 : fmt::format("no heading of {} speaks of it", code_span(path))));
  } else {
    answer.paragraph(fmt::format("{} says:", code_span(path)));
    for (std::size_t i = 0; i < sections.size() && i < 3; ++i) answer.block(sections[i]);
    if (sections.size() > 3)
      answer.paragraph(fmt::format("({} more sections of {} speak of it)", sections.size() - 3,
                                   code_span(path)));
  }
  if (!manifests.empty())
    answer.heading("Files for building at the top").items(manifests, 12, "files");
  return answer.text();
}

std::string plan_entry_points(const ParsedPrompt& question, Investigation& look) {
  const Mains mains = find_mains(look, question.path);
  const Listing all = look.list_files({.pattern = "*", .path = question.path, .limit = 1000});
  if (look.is_waiting()) return "Looking for where programs start.";
  const std::vector<Manifest> manifests = read_manifests(manifest_paths(all), look);
  if (look.is_waiting()) return "Reading the manifests.";
  AnswerText answer;
  const auto places = main_places(mains);
  if (!places.empty()) answer.heading("Main functions").items(places, 20, "places");
  for (const Manifest& manifest : manifests) {
    if (manifest.entry_points.empty()) continue;
    std::vector<std::string> items;
    for (const std::string& entry : manifest.entry_points) items.push_back(code_span(entry));
    answer.heading(fmt::format("Programs named in {}", manifest.path)).items(items, 20, "programs");
  }
  if (!answer.is_empty()) return answer.text();
  return "I found no function called main and no program in a manifest." +
         not_searched(mains.lines);
}

namespace {

// Go's package flag declares them without a "--". Returns how many lines of Rust make flags of
// fields, whose names stand on other lines.
std::int64_t add_flags_of_languages(const Matches& found,
                                    std::map<std::string, std::string>& declared) {
  static const RE2 kGo(
      R"re(\b(?:flag|flags|fs|flagSet|pflag|\w*Flags\(\))\.(?:String|Bool|U?[Ii]nt(?:64)?|Float64|Duration|Func|Text)(?:Var)?\(\s*(?:&?[\w.\[\]]+,\s*)?"([a-z][\w.-]*)")re");
  std::int64_t derived = 0;
  for (const Match& match : found.matches) {
    if (path_penalty(match.path) > 0) continue;
    std::string name;
    if (match.path.ends_with(".go") && RE2::PartialMatch(match.text, kGo, &name))
      declared.emplace("-" + name, place(match.path, match.line));
    if (match.path.ends_with(".rs") && match.text.contains("#[")) ++derived;
  }
  return derived;
}

}  // namespace

std::string plan_flags(const ParsedPrompt& question, Investigation& look) {
  static const RE2 kFlag(R"re(["'](?:-\w,\s*)?(--[a-zA-Z][a-zA-Z0-9-]*))re");
  static const RE2 kDeclares(R"((?i)(?:\badd_?(?:option|flag|argument)|\boption|\.on)\s*\()");
  GrepRequest wanted = in_scope(question, R"(["'](?:-\w,\s*)?--[a-zA-Z])");
  wanted.limit = 1000;
  const Matches found = look.grep(wanted);
  GrepRequest other = in_scope(
      question,
      R"re(\.(?:String|Bool|U?[Ii]nt(?:64)?|Float64|Duration|Func|Text)(?:Var)?\(.*"[a-z]|#\[(?:arg|clap|structopt)\(.*\b(?:long|short)\b)re");
  other.limit = 500;
  const Matches elsewhere = look.grep(other);
  if (look.is_waiting()) return "Looking for quoted words that begin with `--`.";
  if (look.has_failed()) return "I could not look for flags.";
  std::map<std::string, std::string> declared;
  const std::int64_t derived = add_flags_of_languages(elsewhere, declared);
  std::map<std::string, std::string> quoted;
  for (const Match& match : found.matches) {
    if (!is_code(match.path) || path_penalty(match.path) > 0) continue;
    const bool declares = RE2::PartialMatch(match.text, kDeclares);
    re2::StringPiece rest(match.text);
    std::string flag;
    while (RE2::FindAndConsume(&rest, kFlag, &flag))
      (declares ? declared : quoted).emplace(flag, place(match.path, match.line));
  }
  const std::string note =
      derived == 0
          ? std::string()
          : fmt::format("{} of Rust {} a field a flag; those are not told here.",
                        counted(derived, "line", "lines"), derived == 1 ? "makes" : "make");
  if (declared.empty() && quoted.empty())
    return "No source file outside of tests has a quoted word that begins with `--`." +
           not_searched(found) + (note.empty() ? "" : " " + note);
  const auto items_of = [](const std::map<std::string, std::string>& flags) {
    std::vector<std::string> items;
    for (const auto& [flag, where] : flags)
      items.push_back(fmt::format("{} ({})", code_span(flag), where));
    return items;
  };
  AnswerText answer;
  if (!declared.empty()) {
    answer.paragraph(fmt::format("{} in a call that declares an option:",
                                 counted(std::ssize(declared), "flag stands", "flags stand")));
    answer.items(items_of(declared), 60, "flags");
    std::erase_if(quoted, [&](const auto& each) { return declared.contains(each.first); });
  }
  if (!quoted.empty()) {
    answer.paragraph(
        fmt::format("{}{} in quotes in source files outside of tests. Whether the program takes "
                    "each itself, or "
                    "gives it to another one, this does not tell:",
                    declared.empty() ? "I found no call that declares an option. " : "",
                    counted(std::ssize(quoted), "more word that begins with `--` stands",
                            "more words that begin with `--` stand")));
    answer.items(items_of(quoted), declared.empty() ? 60 : 20, "words");
  }
  if (!note.empty()) answer.paragraph(note);
  if (found.total > std::ssize(found.matches))
    answer.paragraph("Not every line was looked at: there may be more.");
  return answer.text();
}

std::string plan_todos(const ParsedPrompt& question, Investigation& look) {
  GrepRequest wanted = in_scope(question, R"(\b(?:TODO|FIXME)\b)");
  wanted.limit = 200;
  const Matches found = look.grep(wanted);
  if (look.is_waiting()) return "Looking for TODO and FIXME.";
  if (found.matches.empty())
    return look.has_failed() ? "I could not look for TODO and FIXME."
                             : fmt::format("No line here has TODO or FIXME{}.{}",
                                           folder_phrase(question), not_searched(found));
  AnswerText answer;
  answer.paragraph(fmt::format("{} in {} {} TODO or FIXME{}.",
                               counted(found.total, "line", "lines"),
                               counted(found.files_with_matches, "file", "files"),
                               found.total == 1 ? "has" : "have", folder_phrase(question)));
  std::vector<std::string> items;
  for (const Match& match : found.matches)
    items.push_back(
        fmt::format("{}: {}", place(match.path, match.line), shortened(match.text, 160)));
  answer.items(items, 50, "lines");
  return answer.text();
}

std::string plan_licence(const ParsedPrompt&, Investigation& look) {
  std::vector<std::string> paths;
  for (const char* pattern : {"[Ll][Ii][Cc][Ee][Nn][CScs][Ee]*", "COPYING*", "UNLICENSE*"}) {
    for (const FileEntry& file : look.list_files({.pattern = pattern, .limit = 30}).files) {
      if (!is_code(file.path)) paths.push_back(file.path);
    }
  }
  const Listing all = look.list_files({.pattern = "*", .is_recursive = false, .limit = 300});
  if (look.is_waiting()) return "Looking for a licence.";
  std::ranges::stable_sort(paths, {}, depth_of);
  const std::size_t read = std::min<std::size_t>(paths.size(), 4);
  AnswerText answer;
  for (std::size_t i = 0; i < read; ++i) {
    const FileText file = look.read_file({.path = paths[i], .limit = 30});
    const Window window = window_of(file);
    answer.heading(paths[i]).block(excerpt(window, 0, window.lines.size(), 6));
  }
  const std::vector<Manifest> manifests = read_manifests(manifest_paths(all), look);
  if (look.is_waiting()) return "Reading it.";
  for (const Manifest& manifest : manifests) {
    if (!manifest.licence.empty())
      answer.paragraph(fmt::format("{} says: {}.", manifest.path, code_span(manifest.licence)));
  }
  if (paths.size() > read)
    answer.paragraph(fmt::format("(and {} more licence files)", paths.size() - read));
  if (!answer.is_empty()) return answer.text();
  std::vector<std::string> read_paths;
  for (const Manifest& manifest : manifests) read_paths.push_back(code_span(manifest.path));
  return fmt::format("I found no licence file{}.",
                     read_paths.empty()
                         ? ", and no manifest at the top that I can read"
                         : fmt::format(", and no licence in {}", fmt::join(read_paths, ", ")));
}

}  // namespace wright::offline
