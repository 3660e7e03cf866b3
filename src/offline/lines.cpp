#include "offline/lines.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

#include "offline/languages.h"
#include "offline/regex_text.h"
#include "offline/wording.h"

namespace wright::offline {

std::string last_part(std::string_view name) {
  const std::size_t at = name.find_last_of(":.#>");
  return std::string(at == std::string_view::npos || at + 1 == name.size() ? name
                                                                           : name.substr(at + 1));
}

std::string folder_phrase(const ParsedPrompt& question) {
  return question.path.empty() ? std::string() : " below " + code_span(question.path);
}

GrepRequest in_scope(const ParsedPrompt& question, std::string pattern) {
  GrepRequest wanted{.pattern = std::move(pattern)};
  if (looks_like_file(question.path)) {
    wanted.path = folder_of(question.path);
    wanted.glob = file_name(question.path);
  } else {
    wanted.path = question.path;
  }
  return wanted;
}

Matches grep_with_hidden(const GrepRequest& wanted, Investigation& look) {
  constexpr std::size_t kMostPlaces = 12;
  constexpr int kMostListed = 500;
  Matches found = look.grep(wanted);
  // A file that was named is searched whatever it is called.
  if (found.left_out.hidden == 0 || !wanted.glob.empty() || !look.offers("list_files"))
    return found;
  const Listing hidden = look.list_files({.pattern = "{**/.*,**/.*/**}",
                                          .path = wanted.path,
                                          .with_hidden = true,
                                          .limit = kMostListed});
  // The uppermost hidden part of each path: ".github", "tools/.config.yml".
  std::vector<std::string> places;
  const std::size_t start = wanted.path.empty() ? 0 : wanted.path.size() + 1;
  for (const FileEntry& file : hidden.files) {
    std::size_t dot = file.path.starts_with(wanted.path) ? start : 0;
    while (dot < file.path.size() && file.path[dot] != '.') {
      const std::size_t slash = file.path.find('/', dot);
      dot = slash == std::string::npos ? file.path.size() : slash + 1;
    }
    if (dot >= file.path.size()) continue;
    std::string place = file.path.substr(0, file.path.find('/', dot));
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  }
  // What holds keys and passwords is nobody's business unless it is named.
  static const RE2 kPrivate(
      R"((?:^|/)\.(?:env.*|netrc|npmrc|pypirc|pgpass|git-credentials|ssh|aws|azure|gnupg|kube|docker|config)$)");
  const auto kept_out = std::erase_if(
      places, [](const std::string& place) { return RE2::PartialMatch(place, kPrivate); });
  const bool is_whole = kept_out == 0 && !hidden.is_truncated && places.size() <= kMostPlaces &&
                        !look.has_reached_limit();
  if (places.size() > kMostPlaces) places.resize(kMostPlaces);
  found.left_out.hidden = is_whole ? 0 : found.left_out.hidden;
  for (const std::string& place : places) {
    GrepRequest inside = wanted;
    inside.path = place;
    Matches more = look.grep(inside);
    std::ranges::move(more.matches, std::back_inserter(found.matches));
    std::ranges::move(more.counts, std::back_inserter(found.counts));
    found.total += more.total;
    found.files_with_matches += more.files_with_matches;
    found.files_searched += more.files_searched;
    found.is_truncated = found.is_truncated || more.is_truncated;
    found.left_out.ignored += more.left_out.ignored;
    found.left_out.binary += more.left_out.binary;
    found.left_out.unreadable += more.left_out.unreadable;
    found.left_out.links += more.left_out.links;
  }
  return found;
}

std::string not_searched(const Matches& found) {
  const LeftOutOfSearch& out = found.left_out;
  std::vector<std::string> parts;
  if (out.hidden > 0)
    parts.push_back(fmt::format("what is hidden ({})", counted(out.hidden, "entry", "entries")));
  if (out.ignored > 0)
    parts.push_back(
        fmt::format("what .gitignore names ({})", counted(out.ignored, "entry", "entries")));
  if (out.binary > 0)
    parts.push_back(
        fmt::format("what does not look like text ({})", counted(out.binary, "file", "files")));
  if (out.unreadable > 0)
    parts.push_back(
        fmt::format("what cannot be read ({})", counted(out.unreadable, "entry", "entries")));
  if (out.links > 0) parts.push_back(fmt::format("links ({})", with_separators(out.links)));
  return parts.empty() ? std::string() : fmt::format(" Not searched: {}.", fmt::join(parts, ", "));
}

bool looks_defining(const Match& match, const std::string& name) {
  if (!is_code(match.path)) return false;
  const std::string own = quote_for_regex(name);
  static const RE2 kNoType(
      R"(^\s*(?:return|else|new|delete|throw|case|goto|await|yield|in|not|and|or|if|while|for|import|from|using|use|the|a|an|this|our|its)\b)");
  const RE2 keyword(fmt::format(
      R"((?:^|[\s;{{}}(])(?:def|function|fn|func|fun|class|struct|interface|trait|enum|union|type|typedef|sub|proc|module|namespace|#\s*define)\s+{}(?:\W|$))",
      own));
  // A type, the name, and brackets that no semicolon follows.
  const RE2 typed(fmt::format(
      R"(^\s*(?:[\w:<>,\[\]"]+[\s*&]+)+(?:\w+::)?{}\s*\((?:[^;]*[(),]\s*|[^;]*\)[^;]*\{{.*)$)",
      own));
  if (RE2::PartialMatch(match.text, keyword)) return true;
  return !RE2::PartialMatch(match.text, kNoType) && RE2::PartialMatch(match.text, typed);
}

std::string mention_count(const Matches& found) {
  return fmt::format("{} in {}", counted(found.total, "line", "lines"),
                     counted(found.files_with_matches, "file", "files"));
}

void add_lines(AnswerText& answer, const Matches& found, std::size_t most, const Entities& near) {
  std::vector<Match> lines = found.matches;
  const auto is_near = [&](const std::string& path) {
    return std::ranges::any_of(near.found, [&](const Entity& each) { return each.file == path; });
  };
  std::ranges::stable_sort(lines, {}, [&](const Match& match) {
    return std::tuple(path_penalty(match.path), !is_near(match.path), !is_code(match.path),
                      match.line > 20);
  });
  for (std::size_t i = 0; i < lines.size() && i < most; ++i)
    answer.item(
        fmt::format("{}: {}", place(lines[i].path, lines[i].line), code_span(lines[i].text)));
  const auto shown = static_cast<std::int64_t>(std::min(lines.size(), most));
  if (found.total > shown) answer.item(fmt::format("… and {} more", found.total - shown));
}

std::string by_lines(const ParsedPrompt& question, Investigation& look) {
  GrepRequest wanted = in_scope(question, question.subject.contains(' ')
                                              ? quote_for_regex(question.subject)
                                              : regex_for_name(last_part(question.subject)));
  wanted.ignores_case = question.subject.contains(' ');
  const Matches found = grep_with_hidden(wanted, look);
  if (look.is_waiting()) return fmt::format("Searching for {}.", code_span(question.subject));
  if (look.has_failed() && found.total == 0)
    return fmt::format("I could not look for {}.", code_span(question.subject));
  if (found.total == 0)
    return fmt::format("Nothing here mentions {}{}.{}", code_span(question.subject),
                       folder_phrase(question), not_searched(found));
  AnswerText answer;
  answer.paragraph(fmt::format(
      "Without the index of the code I cannot tell where {} is defined; {} {} it:",
      code_span(question.subject), mention_count(found), found.total == 1 ? "has" : "have"));
  add_lines(answer, found, 20);
  return answer.text();
}

}  // namespace wright::offline
