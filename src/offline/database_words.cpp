#include "offline/database_words.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr auto kGrammar = std::to_array<std::string_view>({
    "a",       "about",    "all",     "among",      "amongst",  "an",      "and",       "any",
    "are",     "as",       "at",      "be",         "been",     "being",   "by",        "can",
    "contain", "could",    "data",    "database",   "db",       "did",     "do",        "doe",
    "does",    "each",     "every",   "file",       "find",     "for",     "from",      "get",
    "give",    "had",      "have",    "has",        "ha",       "here",    "hold",      "how",
    "i",       "in",       "inside",  "into",       "is",       "it",      "its",       "list",
    "look",    "many",     "me",      "much",       "my",       "of",      "on",        "or",
    "our",     "please",   "print",   "s",          "see",      "show",    "sqlite",    "tell",
    "that",    "the",      "their",   "them",       "there",    "these",   "they",      "thi",
    "this",    "those",    "to",      "us",         "was",      "wa",      "we",        "were",
    "what",    "when",     "where",   "which",      "who",      "whose",   "with",      "would",
    "you",     "your",     "kind",    "stored",     "exist",    "record",  "row",       "entry",
    "table",   "view",     "column",  "field",      "value",    "item",    "summarise", "summarize",
    "summary", "overview", "explain", "everything", "recorded", "display", "i'd",       "want",
    "need",    "know",     "thing",   "whole",      "entire",
});

bool is_grammar(const PromptWord& word) {
  return word.kind == PromptWord::Kind::word && !word.is_name &&
         (std::ranges::find(kGrammar, word.singular) != kGrammar.end() ||
          std::ranges::find(kGrammar, lower(word.text)) != kGrammar.end());
}

bool is_one_of_these(const PromptWord& word, std::initializer_list<std::string_view> wanted) {
  return std::ranges::find(wanted, lower(word.text)) != wanted.end();
}

// Two capitals or more, where others are not: "customers in the US", "orders of IT".
bool is_in_capitals(std::string_view text) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return text.size() > 1 && std::ranges::all_of(text, is_capital);
}

// Whether the sign of a currency stands right before or behind a number.
bool has_currency(std::string_view before, std::string_view after) {
  constexpr auto kSigns = std::to_array<std::string_view>({"$", "€", "£", "¥"});
  while (before.ends_with(' ')) before.remove_suffix(1);
  while (after.starts_with(' ')) after.remove_prefix(1);
  return std::ranges::any_of(kSigns, [&](std::string_view sign) {
    return before.ends_with(sign) || after.starts_with(sign);
  });
}

void mark_names(std::vector<PromptWord>& words, std::string_view prompt) {
  const bool has_small = std::ranges::any_of(prompt, [](char c) { return c >= 'a' && c <= 'z'; });
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].kind != PromptWord::Kind::word) continue;
    const bool is_country = at > 0 && is_one_of_these(words[at], {"us"}) &&
                            is_one_of_these(words[at - 1], {"the", "from", "in", "is"});
    const bool is_on_hold =
        at > 0 && is_one_of_these(words[at], {"hold"}) && is_one_of_these(words[at - 1], {"on"});
    const bool is_database = at > 0 && words[at].text == "DB" &&
                             is_one_of_these(words[at - 1], {"the", "this", "my", "our", "your"});
    words[at].is_name =
        is_country || is_on_hold || (has_small && is_in_capitals(words[at].text) && !is_database);
  }
}

std::vector<std::string> singular_words(std::string_view name) {
  std::vector<std::string> words;
  for (const std::string& word : words_in_name(name)) words.push_back(singular(word));
  return words;
}

bool is_named(const PromptWord& word, std::string_view name,
              const std::vector<std::string>& parts) {
  // "customers from France" does not speak of a column that is called from.
  constexpr auto kNeverNames = std::to_array<std::string_view>(
      {"a",   "an",    "and",  "are", "as",   "at",    "by",    "for", "from",
       "has", "how",   "in",   "is",  "it",   "many",  "of",    "on",  "or",
       "the", "there", "this", "to",  "what", "where", "which", "with"});
  if (word.kind == PromptWord::Kind::word &&
      std::ranges::find(kNeverNames, lower(word.text)) != kNeverNames.end()) {
    return false;
  }
  if (lower(word.text) == lower(name)) return true;
  if (word.kind != PromptWord::Kind::word || is_grammar(word)) return false;
  if (word.singular == singular(name)) return true;
  return !parts.empty() && singular_words(word.text) == parts;
}

}  // namespace

std::string singular(std::string_view word) {
  std::string made = lower(word);
  const auto ends = [&](std::string_view end) { return made.size() > 3 && made.ends_with(end); };
  constexpr auto kWithIe = std::to_array<std::string_view>(
      {"movies", "cookies", "calories", "zombies", "rookies", "brownies", "smoothies", "hoodies",
       "selfies", "pies", "ties", "lies", "prairies", "genies"});
  const bool is_with_ie = std::ranges::find(kWithIe, made) != kWithIe.end();
  if (ends("ies") && !is_with_ie) return made.substr(0, made.size() - 3) + "y";
  if (ends("ches") || ends("shes") || ends("xes") || ends("sses"))
    return made.substr(0, made.size() - 2);
  if (made.size() > 2 && made.ends_with("s") && !made.ends_with("ss") && !made.ends_with("us")) {
    made.pop_back();
  }
  return made;
}

std::vector<PromptWord> prompt_words(std::string_view prompt) {
  // Quotes open only where a word could begin, so the one in "what's" does not.
  // A path, an address and a handle are one text: "/api", "@x.org", "10.0.0.1", "10:30".
  static const RE2 kToken(
      R"re((?:"([^"]+)"|`([^`]+)`|(?:^|\B)'([^']+)'|((?:\B[/@#~\\][\pL\pN_@.+/:?=&%#~\\-]*)|\d+(?:[.:/]\d+){2,}\b|\d+[:/]\d+\b)|(\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d(?::\d\d)?)?\b|(?:\B-)?\d[\d,]*(?:\.\d+)?\b)|(>=|<=|<>|!=|==?|>|<|≥|≤|≠)|((?:[\pL_][\pL\pN_@.+'-]*)|(?:\pN[\pL\pN_-]*)|[+%~])))re");
  static const RE2 kRange(R"(^(?: [-–] |[-–])\d)");
  static const RE2 kDash(R"( ?[-–] ?)");
  std::vector<PromptWord> words;
  std::string text(prompt);
  re2::StringPiece rest(text);
  std::array<std::string, 7> found;
  while (RE2::FindAndConsume(&rest, kToken, &found[0], &found[1], &found[2], &found[3], &found[4],
                             &found[5], &found[6])) {
    using Kind = PromptWord::Kind;
    constexpr std::array kKinds{Kind::quoted, Kind::quoted,     Kind::quoted, Kind::quoted,
                                Kind::number, Kind::comparison, Kind::word};
    constexpr std::size_t kText = 3;
    for (std::size_t i = 0; i < found.size(); ++i) {
      std::string typed = found[i];
      if (typed.empty()) continue;
      const Kind kind = kKinds[i];
      while (i == kText && typed.size() > 1 && std::string_view(".?:").contains(typed.back()))
        typed.pop_back();
      while (kind == Kind::word && typed.size() > 1 &&
             std::string_view(".-+'").contains(typed.back()))
        typed.pop_back();
      if (kind == Kind::word && lower(typed).ends_with("'s")) typed.resize(typed.size() - 2);
      if (kind == Kind::number) std::erase(typed, ',');
      words.push_back({kind, typed, singular(typed)});
      if (kind == Kind::number) {
        const std::string_view read(text.data(), text.size() - rest.size());
        words.back().is_money = has_currency(read.substr(0, read.size() - found[i].size()),
                                             std::string_view(rest.data(), rest.size()));
      }
      if (kind != Kind::number || !RE2::PartialMatch(rest, kRange)) continue;
      words.push_back({Kind::word, "to", "to"});
      RE2::Consume(&rest, kDash);
    }
  }
  mark_names(words, prompt);
  return words;
}

std::optional<WordRange> find_name(const std::vector<PromptWord>& words, std::string_view name) {
  if (name.empty()) return std::nullopt;
  const std::vector<std::string> parts = singular_words(name);
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].is_explained) continue;
    if (is_named(words[at], name, parts)) return WordRange{at, at + 1};
    const bool is_run =
        parts.size() > 1 && at + parts.size() <= words.size() &&
        std::equal(parts.begin(), parts.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                   [](const std::string& part, const PromptWord& word) {
                     return !word.is_explained && word.singular == part;
                   });
    if (is_run) return WordRange{at, at + parts.size()};
  }
  return std::nullopt;
}

bool take(std::vector<PromptWord>& words, const std::vector<std::string_view>& wanted) {
  bool is_there = false;
  for (PromptWord& word : words) {
    if (word.kind != PromptWord::Kind::word) continue;
    const bool is_wanted = std::ranges::find(wanted, word.singular) != wanted.end() ||
                           std::ranges::find(wanted, lower(word.text)) != wanted.end();
    is_there = is_there || is_wanted;
    word.is_explained = word.is_explained || is_wanted;
  }
  return is_there;
}

void explain(std::vector<PromptWord>& words, WordRange range) {
  for (std::size_t at = range.begin; at < range.end; ++at) words[at].is_explained = true;
}

void explain_grammar(std::vector<PromptWord>& words) {
  for (PromptWord& word : words) word.is_explained = word.is_explained || is_grammar(word);
}

std::vector<std::string> unexplained(const std::vector<PromptWord>& words) {
  std::vector<std::string> runs;
  bool goes_on = false;
  for (const PromptWord& word : words) {
    const bool is_unknown = !word.is_explained;
    const bool stands_alone = word.kind != PromptWord::Kind::word;
    if (is_unknown && goes_on && !stands_alone) {
      runs.back() += " " + word.text;
    } else if (is_unknown) {
      runs.push_back(word.text);
    }
    goes_on = is_unknown && !stands_alone;
  }
  return runs;
}

}  // namespace wright::offline
