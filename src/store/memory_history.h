// Figures over time from the tables in memory.
#pragma once

#include "store/memory_tables.h"

namespace wright::store {

Result<StoreHistory> history_of(const Tables& tables, const HistoryFilter& filter);

}  // namespace wright::store
