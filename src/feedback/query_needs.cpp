#include "feedback/query_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "core/text.h"

namespace wright::feedback {
namespace {

constexpr std::size_t kLongestQuery = 4'000;  // bytes looked at

using Words = std::vector<std::string>;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '\'' || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// In lower case, without punctuation. Comparison signs are words of their own, and a number keeps
// its point and its commas.
Words words_of(std::string_view query) {
  Words words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  query = query.substr(0, kLongestQuery);
  for (std::size_t i = 0; i < query.size(); ++i) {
    char c = query[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool is_inside_number =
        (c == '.' || c == ',' || c == '-') && !word.empty() && word.front() >= '0' &&
        word.front() <= '9' && i + 1 < query.size() && query[i + 1] >= '0' && query[i + 1] <= '9';
    if (is_word_character(c) || is_inside_number) {
      if (c != ',') word += c;
    } else {
      end_word();
      if (c == '<' || c == '>') words.emplace_back(1, c);
    }
  }
  end_word();
  return words;
}

bool is_number(std::string_view word) {
  return !word.empty() && word.front() >= '0' && word.front() <= '9';
}
bool is_year(std::string_view word) {
  return (word.size() == 4 && (word.starts_with("19") || word.starts_with("20")) &&
          std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; })) ||
         (word.size() >= 7 && is_number(word) && word[4] == '-');
}
bool is_time_unit(std::string_view word) {
  constexpr auto kUnits = std::to_array<std::string_view>(
      {"second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks",
       "month", "months", "quarter", "quarters", "year", "years"});
  return is_one_of(word, kUnits);
}
bool is_moment(std::string_view word) {
  constexpr auto kMoments = std::to_array<std::string_view>(
      {"today",   "yesterday", "monday",   "tuesday",   "wednesday", "thursday",
       "friday",  "saturday",  "sunday",   "january",   "february",  "march",
       "april",   "may",       "june",     "july",      "august",    "september",
       "october", "november",  "december", "christmas", "jan",       "feb",
       "aug",     "sep",       "oct",      "nov",       "dec"});
  return is_one_of(word, kMoments) || is_year(word);
}
bool is_size_unit(std::string_view word) {
  constexpr auto kUnits = std::to_array<std::string_view>(
      {"kb",    "mb",         "gb",         "tb",        "kib", "mib",
       "gib",   "kilobytes",  "megabytes",  "gigabytes", "ms",  "milliseconds",
       "km",    "kilometers", "kilometres", "miles",     "kg",  "dollars",
       "euros", "usd",        "eur",        "celsius"});
  return is_one_of(word, kUnits);
}
// "10mb"
bool is_number_with_unit(std::string_view word) {
  const std::size_t digits = word.find_first_not_of("0123456789.");
  return is_number(word) && digits != std::string_view::npos && is_size_unit(word.substr(digits));
}

// A phrase is words; # stands for a number, $ for a unit of time, @ for a moment.
bool fits(std::string_view pattern, std::string_view word) {
  if (pattern == "#") return is_number(word);
  if (pattern == "$") return is_time_unit(word);
  if (pattern == "@") return is_moment(word);
  return pattern == word;
}

struct Found {
  std::size_t begin;
  std::size_t end;
};

std::optional<Found> find_phrase(const Words& words, std::string_view phrase,
                                 std::size_t from = 0) {
  std::array<std::string_view, 6> patterns;
  std::size_t count = 0;
  while (!phrase.empty() && count < patterns.size()) {
    const std::size_t space = phrase.find(' ');
    patterns[count++] = phrase.substr(0, space);
    phrase.remove_prefix(space == std::string_view::npos ? phrase.size() : space + 1);
  }
  for (std::size_t at = from; at + count <= words.size(); ++at) {
    std::size_t same = 0;
    while (same < count && fits(patterns[same], words[at + same])) ++same;
    if (same == count) return Found{at, at + count};
  }
  return std::nullopt;
}

std::string text_of(const Words& words, Found found) {
  return fmt::format("{}", fmt::join(words.begin() + static_cast<std::ptrdiff_t>(found.begin),
                                     words.begin() + static_cast<std::ptrdiff_t>(found.end), " "));
}

template <std::size_t N>
std::optional<Found> find_any(const Words& words, const std::array<std::string_view, N>& phrases) {
  for (const std::string_view phrase : phrases) {
    if (const auto found = find_phrase(words, phrase)) return found;
  }
  return std::nullopt;
}

// Something that has a size or a number, anywhere in the query.
std::string measure_in(const Words& words) {
  constexpr auto kMeasures = std::to_array<std::string_view>(
      {"lines",   "line",   "bytes",  "size",     "length", "complexity", "parameters", "arguments",
       "methods", "fields", "price",  "cost",     "age",    "score",      "rating",     "duration",
       "latency", "weight", "height", "quantity", "amount", "salary"});
  for (const std::string& word : words) {
    if (is_one_of(word, kMeasures)) return word;
  }
  return {};
}

// The word that a number counts: "lines" of "more than 200 lines".
std::string counted_thing(const Words& words, std::size_t after) {
  constexpr auto kNothings = std::to_array<std::string_view>(
      {"and", "or", "in", "of", "the", "a", "an", "at", "for", "with", "to", "on", "is", "each"});
  if (after < words.size() && !is_number(words[after]) && !is_one_of(words[after], kNothings)) {
    return words[after];
  }
  return measure_in(words);
}

std::optional<Need> number_need(const Words& words) {
  constexpr auto kSure = std::to_array<std::string_view>({"more than #",
                                                          "less than #",
                                                          "fewer than #",
                                                          "greater than #",
                                                          "larger than #",
                                                          "smaller than #",
                                                          "bigger than #",
                                                          "longer than #",
                                                          "shorter than #",
                                                          "higher than #",
                                                          "lower than #",
                                                          "older than #",
                                                          "cheaper than #",
                                                          "over #",
                                                          "under #",
                                                          "above #",
                                                          "below #",
                                                          "at least #",
                                                          "at most #",
                                                          "exceed #",
                                                          "exceeds #",
                                                          "exceeding #",
                                                          "up to #",
                                                          "between # and #",
                                                          "> #",
                                                          "< #",
                                                          "no more than #",
                                                          "no fewer than #",
                                                          "# or more",
                                                          "# or fewer",
                                                          "# or less",
                                                          "equal to #",
                                                          "approximately #"});
  for (const std::string_view phrase : kSure) {
    for (std::size_t from = 0;;) {
      const auto found = find_phrase(words, phrase, from);
      if (!found) break;
      from = found->begin + 1;
      const bool is_date = (found->end < words.size() && is_time_unit(words[found->end])) ||
                           is_year(words[found->end - 1]);
      if (is_date) continue;
      return Need{Capability::compare_numbers, Certainty::sure, text_of(words, *found),
                  counted_thing(words, found->end)};
    }
  }
  constexpr auto kMaybe = std::to_array<std::string_view>(
      {"larger",        "smaller", "bigger",  "longer",  "shorter",    "more than", "less than",
       "between",       "largest", "biggest", "longest", "smallest",   "shortest",  "most complex",
       "least complex", "highest", "lowest",  "fewest",  "most lines", "heaviest"});
  const auto found = find_any(words, kMaybe);
  if (!found) return std::nullopt;
  std::string measure = measure_in(words);
  // A named measure makes the numbers certain.
  const Certainty certainty = measure.empty() ? Certainty::maybe : Certainty::sure;
  return Need{Capability::compare_numbers, certainty, text_of(words, *found), std::move(measure)};
}

std::optional<Need> date_need(const Words& words) {
  constexpr auto kPhrases =
      std::to_array<std::string_view>({"last $",          "last # $",         "past $",
                                       "past # $",        "previous $",       "this $",
                                       "# $ ago",         "recent",           "recently",
                                       "today",           "yesterday",        "older than # $",
                                       "newer than # $",  "more than # $",    "less than # $",
                                       "since @",         "before @",         "after @",
                                       "between @ and @", "until @",          "in @",
                                       "during @",        "modified after",   "modified before",
                                       "modified since",  "modified between", "changed after",
                                       "changed before",  "changed since",    "created after",
                                       "created before",  "created since",    "created between",
                                       "updated after",   "updated before",   "updated since",
                                       "added after",     "added before",     "added since",
                                       "committed after", "committed before", "committed since",
                                       "newest",          "oldest",           "latest",
                                       "last modified",   "last changed",     "most recently"});
  const auto found = find_any(words, kPhrases);
  if (!found) return std::nullopt;
  return Need{Capability::compare_dates, Certainty::sure, text_of(words, *found), {}};
}

template <std::size_t N>
std::optional<Need> text_need(const Words& words, Capability capability,
                              const std::array<std::string_view, N>& phrases) {
  const auto found = find_any(words, phrases);
  if (!found) return std::nullopt;
  return Need{capability, Certainty::sure, text_of(words, *found), {}};
}

std::optional<Need> prefix_need(const Words& words) {
  return text_need(words, Capability::match_prefix,
                   std::to_array<std::string_view>({"starts with", "start with", "starting with",
                                                    "begins with", "begin with", "beginning with",
                                                    "prefixed with", "prefixed by", "prefix"}));
}

std::optional<Need> suffix_need(const Words& words) {
  return text_need(
      words, Capability::match_suffix,
      std::to_array<std::string_view>({"ends with", "end with", "ending with", "ends in",
                                       "ending in", "suffixed with", "suffixed by", "suffix"}));
}

std::optional<Need> regex_need(const Words& words) {
  return text_need(words, Capability::match_regex,
                   std::to_array<std::string_view>({"regex", "regexp", "regexes",
                                                    "regular expression", "regular expressions"}));
}

std::optional<Need> glob_need(const Words& words) {
  return text_need(words, Capability::match_glob,
                   std::to_array<std::string_view>({"glob", "globs", "wildcard", "wildcards"}));
}

std::optional<Need> contains_need(const Words& words) {
  constexpr auto kPhrases = std::to_array<std::string_view>(
      {"contains", "contain", "containing", "matches", "match", "matching", "named like",
       "names like", "in their name", "in its name", "in the name"});
  auto found = find_any(words, kPhrases);
  // "matching the regex": the other word is more specific.
  if (found && (regex_need(words) || glob_need(words))) return std::nullopt;
  if (!found) {
    // "like" compares texts, except where it is politeness or likeness.
    constexpr auto kNotBefore = std::to_array<std::string_view>(
        {"would", "i'd", "we'd", "look", "looks", "feel", "feels", "is", "sounds", "sound", "what",
         "it", "something", "you'd"});
    for (std::size_t from = 0; !found;) {
      const auto like = find_phrase(words, "like", from);
      if (!like) break;
      from = like->end;
      const bool is_other = (like->begin > 0 && is_one_of(words[like->begin - 1], kNotBefore)) ||
                            like->end == words.size();
      if (!is_other) found = like;
    }
  }
  if (!found) return std::nullopt;
  return Need{Capability::match_contains, Certainty::sure, text_of(words, *found), {}};
}

std::optional<Need> sort_need(const Words& words) {
  constexpr auto kPhrases = std::to_array<std::string_view>(
      {"top #",       "top ten",       "top five",      "sorted by",      "sort by",
       "sort",        "order by",      "ordered by",    "rank",           "ranked by",
       "ranking",     "largest",       "biggest",       "longest",        "smallest",
       "shortest",    "highest",       "lowest",        "newest",         "oldest",
       "latest",      "fastest",       "slowest",       "fewest",         "cheapest",
       "heaviest",    "most complex",  "least complex", "most expensive", "most recently",
       "most recent", "most frequent", "most common",   "most popular",   "most lines",
       "most often",  "most used",     "descending",    "ascending",      "first #"});
  const auto found = find_any(words, kPhrases);
  if (!found) return std::nullopt;
  return Need{Capability::sort, Certainty::sure, text_of(words, *found), measure_in(words)};
}

std::optional<Need> aggregate_need(const Words& words) {
  constexpr auto kPhrases = std::to_array<std::string_view>(
      {"how many",     "number of", "count",      "counts",     "average",  "median",   "mean of",
       "sum of",       "total",     "group by",   "grouped by", "for each", "per file", "per class",
       "distribution", "histogram", "percentage", "percent of", "share of", "in total"});
  const auto found = find_any(words, kPhrases);
  if (!found) return std::nullopt;
  return Need{Capability::aggregate, Certainty::sure, text_of(words, *found), {}};
}

std::optional<Need> relation_need(const Words& words) {
  constexpr auto kPhrases = std::to_array<std::string_view>(
      {"called by",     "callers",       "callees",        "who calls",    "what calls",
       "that call",     "which call",    "depends on",     "depend on",    "dependencies of",
       "dependents",    "imported by",   "that import",    "inherits",     "inherit from",
       "inherits from", "extends",       "that extend",    "subclasses",   "subclass of",
       "superclass",    "implements",    "that implement", "related to",   "relationship",
       "relationships", "references to", "referenced by",  "used by",      "who uses",
       "that use",      "join",          "joined with",    "connected to", "belong to",
       "belongs to",    "children of",   "parent of"});
  const auto found = find_any(words, kPhrases);
  if (!found) return std::nullopt;
  return Need{Capability::relate, Certainty::sure, text_of(words, *found), {}};
}

std::optional<Need> exclusion_need(const Words& words) {
  constexpr auto kPhrases = std::to_array<std::string_view>(
      {"without",     "except",        "except for",   "excluding",     "exclude",
       "other than",  "apart from",    "lacking",      "that lack",     "that do not",
       "that don't",  "that does not", "that doesn't", "that are not",  "that aren't",
       "that is not", "that isn't",    "that have no", "that has no",   "which do not",
       "which don't", "which have no", "not in",       "not containing"});
  const auto found = find_any(words, kPhrases);
  if (!found) return std::nullopt;
  return Need{Capability::exclude, Certainty::sure, text_of(words, *found), {}};
}

std::optional<Need> unit_need(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_pair = i + 1 < words.size() && is_number(words[i]) && is_size_unit(words[i + 1]);
    if (is_pair) {
      return Need{Capability::convert_units, Certainty::sure, words[i] + " " + words[i + 1],
                  words[i + 1]};
    }
    if (is_number_with_unit(words[i])) {
      return Need{Capability::convert_units, Certainty::sure, words[i],
                  words[i].substr(words[i].find_first_not_of("0123456789."))};
    }
  }
  constexpr auto kPhrases =
      std::to_array<std::string_view>({"convert #", "converted to", "in kilometers", "in miles",
                                       "in megabytes", "in dollars", "in euros"});
  if (const auto found = find_any(words, kPhrases)) {
    return Need{Capability::convert_units, Certainty::sure, text_of(words, *found), {}};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Need> needs_of(std::string_view query) {
  const Words words = words_of(query);
  std::vector<Need> needs;
  for (const auto find :
       {number_need, date_need, contains_need, prefix_need, suffix_need, regex_need, glob_need,
        sort_need, aggregate_need, relation_need, exclusion_need, unit_need}) {
    if (auto need = find(words)) needs.push_back(std::move(*need));
  }
  return needs;
}

Subject subject_of(std::string_view query) {
  constexpr auto kFiles = std::to_array<std::string_view>(
      {"file", "files", "filename", "filenames", "folder", "folders", "directory", "directories",
       "path", "paths", "extension", "extensions"});
  query = query.substr(0, kLongestQuery);
  if (find_any(words_of(query), kFiles)) return Subject::files;
  for (std::size_t i = 0; i + 1 < query.size(); ++i) {
    const bool is_suffix = query[i] == '.' && is_word_character(query[i + 1]) &&
                           (i == 0 || std::string_view(" *'\"`").contains(query[i - 1]));
    if (is_suffix) return Subject::files;
  }
  return Subject::others;
}

bool looks_for_things(std::string_view query) {
  constexpr auto kVerbs = std::to_array<std::string_view>(
      {"find", "search", "locate", "list", "where", "show", "look for", "which"});
  return find_any(words_of(query), kVerbs).has_value();
}

std::string field_for(std::string_view measure) {
  if (measure.empty()) return {};
  if (is_size_unit(measure) || measure == "bytes" || measure == "size") return "size";
  constexpr auto kAsTheyAre = std::to_array<std::string_view>(
      {"length", "complexity", "price", "cost", "age", "score", "rating", "duration", "latency",
       "weight", "height", "quantity", "amount", "salary"});
  if (is_one_of(measure, kAsTheyAre)) return std::string(measure);
  if (measure == "code") return "line_count";
  std::string singular(measure);
  if (singular.size() > 3 && singular.ends_with('s') && !singular.ends_with("ss")) {
    singular.pop_back();
    if (singular.ends_with("sse") || singular.ends_with("xe")) singular.pop_back();
    if (singular.ends_with("ie")) singular.replace(singular.size() - 2, 2, "y");
  }
  return singular + "_count";
}

}  // namespace wright::feedback
