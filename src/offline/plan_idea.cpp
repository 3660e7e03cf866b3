// Questions about something that is described rather than named: "where is the retry policy",
// "how does caching work". Tries the words as one name in every spelling, then each by itself,
// ranks places by what they are, and shows the best.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>

#include "offline/definitions.h"
#include "offline/locate.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr std::size_t kMostWords = 4;

constexpr std::string_view kDefiningWords =
    R"((?:class|struct|enum|union|interface|trait|type|typedef|def|fn|func|fun|function|sub|macro|module|namespace|const|constexpr|using|define|void|int|bool|auto|string|CREATE TABLE)\b[^;=(]*)";

// A pattern for a word and its inflections.
std::string word_pattern(const std::string& word) {
  return quote_for_regex(stem(word));
}

// The words as one name, however it is spelled: RetryPolicy, retry_policy, "retry policies".
std::string joined_pattern(const std::vector<std::string>& words) {
  std::string pattern;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) pattern += R"([a-z]{0,5}[\s_-]?)";
    pattern += i + 1 < words.size() ? quote_for_regex(stem(words[i])) : word_pattern(words[i]);
  }
  return pattern;
}

struct Place {
  std::string path;
  int line = 0;
  std::string text;
  int score = 0;
};

// Scores a line that was found: how many of the words it has, what it is, and where it stands.
int score_of(const Match& match, const std::vector<std::string>& words, bool is_definition) {
  int score = is_definition ? 30 : 0;
  const std::string_view name = file_name(match.path);
  for (const std::string& word : words) {
    if (contains_ignoring_case(match.text, stem(word))) score += 12;
    if (contains_ignoring_case(name, stem(word)))
      score += 14;
    else if (contains_ignoring_case(match.path, stem(word)))
      score += 6;
  }
  const Family family = language_of(match.path).family;
  if (is_code(family)) score += 8;
  if (is_code(family) && is_comment_line(family, match.text)) score += 4;
  return score - 2 * path_penalty(match.path);
}

class Ranking {
 public:
  explicit Ranking(std::vector<std::string> words)
      : words_(std::move(words)),
        whole_name_(
            R"((?i)\b(?:class|struct|enum|union|interface|trait|type|def|fn|func|fun|function|sub|module|define|using)\s+)" +
            joined_pattern(words_) + R"([a-z]{0,5}\b\s*(?:$|[^:.\w]))") {}

  void add(const Matches& matches, int bonus, bool are_definitions) {
    for (const Match& match : matches.matches) {
      Place& place = places_[{match.path, match.line}];
      const bool is_quoted = is_inside_quotes(match.text);
      int score = score_of(match, words_, are_definitions && !is_quoted) + bonus;
      if (!is_quoted && RE2::PartialMatch(match.text, whole_name_)) score += 20;
      if (place.path.empty()) place = {match.path, match.line, match.text, score};
      place.score = std::max(place.score, score);
      ++density_[match.path];
    }
  }

  std::vector<Place> best() const {
    std::vector<Place> sorted;
    for (const auto& [key, place] : places_) {
      sorted.push_back(place);
      sorted.back().score += std::min(10, density_.at(place.path));
    }
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &Place::score);
    return sorted;
  }

 private:
  // Whether the words stand in a string rather than in code.
  bool is_inside_quotes(std::string_view line) const {
    const std::string lowered = lower(line);
    const std::size_t position = lowered.find(stem(words_.front()));
    return std::ranges::count(line.substr(0, std::min(position, line.size())), '"') % 2 == 1;
  }

  std::vector<std::string> words_;
  RE2 whole_name_;  // a definition whose name is just the words
  std::map<std::pair<std::string, int>, Place> places_;
  std::map<std::string, int> density_;
};

// At most two places of a file, so that the answer shows more than one file.
std::vector<Place> spread(const std::vector<Place>& sorted, std::size_t most) {
  std::map<std::string, int> taken;
  std::vector<Place> chosen;
  for (const Place& place : sorted) {
    if (chosen.size() >= most) break;
    if (++taken[place.path] <= 2) chosen.push_back(place);
  }
  return chosen;
}

std::string excerpt_around(const FileText& file, const Place& best) {
  const Window window = window_of(file);
  const int offset = best.line - window.first_line;
  if (offset < 0 || static_cast<std::size_t>(offset) >= window.lines.size()) return {};
  const auto index = static_cast<std::size_t>(offset);
  const Family family = language_of(best.path).family;
  if (!is_code(family)) return excerpt(window, index > 2 ? index - 2 : 0, index + 12, 15);
  // From inside a comment, go on to what it is about.
  std::size_t code = index;
  while (code + 1 < window.lines.size() && is_comment_line(family, window.lines[code])) ++code;
  const std::size_t first = start_with_comment(family, window.lines, code);
  const std::size_t last = std::max(end_of_definition(family, window.lines, code), index + 6);
  return excerpt(window, index < first + 20 ? std::min(first, index) : index, last, 30);
}

}  // namespace

std::string plan_idea(const Question& question, Investigation& look) {
  std::vector<std::string> words = content_words(question.subject);
  if (words.size() == 1 && is_identifier(question.subject)) words = words_in_name(question.subject);
  std::erase_if(words, [](const std::string& word) { return word.size() < 2; });
  if (words.empty()) return cannot_answer(question, look);
  if (words.size() > kMostWords) words.resize(kMostWords);

  const auto search = [&](std::string pattern, int limit) {
    GrepRequest wanted = in_scope(question, std::move(pattern));
    wanted.ignores_case = true;
    wanted.limit = limit;
    return look.grep(wanted);
  };
  const std::string joined = joined_pattern(words);
  const Matches named = search(std::string(kDefiningWords) + joined, 60);
  const Matches together = search(joined, 80);
  std::vector<Listing> files;
  for (const std::string& word : words) {
    if (files.size() < 3)
      files.push_back(look.list_files(
          {.pattern = glob_for_word(stem(word)), .path = question.path, .limit = 30}));
  }
  if (look.is_waiting()) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    return fmt::format("Looking for names, lines and files about: {}.", list);
  }
  Ranking ranking(words);
  ranking.add(named, 20, true);
  ranking.add(together, 10, false);
  std::vector<Matches> singly;
  std::vector<Matches> in_pairs;
  if (words.size() > 1 && ranking.best().size() < 5) {
    for (std::size_t i = 0; words.size() > 2 && i + 1 < words.size(); ++i) {
      in_pairs.push_back(search(joined_pattern({words[i], words[i + 1]}), 60));
    }
    for (const std::string& word : words) {
      singly.push_back(search(std::string(kDefiningWords) + word_pattern(word), 60));
      singly.push_back(search(word_pattern(word), 60));
    }
    if (look.is_waiting()) return "Few places have the words together; looking for each.";
    for (const Matches& pair : in_pairs) ranking.add(pair, 5, false);
    for (std::size_t i = 0; i < singly.size(); ++i) ranking.add(singly[i], -10, i % 2 == 0);
  }
  const std::vector<Place> places = spread(ranking.best(), 12);
  std::vector<std::string> named_files;
  for (const Listing& listing : files) {
    for (const FileEntry& file : listing.files) {
      if (std::ranges::count(named_files, file.path) == 0) named_files.push_back(file.path);
    }
  }
  std::ranges::stable_sort(named_files, {}, [&](const std::string& path) {
    int hits = 0;
    for (const std::string& word : words)
      hits += contains_ignoring_case(file_name(path), stem(word)) ? 1 : 0;
    const int noise = language_of(path).family == Family::unknown ? 30 : 0;
    return std::pair(-hits * 20 + path_penalty(path) + noise, path.size());
  });
  std::string phrase;
  for (const std::string& word : words) phrase += (phrase.empty() ? "" : " ") + word;
  if (places.empty() && named_files.empty()) {
    if (look.has_failed()) return fmt::format("I could not search for {}.", code_span(phrase));
    return fmt::format("Nothing here is about {}: no name, line or file has {}.\n\n{}",
                       code_span(phrase), words.size() == 1 ? "the word" : "any of the words",
                       cannot_answer(question, look));
  }
  FileText file;
  if (!places.empty() && look.offers("read_file")) {
    const int first = std::max(1, places.front().line - 40);
    file = look.read_file({.path = places.front().path, .offset = first, .limit = 120});
    if (look.is_waiting())
      return fmt::format("Reading the best place, {}.",
                         place(places.front().path, places.front().line));
  }
  Answer answer;
  if (!places.empty()) {
    answer.paragraph(fmt::format("The best match for {} is **{}**:", code_span(phrase),
                                 place(places.front().path, places.front().line)));
    const std::string shown =
        file.content.empty() ? std::string() : excerpt_around(file, places.front());
    answer.block(shown.empty() ? code_span(places.front().text) : shown);
    std::vector<std::string> others;
    for (std::size_t i = 1; i < places.size(); ++i) {
      others.push_back(
          fmt::format("{}: {}", place(places[i].path, places[i].line), code_span(places[i].text)));
    }
    if (!others.empty()) answer.heading("Further places").items(others, 11, "places");
  }
  if (!named_files.empty()) answer.heading("Files by name").items(named_files, 8, "files");
  answer.paragraph(
      "(Found by its words: I am not a language model and do not understand the code.)");
  return answer.text();
}

}  // namespace wright::offline
