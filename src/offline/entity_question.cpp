#include "offline/entity_question.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "offline/wording.h"
#include "wright/json.h"

namespace wright::offline {
namespace {

struct Noun {
  std::string_view word;  // singular
  std::string_view plural;
  std::string_view type;
};

constexpr auto kNouns = std::to_array<Noun>({
    {"class", "classes", "class"},
    {"function", "functions", "function"},
    {"method", "methods", "method"},
    {"struct", "structs", "struct"},
    {"structure", "structures", "struct"},
    {"interface", "interfaces", "interface"},
    {"enum", "enums", "enum"},
    {"enumeration", "enumerations", "enum"},
    {"trait", "traits", "trait"},
    {"macro", "macros", "macro"},
    {"module", "modules", "module"},
    {"namespace", "namespaces", "namespace"},
    {"typedef", "typedefs", "typedef"},
    {"constant", "constants", "constant"},
    {"variable", "variables", "variable"},
    {"definition", "definitions", "any"},
    {"entity", "entities", "any"},
    {"symbol", "symbols", "any"},
    {"file", "files", "file"},
    {"code", "code", "code"},
    {"source", "sources", "code"},
});

struct NamedLanguage {
  std::string_view word;
  std::string_view name;  // as ctags calls it
};

constexpr auto kLanguages = std::to_array<NamedLanguage>({
    {"c++", "C++"},
    {"cpp", "C++"},
    {"c", "C"},
    {"python", "Python"},
    {"typescript", "TypeScript"},
    {"ts", "TypeScript"},
    {"javascript", "JavaScript"},
    {"js", "JavaScript"},
    {"java", "Java"},
    {"go", "Go"},
    {"golang", "Go"},
    {"rust", "Rust"},
    {"ruby", "Ruby"},
    {"php", "PHP"},
    {"c#", "C#"},
    {"kotlin", "Kotlin"},
    {"lua", "Lua"},
    {"perl", "Perl"},
    {"shell", "Sh"},
    {"bash", "Sh"},
});

constexpr std::size_t kLongestQuestion = 1000;

#define NUMBER R"((\d{1,7}))"
#define UNITS R"((lines?(?: of code)?|loc|methods?|functions?))"

bool says(const std::string& text, const RE2& pattern) {
  return RE2::PartialMatch(text, pattern);
}

// The noun that the question is about is the first one; "functions per file" is about functions.
const Noun* find_noun(const std::string& text) {
  const Noun* found = nullptr;
  std::size_t first = std::string::npos;
  for (const Noun& noun : kNouns) {
    for (const std::string_view word : {noun.word, noun.plural}) {
      const RE2 pattern("(?i)\\b" + std::string(word) + "\\b");
      re2::StringPiece match;
      if (!pattern.Match(text, 0, text.size(), RE2::UNANCHORED, &match, 1)) continue;
      const auto at = static_cast<std::size_t>(match.data() - text.data());
      if (at >= first) continue;
      first = at;
      found = &noun;
    }
  }
  return found;
}

std::string language_in(const std::string& text, const Noun& noun) {
  for (const NamedLanguage& language : kLanguages) {
    const std::string word = quote_for_regex(language.word);
    const RE2 before("(?i)(?:^|[\\s(])" + word + " (?:\\w+ )?" + std::string(noun.word));
    const RE2 after("(?i)\\b(?:in|written in) " + word + "(?:$|[\\s?.,])");
    if (says(text, before) || says(text, after)) return std::string(language.name);
  }
  return {};
}

std::string field_of_unit(std::string_view unit) {
  return unit.starts_with('m') || unit.starts_with('f') || unit.starts_with('M') ? "method_count"
                                                                                 : "line_count";
}

std::optional<NumberClause> number_in(const std::string& text) {
  static const RE2 kBetween("(?i)\\bbetween " NUMBER " (?:and|to) " NUMBER " " UNITS "\\b");
  static const RE2 kCompared(
      R"((?i)(more than|over|above|greater than|larger than|longer than|bigger than|exceed(?:s|ing)?|beyond|>=|>|at least|no less than|not less than|minimum(?: of)?|less than|fewer than|under|below|shorter than|smaller than|<=|<|at most|no more than|not more than|up to|maximum(?: of)?|exactly|precisely|about|around|approximately|roughly|circa|~) ?)" NUMBER
      "(?: |-)?" UNITS "?");
  static const RE2 kBare("(?i)\\b(?:with|have|has|having|of) " NUMBER " " UNITS "\\b");
  NumberClause clause;
  std::string unit;
  std::string word;
  if (RE2::PartialMatch(text, kBetween, &clause.value, &clause.upper_value, &unit)) {
    clause.field = field_of_unit(unit);
    clause.comparison = "between";
    return clause;
  }
  if (RE2::PartialMatch(text, kCompared, &word, &clause.value, &unit)) {
    const std::string compared = lower(word);
    const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
      return std::ranges::any_of(words, [&](auto each) { return compared.starts_with(each); });
    };
    const bool is_about_length = is_one_of({"long", "short"});
    if (unit.empty() && !is_about_length && !contains_ignoring_case(text, "line")) {
      return std::nullopt;
    }
    clause.field = unit.empty() ? "line_count" : field_of_unit(unit);
    if (is_one_of({"at least", ">=", "no less", "not less", "minimum"})) {
      clause.comparison = "gte";
    } else if (is_one_of({"at most", "<=", "no more", "not more", "up to", "maximum"})) {
      clause.comparison = "lte";
    } else if (is_one_of({"less", "fewer", "under", "below", "short", "small", "<"})) {
      clause.comparison = "lt";
    } else if (is_one_of({"exact", "precise"})) {
      clause.comparison = "equal";
    } else if (is_one_of({"about", "around", "approx", "roughly", "circa", "~"})) {
      clause.comparison = "approximately";
    } else {
      clause.comparison = "gt";
    }
    return clause;
  }
  if (RE2::PartialMatch(text, kBare, &clause.value, &unit)) {
    clause.field = field_of_unit(unit);
    clause.comparison = "equal";
    return clause;
  }
  return std::nullopt;
}

#define CHANGED \
  R"((?:modif\w+|chang\w+|edit\w+|updat\w+|touch\w+|commit\w*|altered|written|added|new\b|worked on|last_modified))"
#define DATE R"((\d{4}(?:-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?)?)?))"

std::optional<TimeClause> time_in(const std::string& text) {
  static const RE2 kChanged("(?i)\\b" CHANGED);
  static const RE2 kLast(
      R"((?i)\b(?:last|past|previous|recent) (?:(\d{1,3}) )?(minute|hour|day|week|month|quarter|year)s?\b)");
  static const RE2 kThis(R"((?i)\bthis (week|month|quarter|year)\b)");
  static const RE2 kToday(R"((?i)\b(?:today|(?:last|past) 24 hours)\b)");
  static const RE2 kYesterday(R"((?i)\bsince yesterday\b)");
  static const RE2 kBetween("(?i)\\bbetween " DATE " and " DATE);
  static const RE2 kAfter("(?i)\\b(?:since|after|newer than|later than|from) " DATE);
  static const RE2 kBefore("(?i)\\b(?:before|until|older than|earlier than|prior to) " DATE);
  if (!says(text, kChanged)) return std::nullopt;
  TimeClause clause;
  std::string unit;
  std::string number;
  if (RE2::PartialMatch(text, kToday) || RE2::PartialMatch(text, kYesterday)) {
    clause.mode = "relative";
    clause.period = "last_day";
    return clause;
  }
  if (RE2::PartialMatch(text, kLast, &number, &unit) || RE2::PartialMatch(text, kThis, &unit)) {
    clause.mode = "relative";
    clause.period = "last_" + lower(unit);
    clause.times = number.empty() ? 1 : std::max(1, std::stoi(number));
    return clause;
  }
  clause.is_whole_days = true;
  if (RE2::PartialMatch(text, kBetween, &clause.datetime, &clause.end)) {
    clause.mode = "between";
  } else if (RE2::PartialMatch(text, kAfter, &clause.datetime)) {
    // "Since the 3rd" has the 3rd in it.
    clause.mode = "between";
    clause.end = "9999-12-31";
  } else if (RE2::PartialMatch(text, kBefore, &clause.datetime)) {
    clause.mode = "before";
  } else {
    return std::nullopt;
  }
  return clause;
}

std::optional<NameClause> name_in(const std::string& text) {
#define PATTERN R"re((?:"([^"]+)"|'([^']+)'|`([^`]+)`|(\S+?)))re"
#define END R"((?:$|[?!.,;](?:\s|$)|\s+(?:in|below|under|that|and|are|exist|there|by|sorted)\b))"
  struct Form {
    RE2 pattern;
    std::string_view mode;
  };
  static const std::array<Form, 6> kForms{{
      {RE2("(?i)\\b(?:start(?:s|ing)?|begin(?:s|ning)?|prefixed) (?:with|by)(?: the)?(?: "
           "(?:prefix|word|letters?|text))? " PATTERN END),
       "starts_with"},
      {RE2("(?i)\\b(?:with|having) (?:the |a )?prefix " PATTERN END), "starts_with"},
      {RE2("(?i)\\b(?:end(?:s|ing)?|suffixed) (?:with|in|by)(?: the)?(?: "
           "(?:suffix|word|letters?|text))? " PATTERN END),
       "ends_with"},
      {RE2("(?i)\\b(?:with|having) (?:the |a )?suffix " PATTERN END), "ends_with"},
      {RE2("(?i)\\bnam\\w+ (?:that |which )?(?:match(?:es|ing)?)(?: the)?(?: "
           "(?:regex|pattern|regular expression))? " PATTERN END),
       "regex"},
      {RE2("(?i)\\bnam\\w+ (?:that |which "
           ")?(?:contain(?:s|ing)?|includ(?:es?|ing)|ha(?:s|ve)|with)(?: the)?(?: word| "
           "text)? " PATTERN END),
       "contains"},
  }};
  static const RE2 kInName("(?i)\\b(?:with|containing|having|contain|have) " PATTERN
                           " in (?:the|its|their) names?");
  const auto taken = [](const std::array<std::string, 4>& parts) {
    const auto found = std::ranges::find_if(parts, [](const auto& part) { return !part.empty(); });
    return found == parts.end() ? std::string() : *found;
  };
  std::array<std::string, 4> parts;
  for (const Form& form : kForms) {
    if (RE2::PartialMatch(text, form.pattern, &parts[0], &parts[1], &parts[2], &parts[3])) {
      return NameClause{std::string(form.mode), taken(parts)};
    }
  }
  if (RE2::PartialMatch(text, kInName, &parts[0], &parts[1], &parts[2], &parts[3])) {
    return NameClause{"contains", taken(parts)};
  }
  return std::nullopt;
}

std::optional<OrderClause> order_in(const std::string& text) {
  static const RE2 kMethods(
      R"((?i)\b(most|fewest|least) (?:methods|member functions)\b|\bby (?:the )?(?:number of |count of )?(?:methods|method count)\b)");
  static const RE2 kMost(
      R"((?i)\b(?:most complex|complex\w*|largest|biggest|longest|heaviest|huge|hugest|most lines|top \d+|by (?:the )?(?:number of )?(?:lines|size|length|line count|loc)|god)\b)");
  static const RE2 kLeast(
      R"((?i)\b(?:smallest|shortest|tiniest|simplest|least complex|fewest lines|least lines)\b)");
  static const RE2 kNewest(R"((?i)\b(?:newest|latest|most recent(?:ly)?|recently|last) (?:)" CHANGED
                           R"()\b)");
  static const RE2 kOldest(R"((?i)\b(?:oldest|least recently (?:)" CHANGED R"())\b)");
  std::string word;
  if (RE2::PartialMatch(text, kMethods, &word)) {
    const std::string asked = lower(word);
    return OrderClause{"method_count", asked != "fewest" && asked != "least"};
  }
  if (says(text, kLeast)) return OrderClause{"line_count", false};
  if (says(text, kOldest)) return OrderClause{"last_modified", false};
  if (says(text, kNewest)) return OrderClause{"last_modified", true};
  if (says(text, kMost)) return OrderClause{"line_count", true};
  return std::nullopt;
}

std::string group_in(const std::string& text) {
  static const RE2 kGroup(
      R"((?i)\b(?:per|by|for each|for every|in each|in every|of each|grouped by|each) (?:programming )?(language|file|type|kind|visibility|parent|class)\b)");
  std::string word;
  if (!RE2::PartialMatch(text, kGroup, &word)) return {};
  const std::string field = lower(word);
  return field == "class" ? "parent" : field;
}

int limit_in(const std::string& text) {
  static const RE2 kTop(R"((?i)\b(?:top|first) (\d{1,2})\b)");
  static const RE2 kNumbered(
      R"((?i)\b(\d{1,2}) (?:\w+ )?(?:largest|biggest|longest|smallest|shortest|most|newest|latest|oldest)\b)");
  static const RE2 kOne(
      R"((?i)^(?:what|which) (?:is|was) the\b|^(?:which|what) (?:class|function|method|struct|interface|enum|trait) (?:is|has)\b)");
  int limit = 0;
  if (RE2::PartialMatch(text, kTop, &limit) || RE2::PartialMatch(text, kNumbered, &limit)) {
    return std::clamp(limit, 1, 50);
  }
  return says(text, kOne) ? 5 : 10;
}

std::string path_in(const std::string& text) {
  static const RE2 kPath(
      R"((?i)\b(?:in|below|under|inside|within) (?:the (?:folder|directory) )?[`"']?((?:[\w.-]+/)+[\w.-]*|(?:\./)?[\w.-]+/)[`"']?(?:$|[\s?.,]))");
  static const RE2 kFolder(
      R"((?i)\b(?:in|below|under|inside) (?:the )?(?:folder |directory )?[`"']?([\w.-]+)[`"']?(?: folder| directory)(?:$|[\s?.,]))");
  std::string path;
  if (!RE2::PartialMatch(text, kPath, &path) && !RE2::PartialMatch(text, kFolder, &path)) return {};
  if (path.starts_with("./")) path.erase(0, 2);
  while (path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

std::optional<EntityQuestion> understand_entities(std::string_view given) {
  static const RE2 kCount(R"((?i)^(?:how many|count|number of|what is the number of)\b)");
  static const RE2 kVisibility(
      R"((?i)\b(public|private|protected) (?:\w+ )?(?:methods?|functions?|classes|fields?|members?)\b)");
  // Questions that ask what something does, or where one name is, are others' to answer.
  static const RE2 kOther(
      R"((?i)^(?:what does|what do|how does|how do|explain|where is|where are|who calls|who uses|show me the (?:code|source))\b)");
  const std::string text(utf8_prefix(given, kLongestQuestion));
  const Noun* noun = find_noun(text);
  if (noun == nullptr || says(text, kOther)) return std::nullopt;
  EntityQuestion question;
  question.type = noun->type;
  question.noun = noun->plural;
  question.language = language_in(text, *noun);
  question.path = path_in(text);
  std::string visibility;
  if (RE2::PartialMatch(text, kVisibility, &visibility)) question.visibility = lower(visibility);
  question.number = number_in(text);
  question.time = time_in(text);
  question.name = name_in(text);
  question.group_by = group_in(text);
  question.is_count = says(text, kCount);
  question.limit = limit_in(text);
  if (!question.number) question.order = order_in(text);

  const bool is_file = question.type == "file" || question.type == "code";
  // Files by their names, their sizes or their number are found without an index.
  if (is_file && !question.number && !question.time) return std::nullopt;
  if (is_file) {
    question.name.reset();
    question.order.reset();
    question.type = "file";
  }
  if (question.group_by == "kind") question.group_by = "type";
  const bool is_counted = question.is_count && (!question.group_by.empty() || !is_file);
  const bool has_clause = question.number || question.time || question.name || question.order ||
                          is_counted || !question.visibility.empty();
  if (!has_clause) return std::nullopt;
  return question;
}

}  // namespace wright::offline
