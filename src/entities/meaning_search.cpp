#include "entities/meaning_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/try.h"

namespace wright::entities {
namespace {

constexpr std::size_t kTextsAtATime = 128;  // in one request
constexpr std::size_t kEntitiesAtATime = 512;
constexpr std::string_view kEverything = "any";

}  // namespace

// A model that just failed is left alone for a while, so that not every question waits for it.
Result<std::vector<Embedding>> MeaningSearch::embed(std::span<const std::string> texts,
                                                    const std::stop_token& stop) {
  if (failed_at_ && Clock::now() - *failed_at_ < options_.pause_after_failure) {
    return fail(ErrorCode::unavailable, failure_);
  }
  auto vectors = options_.model.embed(texts, stop);
  if (vectors) {
    failed_at_.reset();
    return vectors;
  }
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "The search was cancelled");
  failed_at_ = Clock::now();
  failure_ = vectors.error().message;
  return vectors;
}

// Vectors of another model, or of another size, say nothing about this one's.
Result<void> MeaningSearch::check_origin(VectorTable& table, std::size_t dimensions) {
  const auto known = TRY(table.origin());
  const VectorTable::Origin wanted{options_.model.id, dimensions};
  if (known == wanted) return {};
  if (known && known->model == wanted.model && std::exchange(has_restarted_, true)) {
    return fail(ErrorCode::protocol, fmt::format("its vectors have now {}, now {} dimensions",
                                                 known->dimensions, dimensions));
  }
  complete_.clear();
  return table.restart(wanted);
}

Result<std::vector<VectorTable::NewVector>> MeaningSearch::vectors_for(
    const std::vector<VectorTable::Text>& texts, std::size_t dimensions,
    const std::stop_token& stop) {
  std::vector<std::string> asked;
  std::vector<VectorTable::NewVector> made;
  std::set<std::string_view> hashes;
  for (const VectorTable::Text& text : texts) {
    if (asked.size() == kTextsAtATime || !hashes.insert(text.hash).second) continue;
    asked.push_back(text.text);
    made.push_back({text.hash, {}});
  }
  const auto vectors = TRY(embed(asked, stop));
  if (vectors.size() != asked.size()) {
    return fail(ErrorCode::protocol,
                fmt::format("{} vectors came for {} texts", vectors.size(), asked.size()));
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    const Embedding& vector = vectors[i];
    if (vector.size() != dimensions) {
      return fail(ErrorCode::protocol,
                  fmt::format("its vectors have {} dimensions, that of the question has {}",
                              vector.size(), dimensions));
    }
    made[i].direction = direction_of(vector);
  }
  return made;
}

Result<std::string> MeaningSearch::make_vectors(VectorTable& table,
                                                const std::optional<std::string>& type,
                                                std::size_t dimensions,
                                                const std::stop_token& stop) {
  const std::string key = type.value_or(std::string(kEverything));
  const auto generation = TRY(table.generation());
  if (const auto known = complete_.find(key);
      known != complete_.end() && known->second == generation) {
    return "";
  }
  const auto missing = TRY(table.count_without_vector(type));
  if (missing > options_.most_entities) {
    return fmt::format("{} entities have no vector, and at most {} are embedded at all", missing,
                       options_.most_entities);
  }
  constexpr std::string_view kWhat = "Embedding entities";
  const auto report = [&](std::int64_t done) {
    if (on_progress_ && missing > 0) on_progress_({kWhat, done, missing});
  };
  const auto deadline = Clock::now() + options_.time_at_a_question;
  std::string obstacle;
  std::int64_t after = 0;
  std::int64_t done = 0;
  while (obstacle.empty()) {
    auto texts = table.without_vector(type, after, kEntitiesAtATime);
    if (!texts) return std::unexpected(texts.error());
    if (texts->empty()) break;
    after = texts->back().entity_id;
    const auto count = std::ssize(*texts);
    std::vector<VectorTable::NewVector> vectors;
    while (obstacle.empty()) {
      auto left = table.assign(vectors, std::move(*texts));
      if (!left) return std::unexpected(left.error());
      texts = std::move(left);
      report(done + count - std::ssize(*texts));
      if (texts->empty()) break;
      if (stop.stop_requested()) return fail(ErrorCode::cancelled, "The search was cancelled");
      if (Clock::now() >= deadline) {
        obstacle = "there was no time for the others; the next search goes on with them";
        break;
      }
      auto made = vectors_for(*texts, dimensions, stop);
      if (!made && made.error().code == ErrorCode::cancelled) {
        return std::unexpected(std::move(made).error());
      }
      if (made) {
        vectors = std::move(*made);
      } else {
        obstacle = made.error().message;
      }
    }
    done += count;
  }
  report(missing);
  if (!obstacle.empty()) {
    const auto left = TRY(table.count_without_vector(type));
    return fmt::format("{} entities have no vector yet and are found by their words alone: {}",
                       left, obstacle);
  }
  TRY(table.tidy());
  const auto now = TRY(table.generation());
  complete_[key] = now;
  return "";
}

Result<std::shared_ptr<const VectorMatrix>> MeaningSearch::matrix(VectorTable& table) {
  const auto generation = TRY(table.generation());
  if (matrix_ && matrix_generation_ == generation) return matrix_;
  matrix_.reset();
  auto loaded = TRY(table.load());
  matrix_ = std::make_shared<const VectorMatrix>(std::move(loaded));
  matrix_generation_ = generation;
  return matrix_;
}

Result<MeaningSearch::Found> MeaningSearch::nearest(const std::filesystem::path& index,
                                                    const std::optional<std::string>& type,
                                                    const std::string& question, std::size_t count,
                                                    const std::stop_token& stop) {
  const auto by_words_alone = [&](const Error& why) -> Result<Found> {
    if (why.code == ErrorCode::cancelled) return std::unexpected(why);
    return Found{.note = fmt::format("Ranked by words alone: {} gave no embeddings: {}",
                                     options_.model.id, why.message)};
  };
  std::unique_lock lock(mutex_);
  const auto asked = embed({&question, 1}, stop);
  if (!asked) return by_words_alone(asked.error());
  if (asked->size() != 1 || asked->front().empty() || asked->front().size() > kMostDimensions) {
    return by_words_alone({ErrorCode::protocol, "its answer is no vector", {}});
  }
  const Direction8 direction = direction_of(asked->front());
  auto table = TRY(VectorTable::open(index));
  if (auto good = check_origin(table, direction.size()); !good) {
    if (good.error().code == ErrorCode::protocol) return by_words_alone(good.error());
    return std::unexpected(std::move(good).error());
  }
  auto note = TRY(make_vectors(table, type, direction.size(), stop));
  const auto vectors = matrix(table);
  if (!vectors) {
    if (vectors.error().code == ErrorCode::limit_reached) return by_words_alone(vectors.error());
    return std::unexpected(vectors.error());
  }
  lock.unlock();
  return Found{(*vectors)->nearest(direction, type, count), std::move(note)};
}

}  // namespace wright::entities
