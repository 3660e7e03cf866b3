// Figures from the tables in memory: over time, and of the moment.
#pragma once

#include "store/memory_tables.h"

namespace wright::store {

Result<StoreHistory> history_of(const Tables& tables, const HistoryFilter& filter);
StoreCounts counts_of(const Tables& tables, std::int64_t now);

}  // namespace wright::store
