#include "offline/lines.h"

#include <fmt/format.h>

#include <algorithm>
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
  const Matches found = look.grep(wanted);
  if (look.is_waiting()) return fmt::format("Searching for {}.", code_span(question.subject));
  if (look.has_failed() && found.total == 0)
    return fmt::format("I could not look for {}.", code_span(question.subject));
  if (found.total == 0)
    return fmt::format("Nothing here mentions {}{}.", code_span(question.subject),
                       folder_phrase(question));
  AnswerText answer;
  answer.paragraph(fmt::format(
      "Without the index of the code I cannot tell where {} is defined; {} {} it:",
      code_span(question.subject), mention_count(found), found.total == 1 ? "has" : "have"));
  add_lines(answer, found, 20);
  return answer.text();
}

}  // namespace wright::offline
