// Questions about what belongs to a class, and what descends from one. Members are known to the
// index; what descends is found by lines, which the index confirms.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "offline/index.h"
#include "offline/languages.h"
#include "offline/lines.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr auto kClassLikeTypes =
    std::to_array<std::string_view>({"class", "struct", "interface", "trait", "enum", "union",
                                     "namespace", "module", "implementation", "object"});

bool is_class_like(const Entity& entity) {
  return std::ranges::find(kClassLikeTypes, entity.type) != kClassLikeTypes.end();
}

bool is_member(std::string_view wanted, const Entity& entity) {
  const auto is = [&](std::initializer_list<std::string_view> types) {
    return std::ranges::find(types, entity.type) != types.end();
  };
  if (wanted == "methods" || wanted == "member functions")
    return is({"method", "function", "prototype"});
  if (wanted == "fields" || wanted == "attributes" || wanted == "properties")
    return is({"field", "variable", "property", "constant"});
  if (wanted == "enumerators" || wanted == "values")
    return is({"enumerator", "constant", "variant"});
  return true;
}

// Whether another one of the owners has the same name, so that only files tell their members apart.
bool has_namesake(const Entities& owners, std::size_t index) {
  return std::ranges::count(owners.found, owners.found[index].key, &Entity::key) > 1;
}

// The bases in the line that opens a class; nothing when the line opens none. One line is looked
// at: what a language lets stand on the next is not seen.
bool names_base(const std::string& line, const std::string& base) {
  static const RE2 kOpens(
      R"(^\s*(?:(?:export|default|abstract|final|public|private|protected|internal|static|sealed|open|data|partial|pub|template\s*<.*>)\s+)*(?:class|struct|interface|trait|enum|object)\s+(?:\[\[\w+\]\]\s*|\w+_EXPORT\s+|\w+_API\s+)?([\w:]+)(?:\s*<[^>{]*>)?(?:\s+final)?\s*(\(|:|<|extends\b|implements\b)(.*)$)");
  static const RE2 kImplements(
      R"(^\s*(?:unsafe\s+)?impl(?:<[^>]*>)?\s+([\w:]+)(?:<[^>]*>)?\s+for\s)");
  std::string name;
  std::string sign;
  std::string rest;
  if (RE2::PartialMatch(line, kImplements, &name))
    return name == base || name.ends_with("::" + base);
  if (!RE2::PartialMatch(line, kOpens, &name, &sign, &rest)) return false;
  // What stands inside of brackets, or behind a "=", is an argument and no base.
  std::string outer;
  int depth = 0;
  for (const char c : rest) {
    if (c == '{') break;
    if (c == '<' || c == '[') ++depth;
    if (depth == 0) outer += c;
    if (c == '>' || c == ']') --depth;
  }
  RE2::GlobalReplace(&outer, R"(\w+\s*=\s*[\w.]+)", "");
  return RE2::PartialMatch(outer, regex_for_name(base));
}

// The members of one class that were asked for, and those of which nobody knows whether they are.
struct WantedMembers {
  std::vector<std::string> items;
  std::vector<std::string> of_unknown_visibility;
};

WantedMembers wanted_members(const ParsedPrompt& question, const Entities& owners,
                             std::size_t index, const Entities& members) {
  const Entity& owner = owners.found[index];
  std::set<std::string> declared;  // where the class itself stands
  std::set<std::string> judged;    // a definition elsewhere does not repeat what is private
  for (const Entity& entity : members.found) {
    if (entity.file == owner.file) declared.insert(entity.name);
    if (!entity.visibility.empty()) judged.insert(entity.name);
  }
  WantedMembers wanted;
  std::set<std::string> told;
  for (const Entity& entity : members.found) {
    if (!is_member(question.qualifier, entity)) continue;
    const bool is_elsewhere = entity.file != owner.file;
    if (is_elsewhere && (declared.contains(entity.name) || has_namesake(owners, index))) continue;
    const bool is_other = !question.visibility.empty() && entity.visibility != question.visibility;
    const bool is_unknown = entity.visibility.empty() && !judged.contains(entity.name);
    if (is_other && !is_unknown) continue;
    if (!told.insert(entity.name + entity.signature).second) continue;
    (is_other ? wanted.of_unknown_visibility : wanted.items)
        .push_back(fmt::format("{} ({})", code_span(entity.name + entity.signature),
                               place(entity.file, entity.line)));
  }
  return wanted;
}

std::string singular_of(std::string_view plural) {
  const bool is_ies = plural.ends_with("ies");
  return std::string(plural.substr(0, plural.size() - (is_ies ? 3 : 1))) + (is_ies ? "y" : "");
}

void add_members(AnswerText& answer, const ParsedPrompt& question, const Entity& owner,
                 const WantedMembers& wanted) {
  const std::string noun = question.visibility.empty()
                               ? question.qualifier
                               : fmt::format("{} {}", question.visibility, question.qualifier);
  answer.paragraph(fmt::format("{} ({} at {}) has {}{}", code_span(owner.qualified_name),
                               owner.type, place(owner.file, owner.line),
                               wanted.items.empty()
                                   ? "no " + noun + " that the index knows"
                                   : counted(std::ssize(wanted.items), singular_of(noun), noun),
                               wanted.items.empty() ? "." : ":"));
  answer.items(wanted.items, 50, question.qualifier);
  if (wanted.of_unknown_visibility.empty()) return;
  answer.paragraph(
      fmt::format("Of these the index does not know whether they are {}:", question.visibility));
  answer.items(wanted.of_unknown_visibility, 20, question.qualifier);
}

using LinesOfFiles = std::set<std::pair<std::string, int>>;

// At which of the lines a type begins. Those that could not be asked about count as no such line.
LinesOfFiles lines_of_types(const std::vector<Match>& lines, Investigation& look) {
  constexpr std::size_t kLinesAtOnce = 25;
  constexpr std::size_t kMostAsked = 200;
  LinesOfFiles known;
  for (std::size_t at = 0; at < lines.size() && at < kMostAsked; at += kLinesAtOnce) {
    JsonArray files;
    JsonArray numbers;
    for (std::size_t i = at; i < lines.size() && i < at + kLinesAtOnce; ++i) {
      files.emplace_back(lines[i].path);
      numbers.emplace_back(lines[i].line);
    }
    JsonArray types;
    for (const std::string_view type : kClassLikeTypes) types.emplace_back(type);
    const Entities found = find_entities(look, "any",
                                         {condition("file", "IN", Json(std::move(files))),
                                          condition("start_line", "IN", Json(std::move(numbers))),
                                          condition("type", "IN", Json(std::move(types)))});
    for (const Entity& entity : found.found) known.emplace(entity.file, entity.line);
  }
  return known;
}

}  // namespace

std::string plan_members(const ParsedPrompt& question, Investigation& look) {
  if (!has_index(look)) return by_lines(question, look);
  Entities named = find_named(look, question.subject, question.path);
  if (look.is_waiting()) return fmt::format("Looking for {}.", code_span(question.subject));
  const Entities any = named;
  std::erase_if(named.found, [](const Entity& entity) { return !is_class_like(entity); });
  std::set<std::string> seen;
  std::erase_if(named.found,
                [&](const Entity& e) { return !seen.insert(e.key + "\n" + e.file).second; });
  if (named.found.empty() && !any.found.empty()) {
    std::vector<std::string> places;
    for (const Entity& entity : any.found) places.push_back(kind_and_place(entity));
    return AnswerText()
        .paragraph(fmt::format("I cannot tell the {} of {}: nothing of that name is a class or the "
                               "like. It is:",
                               question.qualifier, code_span(question.subject)))
        .items(places, 8, "places")
        .text();
  }
  if (named.found.empty()) {
    ParsedPrompt other = question;
    other.qualifier.clear();
    return without_definition(other, look);
  }
  constexpr std::size_t kMostOwners = 4;
  const std::size_t owners = std::min(named.found.size(), kMostOwners);
  std::vector<Entities> members;
  members.reserve(owners);
  for (std::size_t i = 0; i < owners; ++i) {
    members.push_back(find_entities(look, "any",
                                    {condition("parent", "=", Json(named.found[i].key))},
                                    EntityOrder{"start_line", false}));
  }
  if (look.is_waiting())
    return fmt::format("Looking for the {} of {}.", question.qualifier,
                       code_span(question.subject));
  AnswerText answer;
  if (named.found.size() > 1)
    answer.paragraph(fmt::format("{} is defined in {} places.", code_span(question.subject),
                                 named.found.size()));
  for (std::size_t i = 0; i < owners; ++i) {
    add_members(answer, question, named.found[i], wanted_members(question, named, i, members[i]));
    if (members[i].total > std::ssize(members[i].found)) {
      answer.paragraph(fmt::format("Only the first {} of its {} members were looked at.",
                                   members[i].found.size(), members[i].total));
    }
  }
  return answer.paragraph("What it inherits is not among them.").text();
}

std::string plan_subclasses(const ParsedPrompt& question, Investigation& look) {
  const std::string base = last_part(question.subject);
  GrepRequest wanted =
      in_scope(question,
               R"(\b(?:class|struct|interface|trait|enum|object|impl)\b.*)" + regex_for_name(base));
  wanted.limit = 1000;
  const Matches found = look.grep(wanted);
  if (look.is_waiting()) return fmt::format("Looking for what descends from {}.", code_span(base));
  if (look.has_failed())
    return fmt::format("I could not look for what descends from {}.", code_span(base));
  std::vector<Match> lines;
  for (const Match& match : found.matches) {
    if (is_code(match.path) && names_base(match.text, base)) lines.push_back(match);
  }
  const LinesOfFiles known = has_index(look) ? lines_of_types(lines, look) : LinesOfFiles{};
  const Entities named = has_index(look) ? find_named(look, base) : Entities{};
  if (look.is_waiting()) return fmt::format("Looking at what descends from {}.", code_span(base));
  const bool is_of_go = std::ranges::any_of(named.found, [](const Entity& entity) {
    return entity.type == "interface" && entity.file.ends_with(".go");
  });
  std::vector<std::string> items;
  std::vector<std::string> by_look;
  for (const Match& match : lines) {
    (known.contains({match.path, match.line}) ? items : by_look)
        .push_back(fmt::format("{}: {}", place(match.path, match.line), code_span(match.text)));
  }
  AnswerText answer;
  answer.paragraph(
      !items.empty() ? fmt::format("{} a class with {} among its bases{}:",
                                   counted(std::ssize(items), "line opens", "lines open"),
                                   code_span(base), folder_phrase(question))
      : by_look.empty()
          ? fmt::format("I found no line that opens a class with {} among its bases{}.{}",
                        code_span(base), folder_phrase(question), not_searched(found))
          : fmt::format("I found no class that the index knows with {} among its bases{}.{}",
                        code_span(base), folder_phrase(question), not_searched(found)));
  answer.items(items, 40, "lines");
  if (!by_look.empty()) {
    answer.paragraph(fmt::format(
        "By the look of {} only, which may stand in a text or a comment: the index has no type "
        "there:",
        by_look.size() == 1 ? "the line" : "the lines"));
    answer.items(by_look, 40, "lines");
  }
  if (is_of_go) {
    answer.paragraph(
        "In Go a type implements an interface by its methods, without naming it: such types are "
        "not "
        "seen.");
  }
  answer.paragraph(
      "Bases that stand on another line than the name of the class are not seen, nor those of "
      "their descendants.");
  if (found.total > std::ssize(found.matches))
    answer.paragraph("Not every line could be looked at.");
  return answer.text();
}

}  // namespace wright::offline
