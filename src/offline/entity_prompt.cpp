#include "offline/entity_prompt.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <set>

#include "offline/languages.h"
#include "offline/regex_text.h"
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
    {"interface", "interfaces", "interface"},
    {"enum", "enums", "enum"},
    {"trait", "traits", "trait"},
    {"macro", "macros", "macro"},
    {"namespace", "namespaces", "namespace"},
    {"typedef", "typedefs", "typedef"},
    {"file", "files", "file"},
});

constexpr std::size_t kLongestQuestion = 1000;

bool has_capital(std::string_view word) {
  return !word.empty() && word.front() >= 'A' && word.front() <= 'Z';
}

// The words that are written as names are: with a capital though no sentence begins there, or in
// backticks or quotes. Where every word has a capital, it tells nothing.
std::set<std::string> written_as_names(std::string_view text) {
  static const RE2 kQuoted(R"re([`"'](\w+)[`"'])re");
  std::set<std::string> names;
  const std::vector<std::string> words = words_of(text);
  const auto capitals = std::ranges::count_if(words, has_capital);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool tells = capitals < std::ssize(words);
    if (tells && has_capital(words[i])) names.insert(words[i]);
  }
  re2::StringPiece rest(text.data(), text.size());
  std::string quoted;
  while (RE2::FindAndConsume(&rest, kQuoted, &quoted)) names.insert(quoted);
  return names;
}

// What is left of a question after parts of it were understood.
class Rest {
 public:
  explicit Rest(const std::string& text) : Rest(text, written_as_names(text)) {}
  Rest(std::string text, std::set<std::string> names)
      : text_(std::move(text)), names_(std::move(names)) {}

  // The same question with another text left.
  void keep(std::string text) { text_ = std::move(text); }

  // The groups of the first match, which is taken out; nothing without one.
  std::optional<std::vector<std::string>> take(const RE2& pattern) {
    std::vector<re2::StringPiece> found(
        static_cast<std::size_t>(pattern.NumberOfCapturingGroups()) + 1);
    if (!pattern.Match(text_, 0, text_.size(), RE2::UNANCHORED, found.data(),
                       static_cast<int>(found.size()))) {
      return std::nullopt;
    }
    std::vector<std::string> groups;
    for (const re2::StringPiece& part : found) {
      groups.push_back(part.data() == nullptr ? std::string() : std::string(part));
    }
    const auto at = static_cast<std::size_t>(found[0].data() - text_.data());
    text_.replace(at, found[0].size(), " ");
    return groups;
  }

  bool has(const RE2& pattern) { return take(pattern).has_value(); }

  // Whether nothing is left but words that hold a sentence together. Of those that are written as
  // names, none does: "the methods of Project" are not those of the project.
  bool is_grammar() const {
    static const std::set<std::string_view> kGrammar{
        "a",        "all",     "and",     "any",        "are",     "be",         "been", "code",
        "codebase", "count",   "defined", "do",         "does",    "exist",      "find", "get",
        "give",     "had",     "has",     "have",       "here",    "how",        "in",   "is",
        "it",       "its",     "list",    "many",       "me",      "number",     "of",   "our",
        "please",   "project", "repo",    "repository", "show",    "source",     "that", "the",
        "their",    "there",   "this",    "total",      "us",      "was",        "we",   "were",
        "what",     "which",   "whose",   "with",       "contain", "contains",   "you",  "can",
        "tell",     "name",    "names",   "by",         "tree",    "altogether", "s"};
    return std::ranges::all_of(words_of(text_), [&](const std::string& word) {
      return kGrammar.contains(lower(word)) && !names_.contains(word);
    });
  }

  bool is_name(const std::string& word) const { return names_.contains(word); }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::set<std::string> names_;
};

#define NUMBER R"((\d{1,7}))"
#define UNITS R"((lines?(?: of code)?|loc|methods?|member functions))"

std::string field_of_unit(std::string_view unit) {
  return lower(unit).starts_with('m') ? "method_count" : "line_count";
}

std::optional<NumberClause> number_in(Rest& rest) {
  static const RE2 kBetween("(?i)\\b(?:with |have |has )?between " NUMBER " (?:and|to) " NUMBER
                            " " UNITS "\\b");
  static const RE2 kCompared(
      R"((?i)(?:\b(?:that|which|with|have|has|having|are|is) )*(more than|over|above|greater than|larger than|longer than|bigger than|exceeding|>=|>|at least|no less than|less than|fewer than|under|below|shorter than|smaller than|<=|<|at most|no more than|up to|exactly) ?)" NUMBER
      "[ -]?" UNITS "\\b(?: long)?");
  static const RE2 kBare("(?i)\\b(?:with|have|has|having) " NUMBER " " UNITS "\\b");
  NumberClause clause;
  if (const auto found = rest.take(kBetween)) {
    clause = {field_of_unit((*found)[3]), "between", std::stoll((*found)[1]),
              std::stoll((*found)[2])};
    return clause;
  }
  if (const auto found = rest.take(kCompared)) {
    const std::string word = lower((*found)[1]);
    const auto starts = [&](std::initializer_list<std::string_view> words) {
      return std::ranges::any_of(words, [&](auto each) { return word.starts_with(each); });
    };
    clause.field = field_of_unit((*found)[3]);
    clause.value = std::stoll((*found)[2]);
    clause.comparison = starts({"at least", ">=", "no less"})                                ? ">="
                        : starts({"at most", "<=", "no more", "up to"})                      ? "<="
                        : starts({"less", "fewer", "under", "below", "short", "small", "<"}) ? "<"
                        : starts({"exact"})                                                  ? "="
                                                                                             : ">";
    return clause;
  }
  if (const auto found = rest.take(kBare)) {
    clause = {field_of_unit((*found)[2]), "=", std::stoll((*found)[1])};
    return clause;
  }
  return std::nullopt;
}

#define CHANGED R"((?:(?:been |were |was |has |have )*(?:modified|changed|edited|updated|touched)))"
#define DATE R"((\d{4}(?:-\d{2}(?:-\d{2})?)?))"

std::optional<TimeClause> time_in(Rest& rest) {
  static const RE2 kLast(
      "(?i)\\b" CHANGED
      R"( (?:in|within|during|over) the (?:last|past) (?:(\d{1,3}) )?(hour|day|week|month|quarter|year)s?\b)");
  static const RE2 kToday("(?i)\\b" CHANGED R"( (?:today|in the (?:last|past) 24 hours)\b)");
  static const RE2 kBetween("(?i)\\b" CHANGED " between " DATE " and " DATE "\\b");
  static const RE2 kSince("(?i)\\b" CHANGED " since " DATE "\\b");
  static const RE2 kIn("(?i)\\b" CHANGED " (?:in|on|during) " DATE "\\b");
  static const RE2 kBefore("(?i)\\b" CHANGED " before " DATE "\\b");
  TimeClause clause;
  if (const auto found = rest.take(kLast)) {
    clause.mode = "relative";
    clause.period = "last_" + lower((*found)[2]);
    clause.times = (*found)[1].empty() ? 1 : std::max(1, std::stoi((*found)[1]));
  } else if (rest.has(kToday)) {
    clause.mode = "relative";
    clause.period = "last_day";
  } else if (const auto dates = rest.take(kBetween)) {
    clause = {"between", {}, 1, (*dates)[1], (*dates)[2]};
  } else if (const auto since = rest.take(kSince)) {
    clause = {"between", {}, 1, (*since)[1], {}};
  } else if (const auto during = rest.take(kIn)) {
    clause = {"between", {}, 1, (*during)[1], (*during)[1]};
  } else if (const auto before = rest.take(kBefore)) {
    clause = {"before", {}, 1, (*before)[1], {}};
  } else {
    return std::nullopt;
  }
  return clause;
}

std::optional<NameClause> name_in(Rest& rest) {
#define PATTERN R"re((?:"([^"]+)"|'([^']+)'|`([^`]+)`|([\w.$+*\\^\[\]-]*\w)))re"
  struct Form {
    RE2 pattern;
    std::string_view sign;
  };
#define WHOSE \
  "(?i)\\b(?:(?:whose|with|that have|having) )?(?:(?:the |a |their )?names? )?(?:that |which )?"
  static const std::array<Form, 4> kForms{{
      {RE2(WHOSE "(?:starts?|starting|begins?|beginning) with " PATTERN "(?:$|[\\s?,.])"),
       "STARTS WITH"},
      {RE2(WHOSE "(?:ends?|ending) (?:with|in) " PATTERN "(?:$|[\\s?,.])"), "ENDS WITH"},
      {RE2("(?i)\\b(?:whose|with|having) (?:the |a |their )?names? (?:that |which )?"
           "(?:contains?|containing|has|have|includes?|including) " PATTERN "(?:$|[\\s?,.])"),
       "CONTAINS"},
      {RE2("(?i)\\b(?:with|containing|having|have|contain|that contain) " PATTERN
           " in (?:the|its|their) names?\\b"),
       "CONTAINS"},
  }};
  for (const Form& form : kForms) {
    const auto found = rest.take(form.pattern);
    if (!found) continue;
    const auto given =
        std::find_if(found->begin() + 1, found->end(), [](const auto& g) { return !g.empty(); });
    return NameClause{std::string(form.sign), given == found->end() ? "" : *given};
  }
  return std::nullopt;
}

std::optional<OrderClause> order_in(Rest& rest, bool is_file) {
  static const RE2 kMethods(
      R"((?i)\b(?:has |have |with )?the (most|fewest) (?:methods|member functions)\b|\bby (?:the )?number of methods\b)");
  static const RE2 kLines(
      R"((?i)\b(?:has |have |with )?(?:the )?(most|fewest) lines(?: of code)?\b)");
  static const RE2 kByLines(
      R"((?i),? ?\b(?:(?:sorted|ordered|measured) )?(?:by|based on) (?:the )?(?:number of )?(?:lines|length|line count)(?: of code)?\b)");
  static const RE2 kBySize(R"((?i),? ?\b(?:(?:sorted|ordered) )?by (?:file )?size\b)");
  static const RE2 kNewest(
      R"((?i)\b(?:most recently (?:changed|modified|edited|updated)|(?:changed|modified|edited|updated) (?:most recently|last)|(?:newest|latest))\b)");
  static const RE2 kOldest(R"((?i)\b(?:oldest|least recently (?:changed|modified))\b)");
  static const RE2 kLarge(R"((?i)\b(?:largest|biggest|most complex)\b)");
  static const RE2 kSmall(R"((?i)\b(?:smallest)\b)");
  static const RE2 kLong(R"((?i)\b(?:longest)\b)");
  static const RE2 kShort(R"((?i)\b(?:shortest)\b)");
  const std::string size = is_file ? "size" : "line_count";
  if (const auto found = rest.take(kMethods)) {
    return OrderClause{"method_count", lower((*found)[1]) != "fewest"};
  }
  if (const auto found = rest.take(kLines)) {
    return OrderClause{"line_count", lower((*found)[1]) != "fewest"};
  }
  const bool by_lines = rest.has(kByLines);
  const bool by_size = !by_lines && is_file && rest.has(kBySize);
  if (rest.has(kLarge)) return OrderClause{by_lines ? "line_count" : size, true};
  if (rest.has(kSmall)) return OrderClause{by_lines ? "line_count" : size, false};
  if (rest.has(kLong)) return OrderClause{"line_count", true};
  if (rest.has(kShort)) return OrderClause{"line_count", false};
  if (by_lines || by_size) return OrderClause{by_lines ? "line_count" : size, true};
  if (rest.has(kOldest)) return OrderClause{"last_modified", false};
  if (rest.has(kNewest)) return OrderClause{"last_modified", true};
  return std::nullopt;
}

std::string group_in(Rest& rest) {
  static const RE2 kGroup(
      R"((?i)\b(?:(?:are|is) )?(?:there )?(?:per|by|for each|for every|in each|in every|grouped by|does each|do each|each) (?:programming )?(language|file|type|kind|visibility|class)(?: have| has| contain| contains)?\b)");
  static const RE2 kMost(
      R"((?i)^(?:which|what) (language|file)s? (?:has|have|contains?|defines?) (?:the )?most )");
  auto found = rest.take(kGroup);
  if (!found) found = rest.take(kMost);
  if (!found) return {};
  const std::string field = lower((*found)[1]);
  return field == "class" ? "parent" : field == "kind" ? "type" : field;
}

std::optional<int> limit_in(Rest& rest) {
  static const RE2 kTop(R"((?i)\btop (\d{1,2})\b)");
  static const RE2 kNumbered(
      R"((?i)\b(\d{1,2}) ((?:most )?(?:largest|biggest|longest|smallest|shortest|most|newest|latest|oldest|complex|recently))\b)");
  static const RE2 kAfter(
      R"((?i)\b(largest|biggest|longest|smallest|shortest|newest|latest|oldest) (\d{1,2})\b)");
  const auto text = rest.text();
  int limit = 0;
  std::string word;
  if (RE2::PartialMatch(text, kNumbered, &limit, &word)) {
    std::string kept = text;
    RE2::Replace(&kept, kNumbered, R"(\2)");
    rest.keep(kept);
  } else if (RE2::PartialMatch(text, kAfter, &word, &limit)) {
    std::string kept = text;
    RE2::Replace(&kept, kAfter, R"(\1)");
    rest.keep(kept);
  } else if (const auto found = rest.take(kTop)) {
    limit = std::stoi((*found)[1]);
  } else {
    return std::nullopt;
  }
  return std::clamp(limit, 1, 50);
}

std::string path_in(Rest& rest) {
  static const RE2 kFolder(
      R"((?i)\b(?:in|below|under|inside|within|of) (?:the )?(?:(?:folder|directory|file) [`"']?([\w./+-]+)[`"']?|[`"']?([\w./+-]+)[`"']? (?:folder|directory|file))(?:$|[\s?,]))");
  static const RE2 kPath(
      R"((?i)\b(?:in|below|under|inside|within|of) [`"']?((?:[\w.+-]+/)+[\w.+-]*|[\w.+-]+\.[a-z]\w{0,4})[`"']?(?:$|[\s?,]))");
  static const RE2 kWord(R"((?i)\b(?:in|below|under|inside|within) [`"']?([\w.+-]+)[`"']?\s*\??$)");
  static const RE2 kNoPath(R"((?i)^(?:it|this|total|all|here|there|code|c|c\+\+|\d{4})$)");
  std::string path;
  if (const auto folder = rest.take(kFolder)) {
    path = (*folder)[1].empty() ? (*folder)[2] : (*folder)[1];
  } else if (const auto given = rest.take(kPath)) {
    path = (*given)[1];
  } else {
    const std::string before = rest.text();
    const auto word = rest.take(kWord);
    if (!word) return {};
    const bool is_type = !globs_for_type((*word)[1]).empty();
    if (is_type || RE2::FullMatch((*word)[1], kNoPath)) {
      rest.keep(before);
      return {};
    }
    path = (*word)[1];
  }
  if (path.starts_with("./")) path.erase(0, 2);
  while (path.ends_with('/')) path.pop_back();
  return path;
}

// "python" before the noun, or "in python" at the end.
std::string type_in(Rest& rest, std::string_view noun) {
  const std::string words = R"(([\w.+#]+|\*\.\w+))";
  const RE2 before("(?i)(?:^|\\s)" + words + " (?:source )?" + std::string(noun));
  static const RE2 kAfter(R"((?i)\b(?:written )?in ([\w+#]+)\s*\??$)");
  for (const RE2* pattern : {&before, &kAfter}) {
    std::string word;
    if (!RE2::PartialMatch(rest.text(), *pattern, &word)) continue;
    if (globs_for_type(word).empty()) continue;
    std::string kept = rest.text();
    RE2::Replace(&kept, *pattern, pattern == &before ? " " + std::string(noun) : " ");
    rest.keep(kept);
    return lower(word);
  }
  return {};
}

const Noun* noun_in(Rest& rest) {
  for (const Noun& noun : kNouns) {
    const RE2 plural("(?i)\\b(?:source )?" + std::string(noun.plural) + "\\b");
    const RE2 singular("(?i)\\b(?:source )?" + std::string(noun.word) + "\\b");
    if (rest.has(plural) || rest.has(singular)) return &noun;
  }
  return nullptr;
}

// The word by which the noun will be found, so that what stands before it can be read first.
std::string_view noun_word(const std::string& text) {
  for (const Noun& noun : kNouns) {
    for (const std::string_view word : {noun.plural, noun.word}) {
      if (RE2::PartialMatch(text, "(?i)\\b" + std::string(word) + "\\b")) return word;
    }
  }
  return {};
}

// "How many lines of code are there?"
std::optional<EntityPrompt> sum_of_lines(const std::string& text) {
  static const RE2 kLines(
      R"((?i)^(?:how many|count(?: all)?(?: the)?|number of|total) (?:([\w+#]+) )?lines(?: of (?:source )?(code|text|[\w+#]+)(?: code)?)?(?: (?:per|by|in each) language)?(?:$|[^\w+#]))");
  Rest rest(text);
  const std::string path = path_in(rest);
  const auto found = rest.take(kLines);
  if (!found || !rest.is_grammar()) return std::nullopt;
  std::string type = (*found)[1].empty() ? lower((*found)[2]) : lower((*found)[1]);
  if (type == "code" || type == "text") type.clear();
  if (!type.empty() && globs_for_type(type).empty()) return std::nullopt;
  return EntityPrompt{.type = "file",
                      .noun = "files",
                      .file_type = type,
                      .visibility = {},
                      .path = path,
                      .group_by = "language",
                      .is_count = true,
                      .adds_up_lines = true};
}

}  // namespace

std::optional<EntityPrompt> understand_entities(std::string_view given) {
  static const RE2 kCount(R"((?i)^(?:how many|count|number of|what is the number of)\b)");
  static const RE2 kOne(R"((?i)^(?:what|which) (?:is|was) the\b)");
  static const RE2 kVisibility(R"((?i)\b(public|private|protected)\b)");
  static const RE2 kLanguages(
      R"((?i)^(?:which|what) (?:programming )?languages? (?:is|are|does|do) (?:(?:this|it|the|our|we|there|here) ?)?(?:project |code |codebase |repo |repository |program )?(?:used|use|uses|written in)?(?: here| in (?:this|the) (?:project|repo|repository|codebase))?\??$)");
  static const RE2 kMost(
      R"((?i)^(?:which|what) (?:language|file)s? (?:has|have|contains?|defines?) (?:the )?most )");
  // These ask what something does, or where one thing is.
  static const RE2 kOther(
      R"((?i)^(?:what does|what do|how does|how do|explain|describe|where|who|why|is|are|does|do|can)\b)");
  const std::string text(utf8_prefix(given, kLongestQuestion));
  if (RE2::PartialMatch(text, kOther)) return std::nullopt;
  if (RE2::FullMatch(text, kLanguages)) {
    return EntityPrompt{.type = "file",
                        .noun = "files",
                        .file_type = {},
                        .visibility = {},
                        .path = {},
                        .group_by = "language",
                        .is_count = true};
  }
  if (auto lines = sum_of_lines(text)) return lines;
  Rest rest(text);
  EntityPrompt question;
  const bool is_ranked_group =
      RE2::PartialMatch(text, kMost) && !RE2::PartialMatch(text, R"((?i)most (?:lines|methods))");
  if (is_ranked_group || RE2::PartialMatch(text, R"((?i)\b(?:per|by|each|every) )")) {
    question.group_by = group_in(rest);
  }
  question.time = time_in(rest);
  question.name = name_in(rest);
  question.number = number_in(rest);
  const bool is_file = noun_word(rest.text()).starts_with("file");
  const auto limit = limit_in(rest);
  question.order = order_in(rest, is_file);
  if (question.time) rest.take(RE2(R"((?i)\bcode\b)"));
  question.file_type = type_in(rest, noun_word(rest.text()));
  question.path = path_in(rest);
  std::string visibility;
  if (RE2::PartialMatch(rest.text(), kVisibility, &visibility) && !rest.is_name(visibility)) {
    rest.take(kVisibility);
    question.visibility = lower(visibility);
  }
  const Noun* noun = noun_in(rest);
  // "What changed in the last week?" asks for files.
  if (noun == nullptr && question.time) noun = &kNouns.back();
  if (noun == nullptr || !rest.is_grammar()) return std::nullopt;
  question.type = noun->type;
  // One namespace may be opened in many places, and each of them is counted.
  question.noun = noun->type == "namespace" ? "namespace blocks" : noun->plural;
  question.is_count = RE2::PartialMatch(text, kCount) || !question.group_by.empty();
  question.limit = limit.value_or(RE2::PartialMatch(text, kOne) ? 5 : 10);
  if (question.type == "file" && question.number && question.number->field == "method_count") {
    return std::nullopt;
  }
  if (question.order && question.order->field == "method_count" && question.type == "file") {
    return std::nullopt;
  }
  if (!question.group_by.empty() && (question.order || question.time)) return std::nullopt;
  return question;
}

}  // namespace wright::offline
