// Finds the entities of an index whose texts mean what a question means, by vectors that a model
// makes. They are made when a question first needs them, a bounded time at a question, and kept in
// the index. Whatever goes wrong with the model is told in a note; the search by words goes on.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "entities/vector_table.h"
#include "wright/tools.h"

namespace wright::entities {

class MeaningSearch {
 public:
  MeaningSearch(EmbeddingOptions options, std::function<void(const IndexProgress&)> on_progress)
      : options_(std::move(options)), on_progress_(std::move(on_progress)) {}

  struct Found {
    std::vector<RankedEntity> nearest = {};  // by the cosine of the angle to the question
    std::string note = {};                   // what could not be done, and why
  };
  // The index is up to date; `type` is absent for all of them. Fails only when it is cancelled, or
  // the index cannot be read. Thread-safe: questions that come at once wait for each other's
  // vectors.
  Result<Found> nearest(const std::filesystem::path& index, const std::optional<std::string>& type,
                        const std::string& question, std::size_t count,
                        const std::stop_token& stop);

  const std::string& model() const { return options_.model.id; }

 private:
  using Clock = std::chrono::steady_clock;

  Result<std::vector<Embedding>> embed(std::span<const std::string> texts,
                                       const std::stop_token& stop);
  Result<void> check_origin(VectorTable& table, std::size_t dimensions);
  // What kept some entities from getting their vectors; empty when all have one.
  Result<std::string> make_vectors(VectorTable& table, const std::optional<std::string>& type,
                                   std::size_t dimensions, const std::stop_token& stop);
  Result<std::vector<VectorTable::NewVector>> vectors_for(
      const std::vector<VectorTable::Text>& texts, std::size_t dimensions,
      const std::stop_token& stop);
  Result<std::shared_ptr<const VectorMatrix>> matrix(VectorTable& table);

  const EmbeddingOptions options_;
  const std::function<void(const IndexProgress&)> on_progress_;

  std::mutex mutex_;  // guards what follows
  std::optional<Clock::time_point> failed_at_;
  std::string failure_;
  bool has_restarted_ = false;  // because of other dimensions; a second time is a server's fault
  std::map<std::string, std::int64_t> complete_;  // by type: the generation in which all had one
  std::shared_ptr<const VectorMatrix> matrix_;
  std::int64_t matrix_generation_ = 0;
};

}  // namespace wright::entities
