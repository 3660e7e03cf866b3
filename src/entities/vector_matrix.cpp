#include "entities/vector_matrix.h"

#include <algorithm>
#include <cmath>

namespace wright::entities {
namespace {

constexpr float kLargestElement = 127;

// At most kMostDimensions times 127 squared, which an int holds.
int product(const std::int8_t* left, const std::int8_t* right, std::size_t count) {
  int sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += left[i] * right[i];
  return sum;
}

float length_of(std::span<const std::int8_t> direction) {
  return std::sqrt(
      static_cast<float>(product(direction.data(), direction.data(), direction.size())));
}

}  // namespace

Direction8 direction_of(const Embedding& vector) {
  float largest = 0;
  for (const float element : vector) largest = std::max(largest, std::abs(element));
  Direction8 made(vector.size());
  if (largest == 0) return made;
  std::ranges::transform(vector, made.begin(), [&](float element) {
    return static_cast<std::int8_t>(std::lround(element / largest * kLargestElement));
  });
  return made;
}

void VectorMatrix::reserve(std::size_t rows) {
  elements_.reserve(rows * dimensions_);
  lengths_.reserve(rows);
  ids_.reserve(rows);
  types_.reserve(rows);
}

void VectorMatrix::add(std::int64_t id, std::string_view type,
                       std::span<const std::int8_t> direction) {
  auto known = std::ranges::find(type_names_, type);
  if (known == type_names_.end()) known = type_names_.emplace(type_names_.end(), type);
  types_.push_back(static_cast<std::uint16_t>(known - type_names_.begin()));
  elements_.insert(elements_.end(), direction.begin(), direction.end());
  lengths_.push_back(length_of(direction));
  ids_.push_back(id);
}

std::vector<RankedEntity> VectorMatrix::nearest(std::span<const std::int8_t> to,
                                                const std::optional<std::string>& type,
                                                std::size_t count) const {
  std::vector<RankedEntity> best;  // a heap with the worst on top
  const float length = length_of(to);
  if (count == 0 || to.size() != dimensions_ || length == 0) return best;
  std::optional<std::uint16_t> wanted;
  if (type) {
    const auto known = std::ranges::find(type_names_, *type);
    if (known == type_names_.end()) return best;
    wanted = static_cast<std::uint16_t>(known - type_names_.begin());
  }
  const auto is_better = [](const RankedEntity& left, const RankedEntity& right) {
    return left.score != right.score ? left.score > right.score : left.id < right.id;
  };
  for (std::size_t row = 0; row < ids_.size(); ++row) {
    if ((wanted && types_[row] != *wanted) || lengths_[row] == 0) continue;
    const auto dot =
        static_cast<float>(product(to.data(), &elements_[row * dimensions_], dimensions_));
    const RankedEntity found{ids_[row], static_cast<double>(dot / (length * lengths_[row]))};
    if (best.size() == count && !is_better(found, best.front())) continue;
    if (best.size() == count) {
      std::ranges::pop_heap(best, is_better);
      best.pop_back();
    }
    best.push_back(found);
    std::ranges::push_heap(best, is_better);
  }
  std::ranges::sort_heap(best, is_better);
  return best;
}

}  // namespace wright::entities
