// Sessions over time, for plots: counts, failures, tokens, costs and durations of equal stretches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wright/store.h"

namespace wright::server {

struct HistoryFilter {
  std::optional<std::string> agent_name = {};
  std::int64_t since = 0;  // milliseconds since 1970
  std::int64_t until = 0;
  std::int64_t buckets = 48;
  std::optional<std::string> tenant = {};
};

// Reads the newest sessions of that time, at most `most_sessions`; says whether these were all.
Result<Json> history_json(Store& store, const HistoryFilter& filter,
                          std::size_t most_sessions = 20'000);

}  // namespace wright::server
