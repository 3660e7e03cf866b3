// One ranking out of two that measure differently: an entity counts by its places in both
// (reciprocal rank fusion), not by its scores.
#pragma once

#include <span>
#include <vector>

#include "entities/word_search.h"

namespace wright::entities {

// The best first, with scores that say nothing beside each other's.
std::vector<RankedEntity> fused(std::span<const RankedEntity> left,
                                std::span<const RankedEntity> right);

}  // namespace wright::entities
