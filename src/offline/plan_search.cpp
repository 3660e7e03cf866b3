// Questions that lines answer: where a name is used, which lines or files have a text, and what
// comes nearest to a question that nobody recognises.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "offline/index.h"
#include "offline/languages.h"
#include "offline/lines.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/regex_text.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

using Places = std::set<std::pair<std::string, int>>;

bool is_value(const Entity& entity) {
  constexpr auto kTypes =
      std::to_array<std::string_view>({"field", "property", "variable", "constant", "import"});
  return std::ranges::find(kTypes, entity.type) != kTypes.end();
}

// Where something else than a value has the name, a value of that name holds it:
// module.exports = { parse }.
Places lines_that_define(const Entities& named) {
  const bool has_others = std::ranges::any_of(named.found, std::not_fn(is_value));
  Places places;
  for (const Entity& entity : named.found) {
    if (!has_others || !is_value(entity)) places.emplace(entity.file, entity.line);
  }
  return places;
}

int times_in(std::string_view line, const std::string& name) {
  const RE2 pattern(regex_for_name(name));
  int times = 0;
  re2::StringPiece rest = piece(line);
  while (RE2::FindAndConsume(&rest, pattern)) ++times;
  return times;
}

// Whether a line of code says that it takes something from elsewhere.
bool is_import(const Match& match) {
  static const RE2 kWord(
      R"(^\s*(?:#\s*(?:include|import)\b|import\b|from\s+\S+\s+import\b|export\b.*\bfrom\b|(?:pub(?:\([^)]*\))?\s+)?(?:use|mod)\b|using\b|extern crate\b|require(?:_once|_relative)?\b|include(?:_once)?\b|source\b|\.\s|@(?:import|use)\b|find_package\b|add_subdirectory\b)|\brequire\s*\(|\bimport\s*\(|\}\s*from\s+["'])");
  static const RE2 kGoBlock(R"re(^\s*(?:[\w.]+\s+)?"[^"\s]+"\s*(?://.*)?$)re");
  if (!is_code(match.path)) return false;
  return RE2::PartialMatch(match.text, kWord) ||
         (match.path.ends_with(".go") && RE2::FullMatch(match.text, kGoBlock));
}

std::string_view verb_of(const ParsedPrompt& question, bool is_singular) {
  static const RE2 kIncludes(R"((?i)\binclud)");
  if (RE2::PartialMatch(question.prompt, kIncludes)) return is_singular ? "includes" : "include";
  return is_singular ? "imports" : "import";
}

// "Which files import zod" is no question for all files that say it.
std::string plan_imports(const ParsedPrompt& question, Investigation& look) {
  const std::string own = quote_for_regex(question.subject);
  GrepRequest wanted = in_scope(question, fmt::format(R"((?:^|\W){}(?:\W|$))", own));
  wanted.limit = 1000;
  const Matches found = grep_with_hidden(wanted, look);
  if (look.is_waiting())
    return fmt::format("Looking for imports of {}.", code_span(question.subject));
  if (look.has_failed() && found.total == 0)
    return fmt::format("I could not look for imports of {}.", code_span(question.subject));
  std::vector<std::string> items;
  std::set<std::string> files;
  std::set<std::string> others;
  for (const Match& match : found.matches) {
    if (!is_import(match)) {
      others.insert(match.path);
      continue;
    }
    files.insert(match.path);
    items.push_back(fmt::format("{}: {}", place(match.path, match.line), code_span(match.text)));
  }
  std::erase_if(others, [&](const std::string& path) { return files.contains(path); });
  AnswerText answer;
  answer.paragraph(
      items.empty()
          ? fmt::format("I found no line that {} {}{}.{}", verb_of(question, true),
                        code_span(question.subject), folder_phrase(question), not_searched(found))
          : fmt::format("{} in {} {} {}{}:", counted(std::ssize(items), "line", "lines"),
                        counted(std::ssize(files), "file", "files"),
                        verb_of(question, items.size() == 1), code_span(question.subject),
                        folder_phrase(question)));
  answer.items(items, 60, "lines");
  if (!others.empty()) {
    answer.paragraph(fmt::format(
        "{} {} the name in another way:", counted(std::ssize(others), "more file", "more files"),
        others.size() == 1 ? "says" : "say"));
    answer.items({others.begin(), others.end()}, 20, "files");
  }
  answer.paragraph(
      "Judged by the line that has the name: imports over several lines, and relative ones that "
      "write it otherwise, are not seen.");
  if (found.total > std::ssize(found.matches)) answer.paragraph("Not every line was looked at.");
  return answer.text();
}

}  // namespace

std::string plan_usage(const ParsedPrompt& question, Investigation& look) {
  constexpr std::size_t kMostShown = 40;
  constexpr std::size_t kMostPerFile = 6;
  const std::string name = last_part(question.subject);
  GrepRequest wanted = in_scope(question, regex_for_name(name));
  wanted.limit = 300;
  const Matches found = grep_with_hidden(wanted, look);
  const Entities named =
      has_index(look) ? find_named(look, question.subject, question.path) : Entities{};
  if (look.is_waiting()) return fmt::format("Looking for uses of {}.", code_span(question.subject));
  if (found.matches.empty()) {
    if (look.has_failed())
      return fmt::format("I could not look for uses of {}.", code_span(question.subject));
    return fmt::format("Nothing here mentions {}{}.{}", code_span(question.subject),
                       folder_phrase(question), not_searched(found));
  }
  const auto definitions = lines_that_define(named);
  std::vector<std::pair<std::string, std::vector<const Match*>>> by_file;
  for (const Match& match : found.matches) {
    // A line that has the name twice defines it and uses it: f = () => f().
    const bool defines = definitions.contains({match.path, match.line});
    if (defines && times_in(match.text, name) < 2) continue;
    if (by_file.empty() || by_file.back().first != match.path) by_file.push_back({match.path, {}});
    by_file.back().second.push_back(&match);
  }
  std::ranges::stable_sort(by_file, {}, [](const auto& file) {
    return std::pair(path_penalty(file.first), -static_cast<long>(file.second.size()));
  });
  AnswerText answer;
  const bool is_cut = found.total > static_cast<std::int64_t>(found.matches.size());
  answer.paragraph(fmt::format(
      "{} {} the name {}{}{}.", mention_count(found), found.total == 1 ? "has" : "have",
      code_span(name), folder_phrase(question),
      is_cut ? fmt::format("; these are from the first {}", found.matches.size()) : ""));
  if (name != question.subject)
    answer.paragraph("They are found by the name alone: some may mean another one of that name.");
  if (by_file.empty())
    answer.paragraph(fmt::format("{} only defined or declared in {}, never used.{}",
                                 is_cut ? "Of the lines that were looked at, it is" : "It is",
                                 is_cut ? "them" : "what was searched", not_searched(found)));
  std::size_t shown = 0;
  for (const auto& [path, matches] : by_file) {
    if (shown >= kMostShown) break;
    answer.heading(fmt::format("{} ({})", path, matches.size()));
    for (std::size_t i = 0; i < matches.size() && i < kMostPerFile; ++i, ++shown) {
      answer.item(
          fmt::format("{}: {}", place(path, matches[i]->line), code_span(matches[i]->text)));
    }
    if (matches.size() > kMostPerFile)
      answer.item(fmt::format("… and {} more in this file", matches.size() - kMostPerFile));
  }
  std::vector<std::string> places;
  for (const Entity& entity : named.found) places.push_back(kind_and_place(entity));
  if (!places.empty()) answer.heading("Defined or declared at").items(places, 8, "places");
  return answer.text();
}

std::string plan_search(const ParsedPrompt& question, Investigation& look) {
  static const RE2 kRegexSigns(R"(\\[bwdsWDS.()]|\.\*|\.\+|\[[^\]]+\]|^\^|\$$|\(\?)");
  RE2::Options quiet;
  quiet.set_log_errors(false);
  const bool is_regex =
      RE2::PartialMatch(question.subject, kRegexSigns) && RE2(question.subject, quiet).ok();
  GrepRequest wanted =
      in_scope(question, is_regex ? question.subject : quote_for_regex(question.subject));
  static const RE2 kImports(R"((?i)\bfiles (?:that |which |do )?(?:import|include)(?:s|ing)?\b)");
  const bool by_file = question.topic == Topic::containing_files;
  if (by_file && !is_regex && RE2::PartialMatch(question.prompt, kImports))
    return plan_imports(question, look);
  if (by_file) wanted.output_mode = "count";
  wanted.limit = by_file ? 1000 : 60;
  const Matches found = grep_with_hidden(wanted, look);
  if (look.is_waiting()) return fmt::format("Searching for {}.", code_span(question.subject));
  if (look.has_failed() && found.total == 0)
    return fmt::format("I could not search for {}.", code_span(question.subject));
  if (found.total == 0)
    return fmt::format("No line here contains {}{}.{}", code_span(question.subject),
                       folder_phrase(question), not_searched(found));
  AnswerText answer;
  answer.paragraph(fmt::format("{} in {} {} {}{}{}.", counted(found.total, "line", "lines"),
                               counted(found.files_with_matches, "file", "files"),
                               found.total == 1 ? "contains" : "contain",
                               code_span(question.subject), folder_phrase(question),
                               is_regex ? " (taken as a regular expression)" : ""));
  if (!by_file) {
    for (const Match& match : found.matches)
      answer.item(fmt::format("{}: {}", place(match.path, match.line), code_span(match.text)));
    const auto left = found.total - std::ssize(found.matches);
    if (left > 0) answer.item(fmt::format("… and {} more", with_separators(left)));
    return answer.text();
  }
  std::vector<std::string> items;
  for (const FileCount& file : found.counts)
    items.push_back(fmt::format("{} ({})", file.path, counted(file.count, "line", "lines")));
  return answer.items(items, 60, "files").text();
}

std::string plan_unknown(const ParsedPrompt& question, Investigation& look) {
  constexpr std::string_view kLead = "I do not recognise this question";
  static const RE2 kName(R"((`[^`]+`|"[^"]+"|[\w:.]*\w))");
  const std::vector<std::string> words = content_words(question.prompt);
  if (words.empty() || !look.offers("grep")) return cannot_answer(question, look);
  // A name that can only be one of code says more than all of the words.
  std::string name;
  std::string word;
  re2::StringPiece rest(question.prompt);
  while (name.empty() && RE2::FindAndConsume(&rest, kName, &word)) {
    const bool is_quoted = word.front() == '`' || word.front() == '"';
    if (is_quoted && word.size() > 2) name = word.substr(1, word.size() - 2);
    if (!is_quoted && looks_like_code(word) && !looks_like_file(word) &&
        !RE2::FullMatch(word, R"([A-Z]{2,5}|\d.*)"))
      name = word;
  }
  if (!has_index(look)) {
    const std::string wanted =
        name.empty() ? *std::ranges::max_element(words, {}, &std::string::size) : name;
    const Matches found =
        look.grep({.pattern = quote_for_regex(wanted), .ignores_case = true, .limit = 20});
    if (look.is_waiting()) return fmt::format("Searching for {}.", code_span(wanted));
    AnswerText answer;
    answer.paragraph(fmt::format("{}; without a language model I can only search. {} {} {}.", kLead,
                                 mention_count(found), found.total == 1 ? "has" : "have",
                                 code_span(wanted)));
    add_lines(answer, found, 12);
    return answer.paragraph(how_to_ask()).text();
  }
  std::string asked;
  for (const std::string& each : words) asked += (asked.empty() ? "" : " ") + each;
  const Entities named = name.empty() ? Entities{} : find_named(look, name);
  const Entities similar = find_similar(look, asked, 8);
  if (look.is_waiting()) return fmt::format("Searching for the words of the question: {}.", asked);
  AnswerText answer;
  answer.paragraph(fmt::format(
      "{}; without a language model I can only search for its words. {}", kLead,
      named.found.empty() && similar.found.empty() ? "Nothing was found."
                                                   : "These are search results, not an answer:"));
  for (std::size_t i = 0; i < named.found.size() && i < 6; ++i)
    answer.item(described(named.found[i]));
  for (const Entity& entity : similar.found) {
    const bool is_told = std::ranges::any_of(named.found, [&](const Entity& other) {
      return other.file == entity.file && other.line == entity.line;
    });
    if (!is_told) answer.item(described(entity));
  }
  return answer.paragraph(how_to_ask()).text();
}

}  // namespace wright::offline
