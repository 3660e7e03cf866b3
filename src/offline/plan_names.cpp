// Questions about one name in code: where it is defined, what it does, where it is used; and
// searches for a piece of text.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "offline/languages.h"
#include "offline/locate.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

// A verdict of this score or less is not shown when there is a better one.
constexpr int kDoubtful = 30;

std::string described(const Definition& definition) {
  const bool is_sure = definition.window.lines.size() > 0;
  switch (definition.verdict.role) {
    case LineRole::definition: return fmt::format("{}", definition.verdict.what);
    case LineRole::declaration:
      return definition.verdict.what == "function" || definition.verdict.what == "method"
                 ? fmt::format("{} declaration", definition.verdict.what)
                 : std::string(definition.verdict.what);
    case LineRole::callable: return fmt::format("{}", definition.verdict.what);
    default: return fmt::format("{}{}", is_sure ? "" : "probably ", definition.verdict.what);
  }
}

std::string with_article(const std::string& noun) {
  if (noun.empty()) return noun;
  constexpr std::string_view kDoubt = "probably ";
  if (noun.starts_with(kDoubt))
    return std::string(kDoubt) + with_article(noun.substr(kDoubt.size()));
  const bool has_vowel = std::string_view("aeiouAEIOU").find(noun.front()) != std::string::npos;
  return (has_vowel ? "an " : "a ") + noun;
}

std::string listed(const Definition& definition) {
  return fmt::format("{}: {} ({})", place(definition.path, definition.line),
                     code_span(definition.text), described(definition));
}

std::string excerpt_of(const Definition& definition, std::size_t most_lines) {
  const Window& window = definition.window;
  if (window.lines.empty()) return {};
  const Family family = language_of(definition.path).family;
  std::size_t first = start_with_comment(family, window.lines, definition.index);
  std::size_t last = end_of_definition(family, window.lines, definition.index);
  if (definition.verdict.role == LineRole::definition && definition.verdict.what == "type" &&
      trim(window.lines[definition.index]).starts_with('}')) {
    // The name stands at the end of its typedef: show the lines before it.
    first = definition.index > most_lines ? definition.index - most_lines + 1 : 0;
    for (std::size_t i = definition.index; i-- > first;) {
      if (window.lines[i].find("typedef") != std::string_view::npos) {
        first = start_with_comment(family, window.lines, i);
        break;
      }
    }
    last = definition.index;
  }
  // A long comment must not push the definition itself out of sight.
  if (definition.index >= first + most_lines / 2) first = definition.index - most_lines / 2;
  return excerpt(window, first, last, most_lines);
}

std::string mention_count(const Definitions& located) {
  if (located.mentions == 0) return {};
  return fmt::format("{} in {} mention it.", counted(located.mentions, "line", "lines"),
                     counted(located.mentioning_files, "file", "files"));
}

// The name as it is spelled where it was found.
std::string spelling_at(const Definition& definition) {
  const Verdict& verdict = definition.verdict;
  const std::string_view line = definition.window.lines.empty()
                                    ? std::string_view(definition.text)
                                    : definition.window.lines[definition.index];
  return std::string(line.substr(std::min(verdict.name_start, line.size()),
                                 verdict.name_end - verdict.name_start));
}

// A pattern for names that have the words one after the other, however they are joined.
std::string pattern_for_similar_names(const std::vector<std::string>& words) {
  std::string pattern;
  for (const std::string& word : words) {
    pattern += (pattern.empty() ? "" : "[a-z0-9]{0,5}[_-]?") + quote_for_regex(word);
  }
  return pattern;
}

// The names in the matches that have the words, each with its first place.
std::vector<std::string> similar_names(const Matches& matches,
                                       const std::vector<std::string>& words) {
  const RE2 pattern(R"((?i)(\w*)" + pattern_for_similar_names(words) + R"(\w*))");
  std::map<std::string, std::string> places;
  for (const Match& match : matches.matches) {
    std::string name;
    if (!RE2::PartialMatch(match.text, pattern, &name)) continue;
    places.emplace(name, place(match.path, match.line));
  }
  std::vector<std::string> items;
  for (const auto& [name, where] : places) {
    items.push_back(fmt::format("{}: {}", code_span(name), where));
  }
  return items;
}

// Nothing is defined under the name: other spellings, mentions, files, or the words of the name.
std::string without_definition(const Question& question, Investigation& look,
                               const Definitions& located) {
  const std::string name = split_qualified(question.subject).name;
  GrepRequest wanted = in_scope(question, regex_for_name(name));
  wanted.limit = 20;
  const Matches mentions = located.mentions > 0 ? look.grep(wanted) : Matches{};
  const Listing files = look.list_files({.pattern = glob_for_word(name), .limit = 20});
  // Somebody who spells a name out means that name, not what its words are about.
  const bool is_spelled_out = question.is_quoted || looks_like_code(question.subject);
  const std::vector<std::string> words = words_in_name(name);
  GrepRequest similar = in_scope(question, pattern_for_similar_names(words));
  similar.ignores_case = true;
  const Matches near = is_spelled_out && words.size() > 1 ? look.grep(similar) : Matches{};
  const auto other_case = locate(question, look, LetterCase::any);
  if (!other_case || look.is_waiting()) {
    return fmt::format("No definition of {} so far; looking wider.", code_span(name));
  }
  if (mentions.matches.empty() && files.files.empty() && other_case->found.empty()) {
    if (look.has_failed())
      return fmt::format("I could not look for {}.", code_span(question.subject));
    if (!is_spelled_out && words.size() > 1) {
      Question wider = question;
      wider.topic = Topic::idea;
      wider.qualifier.clear();
      return plan_idea(wider, look);
    }
    Answer nothing;
    nothing.paragraph(
        fmt::format("Nothing here defines or mentions {}{}.", code_span(question.subject),
                    question.path.empty() ? "" : " below " + code_span(question.path)));
    const std::vector<std::string> names = similar_names(near, words);
    if (!names.empty()) nothing.heading("Similar names").items(names, 8, "names");
    return nothing.text();
  }
  Answer answer;
  if (other_case->found.empty()) {
    answer.paragraph(
        fmt::format("I found no definition of {} here{}.", code_span(question.subject),
                    located.mentions == 0 ? "" : ", only uses: it may come from outside"));
  } else {
    const Definition& best = other_case->found.front();
    answer.paragraph(fmt::format("{} is not defined here in this spelling, but {} is, at **{}**:",
                                 code_span(question.subject), code_span(spelling_at(best)),
                                 place(best.path, best.line)));
    answer.block(excerpt_of(best, 24));
  }
  if (!mentions.matches.empty()) {
    answer.heading("Mentioned at");
    for (const Match& match : mentions.matches) {
      answer.item(fmt::format("{}: {}", place(match.path, match.line), code_span(match.text)));
    }
    if (mentions.total > static_cast<std::int64_t>(mentions.matches.size())) {
      answer.paragraph(fmt::format("(first {} of {})", mentions.matches.size(),
                                   counted(mentions.total, "match", "matches")));
    }
  }
  if (!files.files.empty()) {
    answer.heading("Files of that name");
    for (const FileEntry& file : files.files) answer.item(file.path);
  }
  return answer.text();
}

void add_doubt(Answer& answer, const Question& question, const Definition& best) {
  if (best.has_owner) return;
  const QualifiedName name = split_qualified(question.subject);
  answer.paragraph(
      fmt::format("Nothing there shows that this {} belongs to {}: it may be another one.",
                  code_span(name.name), code_span(name.owner)));
}

void add_others(Answer& answer, const Definitions& located, std::size_t most) {
  const bool is_best_sure = located.found.front().rank > kDoubtful;
  std::vector<std::string> definitions;
  std::vector<std::string> declarations;
  for (std::size_t i = 1; i < located.found.size(); ++i) {
    const Definition& other = located.found[i];
    const bool is_guess = other.rank <= kDoubtful || other.verdict.role == LineRole::assignment ||
                          other.verdict.role == LineRole::constant ||
                          (other.verdict.role == LineRole::callable && other.verdict.score <= 60);
    if (is_best_sure && is_guess) continue;
    const bool is_definition =
        other.verdict.role == LineRole::definition || other.verdict.role == LineRole::callable;
    (is_definition ? definitions : declarations).push_back(listed(other));
  }
  if (!definitions.empty())
    answer.heading("Other definitions").items(definitions, most, "definitions");
  if (!declarations.empty())
    answer.heading("Declared or assigned at").items(declarations, most, "places");
}

}  // namespace

std::string below(const Question& question) {
  return question.path.empty() ? std::string() : " below " + code_span(question.path);
}

GrepRequest in_scope(const Question& question, std::string pattern) {
  GrepRequest wanted{.pattern = std::move(pattern)};
  if (looks_like_file(question.path)) {
    wanted.path = folder_of(question.path);
    wanted.glob = file_name(question.path);
  } else {
    wanted.path = question.path;
  }
  return wanted;
}

std::string plan_definition(const Question& question, Investigation& look) {
  const auto located = locate(question, look);
  if (!located)
    return fmt::format("Looking for the definition of {}.", code_span(question.subject));
  if (located->found.empty()) return without_definition(question, look, *located);
  const Definition& best = located->found.front();
  Answer answer;
  const std::string what = with_article(described(best));
  const bool is_definition =
      best.verdict.role == LineRole::definition || best.verdict.role == LineRole::callable;
  answer.paragraph(fmt::format(
      "{} is {} at **{}**{}", code_span(question.subject),
      is_definition ? "defined as " + what : "declared (" + what + ")", place(best.path, best.line),
      is_definition ? ":" : "; I found no definition with a body or value here:"));
  const std::string shown = excerpt_of(best, 24);
  answer.block(shown.empty() ? code_span(best.text) : shown);
  add_doubt(answer, question, best);
  add_others(answer, *located, 10);
  answer.paragraph(mention_count(*located));
  if (!located->is_complete) {
    answer.paragraph("The name is so common that not every candidate was looked at.");
  }
  return answer.text();
}

std::string plan_symbol(const Question& question, Investigation& look) {
  const auto located = locate(question, look);
  if (!located) return fmt::format("Looking for {} and its uses.", code_span(question.subject));
  if (located->found.empty()) return without_definition(question, look, *located);
  const Definition& best = located->found.front();
  Answer answer;
  answer.paragraph(fmt::format("{} is {}, at **{}**.", code_span(question.subject),
                               with_article(described(best)), place(best.path, best.line)));
  if (!best.window.lines.empty()) {
    const Family family = language_of(best.path).family;
    const std::string comment = comment_of(family, best.window.lines, best.index);
    if (!comment.empty()) {
      answer.paragraph("Its comment says: " + shortened(comment, 900));
    } else {
      answer.paragraph("It has no comment; this is its text:");
    }
    answer.block(excerpt_of(best, 40));
  } else {
    answer.block(code_span(best.text));
  }
  add_doubt(answer, question, best);
  add_others(answer, *located, 6);
  if (located->mentions > 0) {
    std::vector<FileCount> files = located->files;
    std::ranges::stable_sort(files, std::ranges::greater{}, &FileCount::count);
    std::vector<std::string> items;
    for (const FileCount& file : files) {
      items.push_back(file.count > 0 ? fmt::format("{} ({})", file.path, file.count) : file.path);
    }
    answer.heading("Mentioned in").items(items, 8, "files");
    answer.paragraph(mention_count(*located));
  }
  answer.paragraph(
      "(This is read off the source; I am no language model and do not interpret it.)");
  return answer.text();
}

std::string plan_usage(const Question& question, Investigation& look) {
  constexpr std::size_t kMostLines = 40;
  constexpr std::size_t kMostPerFile = 6;
  const QualifiedName name = is_identifier(question.subject) && !looks_like_file(question.subject)
                                 ? split_qualified(question.subject)
                                 : QualifiedName{{}, question.subject};
  GrepRequest wanted = in_scope(question, regex_for_name(name.name));
  wanted.limit = 300;
  const Matches found = look.grep(wanted);
  if (look.is_waiting()) return fmt::format("Looking for uses of {}.", code_span(question.subject));
  if (found.matches.empty()) {
    if (look.has_failed())
      return fmt::format("I could not look for uses of {}.", code_span(question.subject));
    if (question.subject.contains(' ')) return plan_idea(question, look);
    return without_definition(question, look, {});
  }
  const DefinitionJudge judge(name.name);
  std::vector<std::pair<std::string, std::vector<const Match*>>> by_file;
  std::vector<std::string> definitions;
  std::size_t uses = 0;
  for (const Match& match : found.matches) {
    const Verdict verdict = judge.judge(match.path, match.text);
    const bool is_definition =
        (verdict.role == LineRole::definition || verdict.role == LineRole::callable ||
         verdict.role == LineRole::declaration) &&
        verdict.score >= 50;
    if (is_definition) {
      definitions.push_back(
          fmt::format("{}: {}", place(match.path, match.line), code_span(match.text)));
      continue;
    }
    ++uses;
    if (by_file.empty() || by_file.back().first != match.path) by_file.push_back({match.path, {}});
    by_file.back().second.push_back(&match);
  }
  std::ranges::stable_sort(by_file, {}, [](const auto& file) {
    return std::pair(path_penalty(file.first), -static_cast<long>(file.second.size()));
  });
  Answer answer;
  const bool is_cut =
      found.is_truncated || found.total > static_cast<std::int64_t>(found.matches.size());
  answer.paragraph(
      is_cut ? fmt::format("{} is mentioned on {} in {}; these are from the first {}.",
                           code_span(question.subject), counted(found.total, "line", "lines"),
                           counted(found.files_with_matches, "file", "files"), found.matches.size())
             : fmt::format("{} is used on {} in {}.", code_span(question.subject),
                           counted(static_cast<std::int64_t>(uses), "line", "lines"),
                           counted(static_cast<std::int64_t>(by_file.size()), "file", "files")));
  if (uses == 0) answer.paragraph("It is only defined or declared, never used:");
  std::size_t shown = 0;
  for (const auto& [path, matches] : by_file) {
    if (shown >= kMostLines) break;
    answer.heading(fmt::format("{} ({})", path, matches.size()));
    for (std::size_t i = 0; i < matches.size() && i < kMostPerFile && shown < kMostLines; ++i) {
      answer.item(
          fmt::format("{}: {}", place(path, matches[i]->line), code_span(matches[i]->text)));
      ++shown;
    }
    if (matches.size() > kMostPerFile) {
      answer.item(fmt::format("… and {} more in this file", matches.size() - kMostPerFile));
    }
  }
  if (shown < uses) answer.paragraph(fmt::format("(shown: {} of {} uses)", shown, uses));
  if (!definitions.empty())
    answer.heading("Defined or declared at").items(definitions, 8, "places");
  return answer.text();
}

std::string plan_search(const Question& question, Investigation& look) {
  static const RE2 kRegexSigns(R"(\\[bwdsWDS.()]|\.\*|\.\+|\[[^\]]+\]|^\^|\$$|\(\?)");
  RE2::Options quiet;
  quiet.set_log_errors(false);
  const bool is_regex =
      RE2::PartialMatch(question.subject, kRegexSigns) && RE2(question.subject, quiet).ok();
  GrepRequest wanted =
      in_scope(question, is_regex ? question.subject : quote_for_regex(question.subject));
  wanted.limit = 60;
  const Matches exact = look.grep(wanted);
  if (look.is_waiting()) return fmt::format("Searching for {}.", code_span(question.subject));
  if (exact.matches.empty() && !look.has_failed()) {
    if (!looks_like_code(question.subject)) return plan_idea(question, look);
    return fmt::format("No line here contains {}.", code_span(question.subject));
  }
  Answer answer;
  answer.paragraph(fmt::format("{} in {} contain {}{}.", counted(exact.total, "line", "lines"),
                               counted(exact.files_with_matches, "file", "files"),
                               code_span(question.subject),
                               is_regex ? " (taken as a regular expression)" : ""));
  for (const Match& match : exact.matches) {
    answer.item(fmt::format("{}: {}", place(match.path, match.line), code_span(match.text)));
  }
  if (exact.total > static_cast<std::int64_t>(exact.matches.size())) {
    answer.paragraph(fmt::format("(first {} of {})", exact.matches.size(),
                                 counted(exact.total, "match", "matches")));
  }
  return answer.text();
}

}  // namespace wright::offline
