// Batches on their way into the database: together in one round trip and one commit where that
// works, and one by one, asking why, where something is refused.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "postgres/caution.h"
#include "postgres/pool.h"
#include "wright/store.h"

namespace wright::postgres {

std::vector<Result<BatchIds>> write_batches(Pool& pool, std::span<const Batch> batches,
                                            Caution caution);

}  // namespace wright::postgres
