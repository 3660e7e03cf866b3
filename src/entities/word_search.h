// Finds the entities of an index that have the words of a question, the best first: a word counts
// more in a name than in a comment, and a rare one more than one that everything has. Entities with
// all of the words are looked for first; only when there are too few, those with some of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "entities/entity_session.h"

struct sqlite3;

namespace wright::entities {

struct RankedEntity {
  std::int64_t id = 0;
  double score = 0;
};

// Adds the function that tells which words of a query are in which columns of a row. An SQLite
// code.
int install_word_function(sqlite3* database);

// The words that are looked for: those that carry meaning, each once. May be none.
std::vector<std::string> search_words(EntitySession& session, std::string_view question);

// At most `count`; `words` is not empty.
Result<std::vector<RankedEntity>> best_by_words(EntitySession& session, const EntityType& type,
                                                const std::vector<std::string>& words,
                                                std::size_t count);

}  // namespace wright::entities
