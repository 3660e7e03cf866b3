// Questions about one name in code: where it is defined, and what comes near where nothing has it.
// The index knows definitions; what grep finds are lines (lines.h).
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "offline/index.h"
#include "offline/languages.h"
#include "offline/lines.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/regex_text.h"
#include "offline/source_text.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr std::size_t kMostLines = 24;

// How code and files spell a name with these words: RetryPolicy, retry_policy, ….
std::vector<std::string> spellings_of(const std::vector<std::string>& words) {
  const auto joined = [&](std::string_view between, auto change) {
    std::string name;
    for (std::size_t i = 0; i < words.size(); ++i)
      name += std::string(i == 0 ? "" : between) + change(words[i], i);
    return name;
  };
  const auto same = [](const std::string& word, std::size_t) { return word; };
  const auto capital = [](std::string word, std::size_t) {
    if (!word.empty()) word[0] = to_upper(word[0]);
    return word;
  };
  const auto capitals = [](std::string word, std::size_t) {
    std::ranges::transform(word, word.begin(), to_upper);
    return word;
  };
  const auto camel = [&](const std::string& word, std::size_t i) {
    return i == 0 ? word : capital(word, i);
  };
  std::vector<std::string> names{joined("_", same),   joined("", capital), joined("", camel),
                                 joined("-", same),   joined("", same),    joined("_", capitals),
                                 joined("_", capital)};
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

bool fits_kind(std::string_view kind, const Entity& entity) {
  const auto is = [&](std::initializer_list<std::string_view> types) {
    return std::ranges::find(types, entity.type) != types.end();
  };
  if (kind.starts_with("func") || kind.starts_with("method") || kind.starts_with("proc") ||
      kind.starts_with("routine")) {
    return is({"function", "method", "prototype", "macro"});
  }
  if (kind.starts_with("class") || kind.starts_with("struct") || kind.starts_with("type") ||
      kind.starts_with("interface") || kind.starts_with("trait")) {
    return is({"class", "struct", "interface", "trait", "typedef", "union", "enum"});
  }
  if (kind.starts_with("enum")) return is({"enum"});
  if (kind.starts_with("macro")) return is({"macro"});
  if (kind.starts_with("namespace")) return is({"namespace", "module"});
  if (kind.starts_with("variable") || kind.starts_with("constant"))
    return is({"variable", "constant", "macro", "enumerator", "field"});
  return true;
}

bool is_declared_only(const Entity& entity) {
  return entity.type == "prototype" || entity.type == "implementation";
}

// The text of a definition, with the comment above it.
std::string excerpt_of(const Entity& entity, Investigation& look, std::size_t most) {
  constexpr int kAbove = 30;
  ReadRequest request{.path = entity.file, .offset = std::max(1, entity.line - kAbove)};
  request.limit = entity.line - request.offset + static_cast<int>(most) + 1;
  const FileText file = look.read_file(request);
  if (look.is_waiting() || file.content.empty()) return {};
  const Window window = window_of(file);
  const auto at = static_cast<std::size_t>(std::max(0, entity.line - window.first_line));
  if (at >= window.lines.size()) return {};
  std::size_t first = start_of_comment(language_of(entity.file).marks, window.lines, at);
  if (at - first > most / 2) first = at - most / 2;
  std::size_t last = at + static_cast<std::size_t>(std::max(0, entity.end_line - entity.line));
  while (last + 1 < window.lines.size() && window.lines[last].ends_with('\\')) ++last;
  // The window ends where enough was read; what is left out is counted from the index.
  const std::size_t shown = std::min({last - first + 1, most, window.lines.size() - first});
  std::string block = excerpt(window, first, first + shown - 1, shown);
  if (first + shown - 1 < last) {
    block +=
        fmt::format("\n({} more up to {})",
                    counted(static_cast<std::int64_t>(last - (first + shown - 1)), "line", "lines"),
                    place(entity.file, entity.end_line));
  }
  return block;
}

std::string with_article(std::string_view noun) {
  const bool has_vowel = !noun.empty() && std::string_view("aeiou").contains(noun.front());
  return fmt::format("{} {}", has_vowel ? "an" : "a", noun);
}

}  // namespace

std::string without_definition(const ParsedPrompt& question, Investigation& look) {
  const std::string name = last_part(question.subject);
  const bool is_phrase = question.subject.contains(' ');
  const std::vector<std::string> words =
      is_phrase ? words_of(lower(question.subject)) : words_in_name(name);
  const std::vector<std::string> spellings = spellings_of(words);
  JsonArray names;
  for (const std::string& each : spellings) names.emplace_back(each);
  Entities spelled =
      words.empty() ? Entities{}
                    : find_entities(look, "any", {condition("name", "IN", Json(std::move(names)))});
  const Listing files =
      words.empty()
          ? Listing{}
          : look.list_files(
                {.pattern = fmt::format("{{{}}}.*", fmt::join(spellings, ",")), .limit = 20});
  const Listing folder =
      is_phrase || question.subject.contains('.')
          ? Listing{}
          : look.list_files({.pattern = fmt::format("**/{}/**", name), .limit = 50});
  GrepRequest wanted =
      in_scope(question, is_phrase ? quote_for_regex(question.subject) : regex_for_name(name));
  wanted.ignores_case = is_phrase;
  const Matches lines = grep_with_hidden(wanted, look);
  const Entities similar = find_similar(look, question.subject, 8);
  if (look.is_waiting()) return fmt::format("Looking for {}.", code_span(question.subject));
  if (folder.total > 0 && spelled.found.empty()) {
    ParsedPrompt other = question;
    const std::vector<std::string> folders = folders_named(folder, name);
    other.path = folders.size() == 1 ? folders.front() : name;
    return plan_folder(other, look);
  }
  for (const FileEntry& file : files.files)
    spelled.found.push_back(
        {.name = std::string(file_name(file.path)), .type = "file", .file = file.path, .line = 1});
  AnswerText answer;
  std::vector<std::string> defining;
  for (const Match& match : lines.matches) {
    if (!is_phrase && looks_defining(match, name))
      defining.push_back(
          fmt::format("{}: {}", place(match.path, match.line), code_span(match.text)));
  }
  if (!defining.empty()) {
    answer.paragraph(
        fmt::format("The index knows no definition of {}; by the look of {}, it is defined here:",
                    code_span(question.subject), defining.size() == 1 ? "the line" : "the lines"));
    answer.items(defining, 8, "lines");
    answer.paragraph(
        fmt::format("{} {} the name.", mention_count(lines), lines.total == 1 ? "has" : "have"));
    return answer.text();
  }
  if (!spelled.found.empty()) {
    Entities sorted = spelled;
    std::ranges::stable_sort(sorted.found, {}, [](const Entity& entity) {
      return std::tuple(path_penalty(entity.file), entity.type == "file", is_declared_only(entity));
    });
    const Entity& best = sorted.found.front();
    const std::string text = best.type == "file" ? "" : excerpt_of(best, look, kMostLines);
    if (look.is_waiting()) return fmt::format("Reading {}.", place(best.file, best.line));
    answer.paragraph(fmt::format(
        "Nothing here is called {} in this spelling. {} is {}:", code_span(question.subject),
        code_span(best.name), sorted.found.size() == 1 ? "the nearest" : "near"));
    for (const Entity& entity : sorted.found) {
      if (answer.text().size() < 4000) answer.item(described(entity));
    }
    if (!text.empty()) answer.block(text);
  } else if (lines.total == 0 && similar.found.empty()) {
    return fmt::format(
        "{} {}{}.{}", is_phrase ? "Nothing here has the words" : "Nothing here defines or mentions",
        code_span(question.subject), folder_phrase(question), not_searched(lines));
  } else {
    answer.paragraph(
        lines.total == 0
            ? fmt::format(
                  "{} {}{}.{}",
                  is_phrase ? "Nothing here has the words" : "Nothing here defines or mentions",
                  code_span(question.subject), folder_phrase(question), not_searched(lines))
            : fmt::format("Nothing here is defined under the name {}{}; {} it.{}",
                          code_span(question.subject), folder_phrase(question),
                          mention_count(lines) + (lines.total == 1 ? " mentions" : " mention"),
                          not_searched(lines)));
  }
  if (lines.total > 0) {
    answer.heading(
        fmt::format("Lines that say {}", code_span(is_phrase ? question.subject : name)));
    add_lines(answer, lines, 10, similar);
  }
  if (spelled.found.empty() && !similar.found.empty()) {
    answer.heading("Found by similar words");
    for (const Entity& entity : similar.found) answer.item(described(entity));
  }
  return answer.text();
}

std::string plan_definition(const ParsedPrompt& question, Investigation& look) {
  if (!has_index(look)) return by_lines(question, look);
  if (question.subject.contains(' ')) return without_definition(question, look);
  Entities named = find_named(look, question.subject, question.path);
  GrepRequest wanted = in_scope(question, regex_for_name(last_part(question.subject)));
  wanted.limit = 1;
  const Matches mentions = look.grep(wanted);
  if (look.is_waiting())
    return fmt::format("Looking for the definition of {}.", code_span(question.subject));
  if (look.has_failed() && named.found.empty()) return by_lines(question, look);
  const bool has_kind =
      !question.qualifier.empty() && std::ranges::any_of(named.found, [&](const Entity& e) {
        return fits_kind(question.qualifier, e);
      });
  if (has_kind)
    std::erase_if(named.found, [&](const Entity& e) { return !fits_kind(question.qualifier, e); });
  if (named.found.empty()) return without_definition(question, look);

  std::vector<Entity> definitions;
  std::vector<std::string> declarations;
  for (const Entity& entity : named.found) {
    if (is_declared_only(entity)) {
      declarations.push_back(kind_and_place(entity));
    } else {
      definitions.push_back(entity);
    }
  }
  const std::vector<Entity>& shown = definitions.empty() ? named.found : definitions;
  // As many as there is room for; two long ones are enough.
  std::vector<std::string> texts;
  std::int64_t lines = 0;
  for (std::size_t i = 0; i < shown.size() && i < 4; ++i) {
    const std::int64_t size = std::min<std::int64_t>(shown[i].line_count, kMostLines);
    if (i > 0 && lines + size > 2 * static_cast<std::int64_t>(kMostLines)) break;
    lines += size;
    texts.push_back(excerpt_of(shown[i], look, kMostLines));
  }
  if (look.is_waiting()) return fmt::format("Reading {}.", place(shown[0].file, shown[0].line));

  static const RE2 kLines(R"((?i)^how (?:many lines|long|big|large)\b)");
  const bool asks_for_lines = RE2::PartialMatch(question.prompt, kLines);
  AnswerText answer;
  const Entity& first = shown.front();
  const auto total = named.total > std::ssize(named.found) ? named.total : std::ssize(shown);
  if (definitions.empty()) {
    answer.paragraph(fmt::format("{} is declared at **{}**; no definition of it is here.",
                                 code_span(question.subject), place(first.file, first.line)));
  } else if (shown.size() == 1) {
    answer.paragraph(fmt::format(
        "{} is {}, defined at **{}**{}.", code_span(question.subject),
        with_article(first.type) + (first.parent.empty() ? "" : " of " + code_span(first.parent)),
        place(first.file, first.line),
        first.line_count > 1 || asks_for_lines
            ? fmt::format(" ({})", counted(first.line_count, "line", "lines"))
            : ""));
  } else {
    answer.paragraph(fmt::format("{} is defined in {} places:", code_span(question.subject),
                                 with_separators(total)));
    std::vector<std::string> items;
    for (const Entity& entity : shown)
      items.push_back(fmt::format(
          "**{}**: {}{}{}", place(entity.file, entity.line), entity.type,
          entity.parent.empty() ? "" : " of " + code_span(entity.parent),
          asks_for_lines ? fmt::format(", {}", counted(entity.line_count, "line", "lines")) : ""));
    answer.items(items, 12, "places");
    if (total > std::ssize(shown))
      answer.paragraph(fmt::format("({} were looked at)", shown.size()));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    if (shown.size() > 1) answer.heading(place(shown[i].file, shown[i].line));
    answer.block(texts[i]);
  }
  if (!declarations.empty() && !definitions.empty())
    answer.heading("Declared or implemented at").items(declarations, 8, "places");
  if (mentions.total > 0) {
    answer.paragraph(fmt::format("{} {} the name {}.", mention_count(mentions),
                                 mentions.total == 1 ? "has" : "have",
                                 code_span(last_part(question.subject))));
  }
  return answer.text();
}

}  // namespace wright::offline
