#include "entities/word_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "entities/identifier_words.h"

namespace wright::entities {
namespace {

constexpr std::size_t kMostMatches = 20'000;

// "orders" and "order" are one word.
bool is_same_word(std::string_view wanted, std::string_view word) {
  if (wanted == word) return true;
  const auto singular = [](std::string_view text) {
    return text.size() > 3 && text.ends_with('s') ? text.substr(0, text.size() - 1) : text;
  };
  return singular(wanted) == singular(word);
}

}  // namespace

WordRanking::WordRanking(std::vector<std::string> words) : words_(std::move(words)) {
  std::ranges::sort(words_);
  const auto repeated = std::ranges::unique(words_);
  words_.erase(repeated.begin(), repeated.end());
  texts_with_.resize(words_.size());
}

Result<void> WordRanking::add(std::string_view text, const std::function<JsonObject()>& entity) {
  const std::vector<std::string> found = identifier_words(text);
  ++texts_;
  total_length_ += found.size();
  Match match{std::vector<int>(words_.size()), found.size(), {}};
  bool is_match = false;
  for (const std::string& word : found) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!is_same_word(words_[i], word)) continue;
      ++match.frequencies[i];
      is_match = true;
    }
  }
  if (!is_match) return {};
  for (std::size_t i = 0; i < words_.size(); ++i)
    texts_with_[i] += match.frequencies[i] > 0 ? 1 : 0;
  if (matches_.size() == kMostMatches) {
    return fail(ErrorCode::limit_reached,
                fmt::format("More than {} entities match; use rarer words", kMostMatches));
  }
  match.entity = entity();
  matches_.push_back(std::move(match));
  return {};
}

double WordRanking::score_of(const Match& match) const {
  constexpr double kSaturation = 1.2;
  constexpr double kLengthWeight = 0.75;
  const double average =
      static_cast<double>(total_length_) / static_cast<double>(std::max<std::size_t>(texts_, 1));
  double score = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const auto with = static_cast<double>(texts_with_[i]);
    const double rarity = std::log(1 + (static_cast<double>(texts_) - with + 0.5) / (with + 0.5));
    const double frequency = match.frequencies[i];
    const double length = static_cast<double>(match.length) / std::max(average, 1.0);
    score += rarity * frequency * (kSaturation + 1) /
             (frequency + kSaturation * (1 - kLengthWeight + kLengthWeight * length));
  }
  return score;
}

JsonArray WordRanking::best(std::size_t count, double min_score) && {
  struct Ranked {
    double score;
    std::size_t place;
  };
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < matches_.size(); ++i) ranked.push_back({score_of(matches_[i]), i});
  std::ranges::stable_sort(ranked, std::ranges::greater{}, &Ranked::score);
  JsonArray made;
  for (const Ranked& each : ranked) {
    const double relative = each.score / ranked.front().score;
    if (made.size() == count || relative < min_score) break;
    JsonObject entity{{"score", std::round(relative * 1000) / 1000}};
    for (auto& [key, value] : matches_[each.place].entity) entity[key] = std::move(value);
    made.push_back(std::move(entity));
  }
  return made;
}

}  // namespace wright::entities
