#include "offline/question.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "offline/languages.h"
#include "offline/recognisers.h"
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
    const bool changed = replace(text, kGreeting, "") | replace(text, kRequest, "") |
                         replace(text, kIndirect, R"(\1)");
    if (!changed) break;
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
    if (is_quoted(name) || looks_like_code(name) || name.ends_with("()")) {
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
      R"((?i)^(?:(?:this|the|that|our|my|your|current|whole|entire|root|top[- ]level|base|source|src|working)\s*)*(?:folder|directory|dir|repo|repository|project|code ?base|code|tree|workspace|package|program|root|here|there|everything|sources?|source code|system|place|it)?$)");
  static const RE2 kFolder(
      R"((?i)^(?:(?:the|this|that) )?(?:folder|directory|dir|path|subfolder|subdirectory|module|package) (?:called |named )?(\S+)$)");
  static const RE2 kNamed(
      R"((?i)^(?:the )?(\S+?)/?(?: (?:folder|directory|dir|subfolder|subdirectory|tree))?$)");
  const std::string text = without_quotes(trim(phrase));
  if (text == "." || text == "./") return std::string();
  if (lower(text) != "src" && lower(text) != "source" && lower(text) != "sources" &&
      RE2::FullMatch(text, kWhole)) {
    return std::string();
  }
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
Scoped split_scope(const std::string& text) {
  static const RE2 kScope(
      R"((?i)^(.+?) (?:in|inside|within|under|below|across|throughout) ((?:the |this |our |my |your )?(?:(?:current |whole |entire )?(?:folder|directory|repo|repository|project|code ?base|code|tree|workspace|package|program|root|system|software)|(?:folder|directory) \S+|\S*/\S*|\S+ (?:folder|directory|subfolder|subdirectory|dir)|[`"'][\w./-]+[`"']|[\w./-]+))$)");
  // "of" and "from" belong to the subject unless a folder follows.
  static const RE2 kOwned(
      R"((?i)^(.+?) (?:of|from) ((?:the |this |our |my |your )(?:current |whole |entire )?(?:folder|directory|repo|repository|project|code ?base|code|tree|workspace|program)|(?:the )?(?:folder|directory) \S+|[\w.-]+/[\w./-]*|(?:the )?\S+ (?:folder|directory))$)");
  static const RE2 kHere(R"((?i)^(.+?) (?:here|around here|in here|in it)$)");
  std::string rest;
  std::string phrase;
  if (RE2::FullMatch(text, kHere, &rest)) return {rest, {}};
  if (!RE2::FullMatch(text, kScope, &rest, &phrase) &&
      !RE2::FullMatch(text, kOwned, &rest, &phrase)) {
    return {text, {}};
  }
  const auto folder = named_folder(phrase);
  if (!folder) return {text, {}};
  return {rest, *folder};
}

int to_int(const std::string& digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// Takes "foo.c:12", "foo.c lines 10-40" apart.
void take_lines(Question& question, const std::string& around) {
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

bool fits(Needs needs, const Subject& subject, const Question& question) {
  switch (needs) {
    case Needs::nothing: return true;
    case Needs::subject: return !subject.text.empty();
    case Needs::file: return looks_like_file(subject.text) || looks_like_path(subject.text);
    case Needs::name: return is_identifier(subject.text) || subject.was_quoted;
    case Needs::code_name:
      return (is_identifier(subject.text) || subject.was_quoted) &&
             (subject.was_quoted || looks_like_code(subject.text) || !subject.qualifier.empty());
    case Needs::quoted: return subject.was_quoted;
    case Needs::glob: return has_glob_characters(subject.text);
    case Needs::folder: return question.path.find(' ') == std::string::npos;
    case Needs::file_type: return !globs_for_type(question.file_type).empty();
  }
  return false;
}

using Groups = std::map<std::string, std::string>;

std::optional<Groups> match(const RE2& pattern, const std::string& text) {
  const int count = pattern.NumberOfCapturingGroups() + 1;
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(count));
  if (!pattern.Match(text, 0, text.size(), RE2::UNANCHORED, found.data(), count)) {
    return std::nullopt;
  }
  Groups groups;
  for (const auto& [name, index] : pattern.NamedCapturingGroups()) {
    const re2::StringPiece& part = found[static_cast<std::size_t>(index)];
    if (part.data() != nullptr && !part.empty()) groups[name] = std::string(part);
  }
  return groups;
}

std::optional<Question> recognise(const Recogniser& recogniser, const std::string& text,
                                  const Scoped& scoped) {
  const bool splits = recogniser.scope == Scope::split;
  const auto groups = match(*recogniser.pattern, splits ? scoped.text : text);
  if (!groups) return std::nullopt;
  const auto group = [&](const char* name) {
    const auto found = groups->find(name);
    return found == groups->end() ? std::string() : found->second;
  };
  Question question;
  question.topic = recogniser.topic;
  question.qualifier = recogniser.qualifier;
  question.file_type = without_quotes(lower(group("type")));
  if (splits) question.path = scoped.path;
  if (const std::string path = group("path"); !path.empty()) {
    const auto folder = named_folder(path);
    if (!folder) return std::nullopt;
    question.path = *folder;
  }
  question.subject = group("subject");
  if (recogniser.needs == Needs::file) take_lines(question, text);
  Subject subject = clean_subject(question.subject);
  if (!fits(recogniser.needs, subject, question)) return std::nullopt;
  if (question.qualifier.empty()) {
    const std::string named = lower(group("qualifier"));
    question.qualifier = named.empty() ? subject.qualifier : named;
  }
  question.subject = std::move(subject.text);
  question.is_quoted = subject.was_quoted;
  return question;
}

// Definitions and searches that turn out to be about files or phrases.
Question settled(Question question) {
  const bool is_about_place =
      question.topic == Topic::definition || question.topic == Topic::symbol;
  if (!is_about_place) return question;
  if (has_glob_characters(question.subject) ||
      (question.topic == Topic::definition &&
       (looks_like_file(question.subject) || looks_like_path(question.subject)))) {
    question.topic = Topic::find_files;
  } else if (question.subject.contains('/') && !question.subject.contains(' ')) {
    question.topic = Topic::list;
    question.path = question.subject;
  } else if (!is_identifier(question.subject) && question.subject.contains(' ')) {
    question.topic = Topic::idea;
  }
  return question;
}

std::vector<std::string> sentences_of(const std::string& text) {
  static const RE2 kEnd(R"([?!.;] +)");
  std::vector<std::string> sentences;
  re2::StringPiece rest(text);
  std::size_t start = 0;
  re2::StringPiece found;
  while (kEnd.Match(text, start, text.size(), RE2::UNANCHORED, &found, 1)) {
    const auto end = static_cast<std::size_t>(found.data() - text.data());
    sentences.push_back(text.substr(start, end - start));
    start = end + found.size();
    if (sentences.size() > 20) break;
  }
  sentences.push_back(text.substr(start));
  return sentences;
}

Question understand_sentence(const std::string& text) {
  const Scoped scoped = split_scope(text);
  for (const Recogniser& recogniser : recognisers()) {
    if (auto question = recognise(recogniser, text, scoped)) return settled(std::move(*question));
  }
  return {};
}

}  // namespace

std::string_view to_string(Topic topic) {
  switch (topic) {
    case Topic::capabilities: return "capabilities";
    case Topic::definition: return "definition";
    case Topic::usage: return "usage";
    case Topic::symbol: return "symbol";
    case Topic::search: return "search";
    case Topic::list: return "list";
    case Topic::find_files: return "find_files";
    case Topic::containing_files: return "containing_files";
    case Topic::ranked_files: return "ranked_files";
    case Topic::count_files: return "count_files";
    case Topic::count_lines: return "count_lines";
    case Topic::count_definitions: return "count_definitions";
    case Topic::count_occurrences: return "count_occurrences";
    case Topic::file: return "file";
    case Topic::project: return "project";
    case Topic::entry_points: return "entry_points";
    case Topic::dependencies: return "dependencies";
    case Topic::todos: return "todos";
    case Topic::tests: return "tests";
    case Topic::licence: return "licence";
    case Topic::idea: return "idea";
    case Topic::unknown: return "unknown";
  }
  return "unknown";
}

Question understand(std::string_view prompt) {
  const std::string text = normalised(prompt);
  Question question = understand_sentence(text);
  if (question.topic == Topic::idea || question.topic == Topic::unknown) {
    const std::vector<std::string> sentences = sentences_of(text);
    for (std::size_t i = 0; sentences.size() > 1 && i < sentences.size(); ++i) {
      Question other = understand_sentence(normalised(sentences[i]));
      const bool is_better = other.topic != Topic::unknown && other.topic != Topic::capabilities &&
                             (other.topic != Topic::idea || question.topic == Topic::unknown);
      if (!is_better) continue;
      question = std::move(other);
      break;
    }
  }
  question.prompt = text;
  return question;
}

std::vector<Question> understand_all(std::string_view prompt) {
  constexpr std::size_t kMostQuestions = 3;
  static const RE2 kNext(
      R"((?i)(?:[?.!;] +(?:and |also )?|,? and (?:also )?|, )(where|what|how|which|who|list|show|summari[sz]e)\b)");
  const std::string text = normalised(prompt);
  std::vector<std::string> parts;
  std::size_t start = 0;
  std::array<re2::StringPiece, 2> found;
  for (std::size_t from = 0;
       parts.size() + 1 < kMostQuestions &&
       kNext.Match(text, from, text.size(), RE2::UNANCHORED, found.data(), 2);) {
    parts.push_back(
        text.substr(start, static_cast<std::size_t>(found[0].data() - text.data()) - start));
    start = static_cast<std::size_t>(found[1].data() - text.data());
    from = start + found[1].size();
  }
  parts.push_back(text.substr(start));
  std::vector<Question> questions;
  for (const std::string& part : parts) {
    questions.push_back(understand(part));
    const Topic topic = questions.back().topic;
    const bool stands_alone = topic != Topic::unknown && topic != Topic::capabilities;
    if (!stands_alone || parts.size() == 1) return {understand(prompt)};
  }
  return questions;
}

Question with_subject_of(Question question, const Question& earlier) {
  static const RE2 kPronoun(R"((?i)^(?:it|this|that|they|them|these|those|this one|that one)$)");
  if (!earlier.subject.empty() && RE2::FullMatch(piece(question.subject), kPronoun)) {
    question.subject = earlier.subject;
    question.qualifier = earlier.qualifier;
  }
  return question;
}

}  // namespace wright::offline
