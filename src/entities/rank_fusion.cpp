#include "entities/rank_fusion.h"

#include <algorithm>
#include <unordered_map>

namespace wright::entities {
namespace {

// As in the paper that it comes from (Cormack, Clarke and Büttcher, 2009): so much that the first
// few places count about the same.
constexpr double kFlatness = 60;

}  // namespace

std::vector<RankedEntity> fused(std::span<const RankedEntity> left,
                                std::span<const RankedEntity> right) {
  std::vector<RankedEntity> made;
  std::unordered_map<std::int64_t, std::size_t> places;
  for (const auto ranking : {left, right}) {
    double rank = 1;
    for (const RankedEntity& each : ranking) {
      const auto [place, is_new] = places.emplace(each.id, made.size());
      if (is_new) made.push_back({each.id, 0});
      made[place->second].score += 1 / (kFlatness + rank);
      ++rank;
    }
  }
  // Of equals, the one that the left ranking knows comes first.
  std::ranges::stable_sort(made, std::ranges::greater{}, &RankedEntity::score);
  return made;
}

}  // namespace wright::entities
