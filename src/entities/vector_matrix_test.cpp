#include "entities/vector_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "entities/rank_fusion.h"

namespace wright::entities {
namespace {

std::vector<std::int64_t> ids_of(const std::vector<RankedEntity>& ranked) {
  std::vector<std::int64_t> ids;
  for (const RankedEntity& each : ranked) ids.push_back(each.id);
  return ids;
}
using Ids = std::vector<std::int64_t>;

TEST(VectorMatrix, ranks_by_direction_and_not_by_length) {
  VectorMatrix matrix(2);
  matrix.add(1, "class", direction_of({100, 0}));
  matrix.add(2, "class", direction_of({0.001F, 0.001F}));
  matrix.add(3, "class", direction_of({0, -1}));
  matrix.add(4, "class", direction_of({0, 0}));
  const auto found = matrix.nearest(direction_of({5, 4}), std::nullopt, 10);
  EXPECT_EQ(ids_of(found), (Ids{2, 1, 3}));  // what has no direction is near to nothing
  EXPECT_NEAR(found[1].score, 5 / std::sqrt(41.0), 0.01);
  EXPECT_LT(found[2].score, 0);
}

TEST(VectorMatrix, knows_types) {
  VectorMatrix matrix(1);
  matrix.add(1, "class", direction_of({1}));
  matrix.add(2, "function", direction_of({1}));
  EXPECT_EQ(ids_of(matrix.nearest(direction_of({1}), "function", 10)), (Ids{2}));
  EXPECT_EQ(ids_of(matrix.nearest(direction_of({1}), "file", 10)), (Ids{}));
  EXPECT_EQ(ids_of(matrix.nearest(direction_of({1}), std::nullopt, 1)), (Ids{1}));
}

TEST(VectorMatrix, finds_nothing_for_what_cannot_be_compared) {
  VectorMatrix matrix(2);
  matrix.add(1, "class", direction_of({1, 2}));
  EXPECT_TRUE(matrix.nearest(direction_of({1, 2, 3}), std::nullopt, 10).empty());
  EXPECT_TRUE(matrix.nearest(direction_of({0, 0}), std::nullopt, 10).empty());
  EXPECT_TRUE(matrix.nearest(direction_of({1, 2}), std::nullopt, 0).empty());
}

// A byte for each dimension ranks as the exact numbers do, but for what is almost equal.
TEST(VectorMatrix, ranks_as_exact_numbers_do) {
  constexpr std::size_t kDimensions = 256;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  const auto vector = [&] {
    Embedding made(kDimensions);
    for (float& element : made) element = normal(random);
    return made;
  };
  const auto cosine = [](const Embedding& left, const Embedding& right) {
    double dot = 0;
    double of_left = 0;
    double of_right = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      dot += static_cast<double>(left[i]) * static_cast<double>(right[i]);
      of_left += static_cast<double>(left[i]) * static_cast<double>(left[i]);
      of_right += static_cast<double>(right[i]) * static_cast<double>(right[i]);
    }
    return dot / std::sqrt(of_left * of_right);
  };
  VectorMatrix matrix(kDimensions);
  std::vector<Embedding> vectors;
  for (std::int64_t i = 0; i < 2'000; ++i) {
    vectors.push_back(vector());
    matrix.add(i, "class", direction_of(vectors.back()));
  }
  const Embedding question = vector();
  for (const RankedEntity& each : matrix.nearest(direction_of(question), std::nullopt, 100)) {
    EXPECT_NEAR(each.score, cosine(question, vectors[static_cast<std::size_t>(each.id)]), 0.005);
  }
}

TEST(RankFusion, counts_places_in_both_rankings) {
  const std::vector<RankedEntity> words{{1, 100}, {2, 50}, {3, 1}};
  const std::vector<RankedEntity> meaning{{3, 0.9}, {4, 0.8}, {2, 0.7}};
  EXPECT_EQ(ids_of(fused(words, meaning)), (Ids{3, 2, 1, 4}));
  EXPECT_EQ(ids_of(fused(words, {})), (Ids{1, 2, 3}));
  EXPECT_EQ(ids_of(fused({}, meaning)), (Ids{3, 4, 2}));
  EXPECT_TRUE(fused({}, {}).empty());
}

}  // namespace
}  // namespace wright::entities
