// Figures over time, for plots: counts, failures, tokens, costs and durations of equal stretches.
#pragma once

#include "server/service.h"
#include "wright/store.h"

namespace wright::server {

// What a request asks for: `since`, `until`, `buckets`, `agent`, `model`, `tool`, `by`, `series`
// and whose token it has.
Result<HistoryFilter> history_filter(const Call& call);

// All of them in one list.
Result<Json> history_json(Store& store, HistoryFilter filter);

// Each agent, model or tool in a list of its own.
Result<Json> series_json(Store& store, const HistoryFilter& filter);

}  // namespace wright::server
