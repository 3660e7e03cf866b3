// Directions of vectors in memory, and which of them are nearest to another. A signed byte for each
// dimension is enough to rank by: the error is about a hundredth of the angle between neighbours.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "entities/word_search.h"
#include "wright/model.h"

namespace wright::entities {

using Direction8 = std::vector<std::int8_t>;

// The largest element becomes 127 or -127; a vector of zeros has no direction and stays as it is.
Direction8 direction_of(const Embedding& vector);

class VectorMatrix {
 public:
  explicit VectorMatrix(std::size_t dimensions) : dimensions_(dimensions) {}

  std::size_t dimensions() const { return dimensions_; }
  std::size_t size() const { return ids_.size(); }
  void reserve(std::size_t rows);

  // `direction` has as many elements as there are dimensions.
  void add(std::int64_t id, std::string_view type, std::span<const std::int8_t> direction);

  // By the cosine of the angle, which is the score; of one type only, if that is given.
  std::vector<RankedEntity> nearest(std::span<const std::int8_t> to,
                                    const std::optional<std::string>& type,
                                    std::size_t count) const;

 private:
  std::size_t dimensions_;
  std::vector<std::int8_t> elements_;  // row after row
  std::vector<float> lengths_;
  std::vector<std::int64_t> ids_;
  std::vector<std::uint16_t> types_;  // places in type_names_
  std::vector<std::string> type_names_;
};

}  // namespace wright::entities
