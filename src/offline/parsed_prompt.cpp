#include "offline/parsed_prompt.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "offline/entity_prompt.h"
#include "offline/languages.h"
#include "offline/prompt_sentences.h"
#include "offline/regex_text.h"
#include "offline/wording.h"
#include "wright/json.h"

namespace wright::offline {
namespace {

constexpr std::size_t kLongestPrompt = 4000;
constexpr std::size_t kLongestSubject = 200;

bool replace(std::string& text, const RE2& pattern, const char* with) {
  return RE2::Replace(&text, pattern, with);
}

// One line, single spaces, no politeness around it, no punctuation at its end.
std::string normalised(std::string_view prompt) {
  static const RE2 kSpace(R"([\s\x00-\x1f]+)");
  static const RE2 kGreeting(
      R"((?i)^(?:(?:hi|hello|hey|please|ok|okay|so|now|and|also|then|well|thanks)(?: there)?[,!.:;]* )+)");
  static const RE2 kRequest(
      R"((?i)^(?:(?:can|could|would|will) (?:you|we|i)(?: please)?(?: help me)?|(?:i(?:'d| would)? (?:like|want|need)|help me)(?: to)?(?: know| find out| see| understand| learn)?|i am (?:wondering|looking for|trying to (?:find|understand))|i'm (?:wondering|looking for|trying to (?:find|understand))) )");
  static const RE2 kIndirect(
      R"((?i)^(?:do you know|tell me|show me|find out|explain(?: to me)?|let me know|figure out|find|see|check) ((?:where|what|how|which|who|why)\b.*)$)");
  static const RE2 kEnd(R"((?i)(?:[\s?!.,;:]|,? (?:please|thanks|thank you|exactly|again))+$)");
  std::string text(utf8_prefix(prompt, kLongestPrompt));
  text = to_valid_utf8(std::move(text));
  RE2::GlobalReplace(&text, kSpace, " ");
  RE2::GlobalReplace(&text, R"(’|‘)", "'");
  RE2::GlobalReplace(&text, R"([“”])", "\"");
  text = trim(text);
  replace(text, kEnd, "");
  for (int round = 0; round < 3; ++round) {
    const bool had_greeting = replace(text, kGreeting, "");
    const bool was_request = replace(text, kRequest, "");
    const bool was_indirect = replace(text, kIndirect, R"(\1)");
    if (!had_greeting && !was_request && !was_indirect) break;
  }
  return text;
}

std::string without_quotes(std::string_view text) {
  constexpr auto kPairs = std::to_array<std::pair<char, char>>(
      {{'`', '`'}, {'"', '"'}, {'\'', '\''}, {'<', '>'}, {'(', ')'}});
  text = trim(text);
  for (const auto& [open, close] : kPairs) {
    if (text.size() > 2 && text.front() == open && text.back() == close) {
      return std::string(trim(text.substr(1, text.size() - 2)));
    }
  }
  return std::string(text);
}

bool is_quoted(std::string_view text) {
  return text.size() > 2 && text.front() == text.back() &&
         std::string_view("`\"'").find(text.front()) != std::string_view::npos;
}

struct Subject {
  std::string text;
  std::string qualifier;
  bool was_quoted = false;
};

#define KIND_WORDS                                                                              \
  "functions?|methods?|class(?:es)?|structs?|structures?|enums?|enumerations?|unions?|macros?|" \
  "variables?|constants?|types?|typedefs?|interfaces?|traits?|modules?|namespaces?|tables?|"    \
  "views?|members?|fields?|symbols?|identifiers?|commands?|targets?|templates?|procedures?|"    \
  "properties|property|routines?|subroutines?|objects?|packages?|concepts?|aliases|alias|"      \
  "options?|attributes?"

// "the function `foo()`" → foo, function.
Subject clean_subject(std::string_view raw) {
  static const RE2 kArticle(R"((?i)^(?:the|an|a|our|this|that|all|any|every|some|its) )");
  static const RE2 kKindBefore("(?i)^(" KIND_WORDS ")(?: (?:named|called|of name))? (.+)$");
  static const RE2 kKindAfter("(?i)^(\\S+) (" KIND_WORDS ")$");
  static const RE2 kMemberOf(
      "(?i)^([\\w~?!]+)(?:\\(\\))? (?:of|in|on|from) (?:the )?(?:class|struct|object|type|trait|"
      "interface|module) [`\"']?([\\w:]+)[`\"']?$");
  static const RE2 kCallParentheses(R"(\(\s*(?:\.\.\.)?\s*\)$)");
  Subject subject;
  std::string text(trim(raw));
  while (replace(text, kArticle, "")) {
  }
  std::string kind;
  std::string rest;
  if (RE2::FullMatch(text, kKindBefore, &kind, &rest)) {
    subject.qualifier = lower(kind);
    text = rest;
  }
  std::string name;
  std::string owner;
  if (RE2::FullMatch(text, kMemberOf, &name, &owner)) {
    text = owner + "::" + name;
  } else if (RE2::FullMatch(text, kKindAfter, &name, &kind) &&
             (is_quoted(name) || is_identifier(name) || name.ends_with("()"))) {
    // "the User class": inside of a sentence a capital marks a name.
    const bool is_capital = name.front() >= 'A' && name.front() <= 'Z';
    if (is_quoted(name) || looks_like_code(name) || name.ends_with("()") || is_capital) {
      subject.qualifier = lower(kind);
      text = name;
    }
  }
  subject.was_quoted = is_quoted(text);
  text = without_quotes(text);
  replace(text, kCallParentheses, "");
  if (subject.qualifier.empty() && RE2::FullMatch(text, kKindBefore, &kind, &rest) &&
      is_identifier(rest)) {
    subject.qualifier = lower(kind);
    text = rest;
  }
  if (text.starts_with("./")) text.erase(0, 2);
  subject.text = utf8_prefix(text, kLongestSubject);
  return subject;
}

// The folder that a phrase names; empty for "this folder", "the project", "here", ….
std::optional<std::string> named_folder(std::string_view phrase) {
  static const RE2 kWhole(
      fmt::format(R"((?i){}|(?:this|the current) {}|\.|\./)", kProjectPattern, kFolderPattern));
  static const RE2 kFolder(fmt::format(R"((?i)(?:the |this )?{} (\S+))", kFolderPattern));
  static const RE2 kNamed(R"((?i)(?:the )?(\S+?)/?(?: (?:folder|directory|dir))?)");
  const std::string text = without_quotes(trim(phrase));
  if (RE2::FullMatch(text, kWhole)) return std::string();
  std::string name;
  if (!RE2::FullMatch(text, kFolder, &name) && !RE2::FullMatch(text, kNamed, &name)) {
    return std::nullopt;
  }
  name = without_quotes(name);
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  if (name.starts_with("./")) name.erase(0, 2);
  return name;
}

struct Scoped {
  std::string text;
  std::string path;
};

// Cuts "… in src/net" off the end of a question.
std::optional<Scoped> split_scope(const std::string& text) {
  static const RE2 kScope(fmt::format(
      R"((?i)(.+?) (?:in|inside|within|under|below) ({0}|(?:this |the )?{1}(?: \S+)?|\S*/\S*)"
      R"(|(?:the )?\S+ {1}|[`"'][\w./-]+[`"']|[\w./+-]+))",
      kProjectPattern, kFolderPattern));
  static const RE2 kHere(R"((?i)(.+?) (?:here|in here))");
  std::string rest;
  std::string phrase;
  if (RE2::FullMatch(text, kHere, &rest)) return Scoped{rest, {}};
  if (!RE2::FullMatch(text, kScope, &rest, &phrase)) return std::nullopt;
  const auto folder = named_folder(phrase);
  if (!folder) return std::nullopt;
  return Scoped{rest, *folder};
}

int to_int(const std::string& digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// Takes "foo.c:12", "foo.c lines 10-40" apart.
void take_lines(ParsedPrompt& question, const std::string& around) {
  static const RE2 kSuffix(R"(^(.+?):(\d{1,8})(?:[-:](\d{1,8}))?$)");
  static const RE2 kLines(
      R"((?i)\blines? (\d{1,8})(?: ?(?:-|to|until|through|and|…) ?(\d{1,8}))?)");
  std::string file;
  std::string first;
  std::string last;
  if (RE2::FullMatch(question.subject, kSuffix, &file, &first, &last)) {
    question.subject = file;
  } else if (!RE2::PartialMatch(around, kLines, &first, &last)) {
    return;
  }
  question.first_line = std::max(1, to_int(first));
  question.last_line = last.empty() ? question.first_line : to_int(last);
}

// A name, or a few words that describe a thing and no condition or comparison.
bool is_phrase(std::string_view text) {
  static const RE2 kPhrase(R"((?i)[\w-]+(?: [\w-]+){0,4})");
  static const RE2 kMore(
      R"((?i)\b(?:and|or|not|when|if|that|which|with|without|between|than|all|any|every|is|are|by|my|your|you|i|we)\b)");
  return RE2::FullMatch(piece(text), kPhrase) && !RE2::PartialMatch(piece(text), kMore);
}

bool is_pronoun(std::string_view text) {
  // With a capital it is a name: no sentence begins there.
  static const RE2 kPronoun(R"((?:it|this|that|they|them|these|those|this one|that one))");
  return RE2::FullMatch(piece(text), kPronoun);
}

bool fits(Needs needs, const Subject& subject) {
  const std::string& text = subject.text;
  const bool is_name =
      (is_identifier(text) && !text.contains('/')) || (subject.was_quoted && !text.contains(' '));
  switch (needs) {
    case Needs::nothing: return true;
    case Needs::text: return !text.empty();
    case Needs::name: return is_name;
    case Needs::code_name:
      return is_name && !is_pronoun(text) &&
             (subject.was_quoted || looks_like_code(text) || !subject.qualifier.empty());
    case Needs::phrase: return is_name || is_phrase(text) || looks_like_path(text);
    case Needs::quoted: return subject.was_quoted;
    case Needs::file:
      return looks_like_file(text) || looks_like_path(text) ||
             RE2::FullMatch(text, R"([\w.-]+(?:/[\w.-]+)+)");
    case Needs::glob: return has_glob_characters(text) && !text.contains('`');
    case Needs::folder: return !text.empty() && !text.contains(' ');
  }
  return false;
}

std::optional<ParsedPrompt> recognise(const Sentence& sentence, const std::string& text) {
  const RE2& pattern = pattern_of(sentence);
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(pattern.NumberOfCapturingGroups()) +
                                      1);
  if (!pattern.Match(text, 0, text.size(), RE2::ANCHOR_BOTH, found.data(),
                     static_cast<int>(found.size()))) {
    return std::nullopt;
  }
  const auto group = [&](const char* name) {
    const auto& names = pattern.NamedCapturingGroups();
    const auto at = names.find(name);
    if (at == names.end()) return std::string();
    const re2::StringPiece& part = found[static_cast<std::size_t>(at->second)];
    return part.data() == nullptr ? std::string() : std::string(part);
  };
  ParsedPrompt question;
  question.topic = sentence.topic;
  question.qualifier = sentence.qualifier;
  question.subject = group("subject");
  question.visibility = lower(group("visibility"));
  if (sentence.needs == Needs::file) take_lines(question, text);
  Subject subject = clean_subject(question.subject);
  if (sentence.topic == Topic::folder) {
    subject.text = named_folder(question.subject).value_or(question.subject);
  }
  if (!fits(sentence.needs, subject)) return std::nullopt;
  if (question.qualifier.empty()) {
    const std::string named = lower(group("qualifier"));
    question.qualifier = named.empty() ? subject.qualifier : named;
  }
  question.subject = std::move(subject.text);
  question.is_quoted = subject.was_quoted;
  if (sentence.topic == Topic::folder) question.path = std::exchange(question.subject, {});
  return question;
}

// Paths and globs are looked for by name, whatever was asked of them.
ParsedPrompt settled(ParsedPrompt question) {
  if (question.topic != Topic::definition) return question;
  if (has_glob_characters(question.subject) || looks_like_file(question.subject) ||
      looks_like_path(question.subject)) {
    question.topic = Topic::find_files;
  }
  return question;
}

ParsedPrompt understand_sentence(const std::string& text) {
  if (understand_entities(text)) return {.topic = Topic::set, .prompt = text};
  const auto scoped = split_scope(text);
  for (const bool is_scoped : {false, true}) {
    if (is_scoped && !scoped) break;
    for (const Sentence& sentence : prompt_sentences()) {
      const bool may_be_scoped = sentence.needs != Needs::folder &&
                                 sentence.topic != Topic::capabilities &&
                                 sentence.topic != Topic::project;
      if (is_scoped && !may_be_scoped) continue;
      auto question = recognise(sentence, is_scoped ? scoped->text : text);
      if (!question) continue;
      // "where is X in src/a" has a better reading than a phrase of five words.
      const bool is_vague = !is_scoped && scoped && sentence.needs == Needs::phrase &&
                            question->subject.contains(' ');
      if (is_vague) continue;
      if (is_scoped) question->path = scoped->path;
      return settled(std::move(*question));
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(Topic topic) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"capabilities", "set",          "definition",   "usage",
       "members",      "subclasses",   "search",       "containing_files",
       "find_files",   "file",         "folder",       "project",
       "how_to",       "entry_points", "dependencies", "packages",
       "flags",        "todos",        "licence",      "unknown"});
  return kNames[static_cast<std::size_t>(topic)];
}

ParsedPrompt understand(std::string_view prompt) {
  const std::string text = normalised(prompt);
  ParsedPrompt question = understand_sentence(text);
  question.prompt = text;
  return question;
}

std::vector<ParsedPrompt> understand_all(std::string_view prompt) {
  constexpr std::size_t kMostQuestions = 3;
  static const RE2 kNext(
      R"((?i)(?:[?.!;] +(?:and |also )?|,? and (?:also )?|, )(where|what|how|which|who|list|show|summari[sz]e)\b)");
  ParsedPrompt whole = understand(prompt);
  if (whole.topic != Topic::unknown) return {std::move(whole)};
  const std::string& text = whole.prompt;
  std::vector<ParsedPrompt> questions;
  std::size_t start = 0;
  std::array<re2::StringPiece, 2> found;
  for (std::size_t from = 0;
       questions.size() + 1 < kMostQuestions &&
       kNext.Match(text, from, text.size(), RE2::UNANCHORED, found.data(), 2);) {
    questions.push_back(understand(
        text.substr(start, static_cast<std::size_t>(found[0].data() - text.data()) - start)));
    start = static_cast<std::size_t>(found[1].data() - text.data());
    from = start + found[1].size();
  }
  questions.push_back(understand(text.substr(start)));
  std::erase_if(questions, [](const ParsedPrompt& q) { return q.topic == Topic::capabilities; });
  const bool is_understood = std::ranges::all_of(
      questions, [](const ParsedPrompt& question) { return question.topic != Topic::unknown; });
  if (questions.empty() || !is_understood) return {std::move(whole)};
  return questions;
}

ParsedPrompt with_subject_of(ParsedPrompt question, const ParsedPrompt& earlier) {
  if (!earlier.subject.empty() && is_pronoun(question.subject)) {
    question.subject = earlier.subject;
    question.qualifier = earlier.qualifier;
  }
  return question;
}

}  // namespace wright::offline
