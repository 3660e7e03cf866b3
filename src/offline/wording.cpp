#include "offline/wording.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <utility>

namespace wright::offline {
namespace {

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_word(char c) {
  return is_upper(c) || is_lower(c) || is_digit(c) || c == '_';
}
constexpr auto kEmptyWords = std::to_array<std::string_view>(
    {"a",       "about",    "actually",    "all",         "an",     "and",     "any",    "anywhere",
     "are",     "as",       "at",          "be",          "been",   "being",   "by",     "can",
     "code",    "codebase", "could",       "defined",     "did",    "do",      "does",   "done",
     "explain", "file",     "files",       "find",        "for",    "from",    "get",    "gets",
     "getting", "give",     "happen",      "happens",     "has",    "have",    "here",   "how",
     "i",       "if",       "implemented", "in",          "inside", "into",    "is",     "it",
     "its",     "like",     "located",     "made",        "make",   "makes",   "me",     "my",
     "of",      "on",       "or",          "our",         "out",    "part",    "place",  "please",
     "project", "repo",     "repository",  "responsible", "s",      "search",  "should", "show",
     "so",      "some",     "tell",        "that",        "the",    "their",   "them",   "there",
     "these",   "they",     "thing",       "this",        "those",  "to",      "tree",   "us",
     "used",    "using",    "was",         "we",          "were",   "what",    "when",   "where",
     "which",   "who",      "why",         "will",        "with",   "within",  "work",   "works",
     "would",   "you",      "your",        "handled",     "handle", "handles", "way",    "works",
     "working", "look",     "looking",     "whether",     "use",    "uses",    "decide", "decides",
     "need",    "needs"});

}  // namespace

char to_upper(char c) {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  const auto found =
      std::ranges::search(text, part, [](char a, char b) { return to_lower(a) == to_lower(b); });
  return part.empty() || !found.empty();
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    const auto end = std::ranges::find_if_not(text.substr(i), is_word);
    const auto length = static_cast<std::size_t>(end - (text.begin() + static_cast<long>(i)));
    words.emplace_back(text.substr(i, length));
    i += length;
  }
  return words;
}

std::vector<std::string> content_words(std::string_view text) {
  std::vector<std::string> kept;
  for (const std::string& word : words_of(text)) {
    std::string lowered = lower(word);
    if (lowered.size() < 2 || std::ranges::count(kEmptyWords, lowered) > 0) continue;
    if (std::ranges::count(kept, lowered) == 0) kept.push_back(std::move(lowered));
  }
  return kept;
}

std::string stem(std::string_view word) {
  constexpr std::size_t kShortest = 4;
  constexpr auto kSuffixes = std::to_array<std::string_view>(
      {"ations", "ation", "ings", "ing", "ions", "ion", "ers", "ies", "ed", "es", "er", "s", "e"});
  for (const std::string_view suffix : kSuffixes) {
    if (suffix == "s" && word.ends_with("ss")) continue;
    const std::size_t shortest = suffix == "s" ? 3 : kShortest;  // "maps" → "map"
    if (word.ends_with(suffix) && word.size() >= suffix.size() + shortest) {
      return std::string(word.substr(0, word.size() - suffix.size()));
    }
  }
  return std::string(word);
}

std::vector<std::string> words_in_name(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_word(c) || c == '_') {
      finish();
      continue;
    }
    const bool starts_word =
        is_upper(c) && i > 0 &&
        (!is_upper(name[i - 1]) || (i + 1 < name.size() && is_lower(name[i + 1])));
    if (starts_word) finish();
    word += to_lower(c);
  }
  finish();
  return words;
}

bool is_identifier(std::string_view text) {
  static const RE2 kIdentifier(
      R"([A-Za-z_$~#@][\w$]*(?:(?:::|\.|->|#|-|/)~?[A-Za-z_$][\w$]*)*[?!]?)");
  return text.size() <= 200 &&
         RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kIdentifier);
}

bool looks_like_code(std::string_view text) {
  if (!is_identifier(text)) return false;
  if (text.find_first_of("_:$~#@") != std::string_view::npos) return true;
  bool has_lower = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i]) || text[i] == '.' || text[i] == '>') return true;
    if (is_upper(text[i]) && has_lower) return true;
    if (is_lower(text[i])) has_lower = true;
  }
  return !has_lower && text.size() > 1;
}

bool has_glob_characters(std::string_view text) {
  return text.find_first_of("*?[{") != std::string_view::npos;
}

std::string quote_for_regex(std::string_view text) {
  std::string quoted = RE2::QuoteMeta(re2::StringPiece(text.data(), text.size()));
  RE2::GlobalReplace(&quoted, R"(\\ )", " ");  // people read it
  return quoted;
}

std::string regex_for_name(std::string_view name) {
  if (name.empty()) return {};
  std::string regex = quote_for_regex(name);
  if (is_word(name.front())) regex.insert(0, R"(\b)");
  if (is_word(name.back())) regex += R"(\b)";
  return regex;
}

std::string glob_for_word(std::string_view word) {
  if (word.empty()) return "*";
  const char first = word.front();
  std::string glob = "*";
  if (is_upper(first) || is_lower(first)) {
    glob += {'[', to_lower(first), to_upper(first), ']'};
  } else {
    glob += '?';
  }
  for (const char c : word.substr(1)) glob += is_word(c) || c == '-' ? c : '?';
  return glob + "*";
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string extension_of(std::string_view path) {
  const std::string_view name = file_name(path);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  return lower(name.substr(dot + 1));
}

}  // namespace wright::offline
