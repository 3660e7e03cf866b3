// Answering and reading waits. Whoever answers does it inside a transaction of the caller's.
#pragma once

#include <cstdint>
#include <vector>

#include "store/sqlite_queries.h"
#include "wright/store.h"

namespace wright::store {

struct AnswerAttempt {
  StoredWait wait;  // as it is now
  bool has_won = false;
};

// A wait whose time is over becomes `expired`, which must be committed, too.
Result<AnswerAttempt> answer_wait(sqlite3* connection, Queries& queries, WaitId id,
                                  const WaitAnswer& answer, std::int64_t now);

Result<std::vector<StoredWait>> read_waits(sqlite3* connection, const WaitFilter& filter);

}  // namespace wright::store
