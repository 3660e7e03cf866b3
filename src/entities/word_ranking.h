// Ranks texts by how well they match the words of a query (bm25), one after the other, without an
// index. Keeps what matches, within bounds.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/json.h"

namespace wright::entities {

class WordRanking {
 public:
  explicit WordRanking(std::vector<std::string> words);

  bool is_empty() const { return words_.empty(); }

  // `entity` is called when the text has one of the words. Fails when too much matches.
  Result<void> add(std::string_view text, const std::function<JsonObject()>& entity);

  // Each with its score of 1.
  JsonArray best(std::size_t count, double min_score) &&;

 private:
  struct Match {
    std::vector<int> frequencies;  // of each word
    std::size_t length = 0;        // words in the text
    JsonObject entity;
  };
  double score_of(const Match& match) const;

  std::vector<std::string> words_;
  std::vector<std::size_t> texts_with_;  // each word
  std::size_t texts_ = 0;
  std::size_t total_length_ = 0;
  std::vector<Match> matches_;
};

}  // namespace wright::entities
