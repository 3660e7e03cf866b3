// Questions that begin with "how many".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "offline/languages.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

std::vector<std::pair<std::string, std::int64_t>> by_extension(const Listing& listing) {
  std::map<std::string, std::int64_t> counts;
  for (const FileEntry& file : listing.files) {
    const std::string extension = extension_of(file.path);
    ++counts[extension.empty() ? "(none)" : "." + extension];
  }
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& e) { return e.second; });
  return sorted;
}

enum class Kind : std::uint8_t { function, type, macro };

struct CountRule {
  Family family;
  Kind kind;
  std::string_view pattern;
};

// What a definition of any name looks like, for counting: one line each.
constexpr auto kCountRules = std::to_array<CountRule>({
    {Family::c, Kind::function,
     R"(^(?:[A-Za-z_][\w\s*&:<>,~\[\]]*[\s*&:])?[A-Za-z_~]\w*\s*\([^;]*(?:\{|\)|,|const|noexcept)\s*$)"},
    {Family::c, Kind::type,
     R"(^\s*(?:typedef\s+|template\s*<.*>\s*)?(?:struct|class|union|enum(?:\s+class)?)\s+[\w\s:]*\w\s*(?:final\s*)?(?::[^:;]*)?\{?\s*$)"},
    {Family::c, Kind::macro, R"(^\s*#\s*define\s+\w+)"},
    {Family::java, Kind::function,
     R"(^\s*(?:(?:public|private|protected|internal|static|final|abstract|override|async|suspend|open|virtual)\s+)+[\w<>\[\],.?\s]*\w\s*\([^;]*\{?\s*$|\b(?:fun|func|def)\s+[\w<>.]+\s*[(\[<])"},
    {Family::java, Kind::type,
     R"(^\s*(?:\w+\s+)*(?:class|interface|enum|record|object|trait|protocol|struct)\s+\w+)"},
    {Family::script, Kind::function,
     R"(\bfunction\s*\*?\s*[\w$]+\s*\(|\b(?:const|let|var)\s+[\w$]+\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function|\([^)]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)|^\s+(?:static\s+|async\s+|get\s+|set\s+|public\s+|private\s+|protected\s+)+[\w$#]+\s*\([^;]*\)\s*(?::[^;]+)?\{\s*$)"},
    {Family::script, Kind::type,
     R"(^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:class|interface|enum)\s+\w+)"},
    {Family::python, Kind::function, R"(^\s*(?:async\s+)?def\s+\w+)"},
    {Family::python, Kind::type, R"(^\s*class\s+\w+)"},
    {Family::ruby, Kind::function, R"(^\s*def\s+\S+)"},
    {Family::ruby, Kind::type, R"(^\s*(?:class|module)\s+[A-Z]\w*)"},
    {Family::go, Kind::function, R"(^func\s)"},
    {Family::go, Kind::type, R"(^\s*(?:type\s+)?\w+(?:\[[^\]]*\])?\s+(?:struct|interface)\s*\{)"},
    {Family::rust, Kind::function, R"(\bfn\s+\w+)"},
    {Family::rust, Kind::type, R"(^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|union|trait)\s+\w+)"},
    {Family::rust, Kind::macro, R"(\bmacro_rules!\s*\w+)"},
    {Family::shell, Kind::function, R"(^\s*(?:function\s+[\w-]+|[\w-]+\s*\(\s*\)))"},
    {Family::php, Kind::function, R"(\bfunction\s+&?\w+\s*\()"},
    {Family::php, Kind::type, R"(^\s*(?:abstract\s+|final\s+)?(?:class|interface|trait)\s+\w+)"},
    {Family::perl, Kind::function, R"(^\s*sub\s+\w+)"},
    {Family::lua, Kind::function, R"(\bfunction\b)"},
    {Family::sql, Kind::type, R"((?i)\bcreate\s+(?:\w+\s+)*?(?:table|view)\b)"},
    {Family::sql, Kind::function, R"((?i)\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\b)"},
    {Family::cmake, Kind::function, R"((?i)^\s*(?:function|macro)\s*\()"},
});

Kind kind_of(std::string_view noun) {
  if (noun.starts_with("macro")) return Kind::macro;
  if (noun.starts_with("func") || noun.starts_with("meth") || noun.starts_with("def")) {
    return Kind::function;
  }
  return Kind::type;
}

}  // namespace

std::string plan_count_files(const Question& question, Investigation& look) {
  const std::string type = question.file_type.empty() ? question.subject : question.file_type;
  const bool is_everything = type.empty() || type == "source" || type == "different";
  std::string glob = is_everything ? "*" : glob_for_type(type);
  if (glob.empty()) glob = has_glob_characters(type) ? type : "*." + type;
  const Listing all = look.list_files({.pattern = glob, .path = question.path, .limit = 1000});
  const std::int64_t total = all.total;
  if (look.is_waiting()) return "Counting files.";
  if (look.has_failed() && total == 0) return "I could not count the files.";
  Answer answer;
  answer.paragraph(
      fmt::format("There {} {}{}{}.", total == 1 ? "is" : "are", counted(total, "file", "files"),
                  is_everything ? "" : " of type " + code_span(type), below(question)));
  std::vector<std::string> items;
  for (const auto& [extension, count] : by_extension(all)) {
    items.push_back(fmt::format("{}: {}", extension, with_separators(count)));
  }
  answer.items(items, 15, "extensions");
  if (all.is_truncated) {
    answer.paragraph(fmt::format("(by extension: the first {} of {} files)",
                                 with_separators(static_cast<std::int64_t>(all.files.size())),
                                 with_separators(all.total)));
  }
  if (all.ignored > 0) {
    answer.paragraph(fmt::format("{} not counted because .gitignore names them.",
                                 counted(all.ignored, "entry was", "entries were")));
  }
  return answer.text();
}

std::string plan_count_lines(const Question& question, Investigation& look) {
  if (!question.subject.empty()) {
    Question file = question;
    file.qualifier = "count";
    return plan_file(file, look);
  }
  GrepRequest wanted = in_scope(question, "^");
  wanted.output_mode = "count";
  wanted.limit = 1000;
  const std::string glob = glob_for_type(question.file_type);
  if (!glob.empty()) wanted.glob = glob;
  const Matches found = look.grep(wanted);
  if (look.is_waiting()) return "Counting lines.";
  const std::int64_t lines = found.total;
  std::map<std::string_view, std::int64_t> by_language;
  std::vector<FileCount> longest = found.counts;
  for (const FileCount& file : longest) by_language[language_of(file.path).name] += file.count;
  if (lines == 0 && look.has_failed()) return "I could not count the lines.";
  Answer answer;
  answer.paragraph(fmt::format(
      "{} in {}{}{}, blank lines and comments included.", counted(lines, "line", "lines"),
      counted(found.files_with_matches, "text file", "text files"),
      glob.empty() ? "" : " of type " + code_span(question.file_type), below(question)));
  std::vector<std::pair<std::string_view, std::int64_t>> sorted(by_language.begin(),
                                                                by_language.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& e) { return e.second; });
  std::vector<std::string> items;
  for (const auto& [name, count] : sorted) {
    items.push_back(fmt::format("{}: {}", name, with_separators(count)));
  }
  if (!items.empty()) answer.heading("By language").items(items, 12, "languages");
  std::ranges::stable_sort(longest, std::ranges::greater{}, &FileCount::count);
  if (!longest.empty()) answer.heading("Longest files");
  for (std::size_t i = 0; i < longest.size() && i < 5; ++i) {
    answer.item(fmt::format("{}: {}", longest[i].path, with_separators(longest[i].count)));
  }
  if (longest.size() < static_cast<std::size_t>(found.files_with_matches)) {
    answer.paragraph(
        fmt::format("(the breakdown is of the {} files that were listed)", longest.size()));
  }
  return answer.text();
}

std::string plan_count_definitions(const Question& question, Investigation& look) {
  constexpr std::size_t kMostSearches = 10;
  const Kind kind = kind_of(question.qualifier);
  std::vector<std::string> globs = globs_for_type(question.file_type);
  if (globs.empty()) {
    const Listing all = look.list_files({.pattern = "*", .path = question.path, .limit = 1000});
    if (look.is_waiting()) return "Looking at which languages are here.";
    for (const auto& [extension, count] : by_extension(all)) {
      if (extension.starts_with('.')) globs.push_back("*" + extension);
    }
  }
  struct Counted {
    std::string glob;
    Matches found;
  };
  std::vector<Counted> counts;
  for (const std::string& glob : globs) {
    const Family family = language_of(glob).family;
    const auto rule = std::ranges::find_if(kCountRules, [&](const CountRule& candidate) {
      return candidate.family == family && candidate.kind == kind;
    });
    if (rule == kCountRules.end() || counts.size() >= kMostSearches) continue;
    GrepRequest wanted{.pattern = std::string(rule->pattern), .path = question.path, .glob = glob};
    wanted.output_mode = "count";
    wanted.limit = 5;
    counts.push_back({glob, look.grep(wanted)});
  }
  if (look.is_waiting()) return fmt::format("Counting {}.", question.qualifier);
  std::int64_t total = 0;
  for (const Counted& count : counts) total += count.found.total;
  if (counts.empty())
    return fmt::format("I found no source files in which to count {}.", question.qualifier);
  Answer answer;
  answer.paragraph(fmt::format("About {} {}{}, judged by the shape of lines (no parser was used).",
                               with_separators(total), question.qualifier, below(question)));
  for (const Counted& count : counts) {
    if (count.found.total == 0) continue;
    answer.item(fmt::format("{}: {} in {}", code_span(count.glob),
                            with_separators(count.found.total),
                            counted(count.found.files_with_matches, "file", "files")));
  }
  return answer.text();
}

std::string plan_count_occurrences(const Question& question, Investigation& look) {
  const bool is_name = is_identifier(question.subject) && !looks_like_file(question.subject);
  GrepRequest wanted = in_scope(
      question, is_name ? regex_for_name(question.subject) : quote_for_regex(question.subject));
  wanted.output_mode = "count";
  wanted.limit = 200;
  const Matches found = look.grep(wanted);
  if (look.is_waiting()) return fmt::format("Counting {}.", code_span(question.subject));
  if (found.total == 0) {
    return look.has_failed()
               ? fmt::format("I could not count {}.", code_span(question.subject))
               : fmt::format("{} does not occur{}.", code_span(question.subject), below(question));
  }
  std::vector<FileCount> files = found.counts;
  std::ranges::stable_sort(files, std::ranges::greater{}, &FileCount::count);
  Answer answer;
  answer.paragraph(fmt::format("{} occurs on {} in {}{}, definitions included.",
                               code_span(question.subject), counted(found.total, "line", "lines"),
                               counted(found.files_with_matches, "file", "files"),
                               below(question)));
  std::vector<std::string> items;
  for (const FileCount& file : files) items.push_back(fmt::format("{}: {}", file.path, file.count));
  answer.items(items, 15, "files");
  return answer.text();
}

}  // namespace wright::offline
