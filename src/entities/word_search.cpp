#include "entities/word_search.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "core/try.h"
#include "entities/identifier_words.h"

namespace wright::entities {
namespace {

// The columns of the table `words` in which a word may be found, and what it counts there.
constexpr std::size_t kColumns = 4;
constexpr std::array<double, kColumns> kWeights{10, 3, 4, 2};  // name, signature, comment, path
constexpr const char* kColumnNames = "{name signature documentation path}";
constexpr double kWeightOfFurtherColumns = 0.25;
constexpr std::size_t kMostWords = 15;  // whose columns fit into a number
constexpr double kWeightOfOtherWords = 0.05;
constexpr std::size_t kSpare = 4;  // times as many as wanted are looked at closely

constexpr auto kFillers = std::to_array<std::string_view>(
    {"a",    "an", "and",  "are", "at",   "by",    "do",    "does", "for", "from",
     "how",  "i",  "in",   "is",  "it",   "of",    "on",    "or",   "the", "that",
     "this", "to", "what", "we",  "when", "where", "which", "with"});

// Which words are where: a bit for each column of each word.
using Places = std::uint64_t;
constexpr Places kPlacesOfAWord = (Places{1} << kColumns) - 1;

void tell_places(const Fts5ExtensionApi* api, Fts5Context* row, sqlite3_context* context, int,
                 sqlite3_value**) {
  Places places = 0;
  const int words = std::min(api->xPhraseCount(row), static_cast<int>(kMostWords));
  for (int word = 0; word < words; ++word) {
    Fts5PhraseIter iterator{};
    int column = -1;
    const int code = api->xPhraseFirstColumn(row, word, &iterator, &column);
    if (code != SQLITE_OK) return sqlite3_result_error_code(context, code);
    for (; column >= 0; api->xPhraseNextColumn(row, &iterator, &column)) {
      if (column >= static_cast<int>(kColumns)) continue;
      places |= Places{1} << (static_cast<std::size_t>(word) * kColumns +
                              static_cast<std::size_t>(column));
    }
  }
  sqlite3_result_int64(context, static_cast<sqlite3_int64>(places));
}

fts5_api* word_index_api(sqlite3* database) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, "SELECT fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  return api;
}

// Words with letters beyond ASCII, as the index cut them: only it knows what is a letter.
std::vector<std::string> as_indexed(sqlite3* database, const std::string& text) {
  std::vector<std::string> words;
  fts5_api* api = word_index_api(database);
  void* user_data = nullptr;
  fts5_tokenizer functions{};
  if (api == nullptr ||
      api->xFindTokenizer(api, "unicode61", &user_data, &functions) != SQLITE_OK) {
    return words;
  }
  Fts5Tokenizer* made = nullptr;
  if (functions.xCreate(user_data, nullptr, 0, &made) != SQLITE_OK) return words;
  const std::unique_ptr<Fts5Tokenizer, void (*)(Fts5Tokenizer*)> tokenizer(made, functions.xDelete);
  functions.xTokenize(tokenizer.get(), &words, FTS5_TOKENIZE_QUERY, text.data(),
                      static_cast<int>(text.size()),
                      [](void* list, int, const char* word, int bytes, int, int) {
                        static_cast<std::vector<std::string>*>(list)->emplace_back(
                            word, static_cast<std::size_t>(bytes));
                        return SQLITE_OK;
                      });
  return words;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

struct Match {
  std::int64_t id;
  Places places;
};

Places places_of(const Match& match, std::size_t word) {
  return (match.places >> (word * kColumns)) & kPlacesOfAWord;
}

// The heaviest column counts in full, the others a little.
double weight_of(Places places) {
  double most = 0;
  double sum = 0;
  for (std::size_t column = 0; column < kColumns; ++column) {
    if ((places >> column & 1) == 0) continue;
    most = std::max(most, kWeights[column]);
    sum += kWeights[column];
  }
  return most + kWeightOfFurtherColumns * (sum - most);
}

// How little is said by having a word: 1 when everything has it.
std::vector<double> rarities(const std::vector<Match>& matches, std::size_t words) {
  std::vector<double> made(words);
  for (std::size_t word = 0; word < words; ++word) {
    const auto having = std::ranges::count_if(
        matches, [&](const Match& match) { return places_of(match, word) != 0; });
    made[word] =
        1 + std::log(static_cast<double>(matches.size() + 1) / static_cast<double>(having + 1));
  }
  return made;
}

std::vector<RankedEntity> ranked(const std::vector<Match>& matches, std::size_t words,
                                 std::size_t count) {
  const std::vector<double> rarity = rarities(matches, words);
  std::array<double, kPlacesOfAWord + 1> weights{};
  for (Places places = 0; places <= kPlacesOfAWord; ++places) weights[places] = weight_of(places);
  std::vector<RankedEntity> made;
  made.reserve(matches.size());
  for (const Match& match : matches) {
    double score = 0;
    std::size_t having = 0;
    for (std::size_t word = 0; word < words; ++word) {
      const Places places = places_of(match, word);
      score += rarity[word] * weights[places];
      having += places != 0 ? 1 : 0;
    }
    made.push_back({match.id, score * static_cast<double>(having) / static_cast<double>(words)});
  }
  const auto is_better = [](const RankedEntity& left, const RankedEntity& right) {
    return left.score != right.score ? left.score > right.score : left.id < right.id;
  };
  if (made.size() > count) {
    std::ranges::nth_element(made, made.begin() + static_cast<std::ptrdiff_t>(count), is_better);
    made.resize(count);
  }
  std::ranges::sort(made, is_better);
  return made;
}

std::string match_expression(const EntityType& type, const std::vector<std::string>& words,
                             std::string_view joined_by) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += joined_by;
    text += '"' + word + '"';
  }
  text = fmt::format("{} : ({})", kColumnNames, text);
  if (type.is) text += fmt::format(" AND type : \"{}\"", searchable_text(*type.is));
  return text;
}

Result<std::vector<Match>> matches_of(EntitySession& session, const std::string& expression) {
  Sql sql{"SELECT rowid, entity_places(words) FROM words WHERE words MATCH "};
  sql.value(expression);
  std::vector<Match> matches;
  TRY(session.query(sql, [&](const sqlite::Row& row) -> Result<void> {
    matches.push_back({row.integer(0), static_cast<Places>(row.integer(1))});
    return {};
  }));
  return matches;
}

// Of two names with the words, the one with fewer others is meant.
Result<std::vector<RankedEntity>> prefer_short_names(EntitySession& session, const EntityType& type,
                                                     const std::vector<RankedEntity>& candidates,
                                                     const std::vector<std::string>& words,
                                                     std::size_t count) {
  std::unordered_map<std::int64_t, double> scores;
  Sql sql{"SELECT id, name FROM entity WHERE id IN ("};
  for (const RankedEntity& each : candidates) {
    if (!scores.empty()) sql.add(", ");
    sql.value(each.id);
    scores.emplace(each.id, each.score);
  }
  sql.add(") ORDER BY ").add(type.tie_order);
  std::vector<RankedEntity> made;
  auto done = session.query(sql, [&](const sqlite::Row& row) -> Result<void> {
    const std::int64_t id = row.integer(0);
    const auto others = std::ranges::count_if(identifier_words(row.text(1)), [&](const auto& word) {
      return std::ranges::find(words, word) == words.end();
    });
    made.push_back({id, scores[id] / (1 + kWeightOfOtherWords * static_cast<double>(others))});
    return {};
  });
  TRY(done);
  std::ranges::stable_sort(made, std::ranges::greater{}, &RankedEntity::score);
  if (made.size() > count) made.resize(count);
  return made;
}

}  // namespace

int install_word_function(sqlite3* database) {
  fts5_api* api = word_index_api(database);
  if (api == nullptr) return SQLITE_ERROR;
  return api->xCreateFunction(api, "entity_places", nullptr, tell_places, nullptr);
}

std::vector<std::string> search_words(EntitySession& session, std::string_view question) {
  std::vector<std::string> words;
  const auto add = [&](std::string word) {
    if (words.size() < kMostWords && std::ranges::find(words, word) == words.end()) {
      words.push_back(std::move(word));
    }
  };
  const std::vector<std::string> all = identifier_words(question);
  const auto is_filler = [](const std::string& word) {
    return std::ranges::find(kFillers, word) != kFillers.end();
  };
  const bool has_only_fillers = std::ranges::all_of(all, is_filler);
  for (const std::string& word : all) {
    if (is_filler(word) && !has_only_fillers) continue;
    if (is_ascii(word)) {
      add(word);
    } else {
      for (std::string& part : as_indexed(session.handle(), word)) add(std::move(part));
    }
  }
  return words;
}

Result<std::vector<RankedEntity>> best_by_words(EntitySession& session, const EntityType& type,
                                                const std::vector<std::string>& words,
                                                std::size_t count) {
  auto matches = matches_of(session, match_expression(type, words, " AND "));
  if (matches && matches->size() < count && words.size() > 1) {
    matches = matches_of(session, match_expression(type, words, " OR "));
  }
  if (!matches) return std::unexpected(std::move(matches).error());
  return prefer_short_names(session, type, ranked(*matches, words.size(), count * kSpare), words,
                            count);
}

}  // namespace wright::entities
