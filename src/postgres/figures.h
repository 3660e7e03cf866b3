// How a PostgreSQL that keeps sessions is doing: what operators should look at before users notice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wright/error.h"

namespace wright::postgres {

struct Figures {
  std::string server = {};  // its version
  int schema_version = 0;   // 0: there are no tables yet
  std::int64_t sessions = 0;
  std::int64_t queued = 0;
  std::int64_t running = 0;
  std::optional<std::int64_t> oldest_ready_ms = {};     // how long the first in the queue waits
  std::optional<std::int64_t> oldest_snapshot_ms = {};  // no dead row younger than it can go
  std::int64_t unseen = 0;  // connections of others of which this role may not see how old theirs are
  std::int64_t dead_rows = 0;
  std::int64_t live_rows = 0;
};

// Changes nothing.
Result<Figures> read_figures(const std::string& place, const std::string& schema);

}  // namespace wright::postgres
