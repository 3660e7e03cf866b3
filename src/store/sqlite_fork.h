// Copies a session up to one of its messages, inside a transaction that its owner begins and ends.
#pragma once

#include <cstdint>

#include "store/sqlite_queries.h"
#include "wright/store.h"

namespace wright::store {

// After an error the transaction must be rolled back. `now` is the time of the new session.
Result<SessionId> fork_session(sqlite3* connection, Queries& queries, SessionId id, MessageId last,
                               std::int64_t now);

}  // namespace wright::store
