// Texts as vectors: similar meanings are close together. A value like Model, whatever is behind it.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "wright/error.h"

namespace wright {

using Embedding = std::vector<float>;

// The limits of one call and of its result.
inline constexpr std::size_t kMostEmbeddedTexts = 2'048;
inline constexpr std::size_t kMostEmbeddedBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostDimensions = 8'192;

struct EmbeddingModel {
  std::string id = {};  // "openai:text-embedding-3-small"; vectors of one id can be compared

  // One vector for each text, in the same order, all of the same size. Blocks; from any thread.
  std::function<Result<std::vector<Embedding>>(std::span<const std::string> texts,
                                               const std::stop_token& stop)>
      embed = {};

  bool is_set() const { return embed != nullptr; }
};

}  // namespace wright
