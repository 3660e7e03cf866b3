// What the SQLite store reads beside single sessions: lists and their pages, news, totals. Nothing
// here writes.
#pragma once

#include <vector>

#include "store/lease.h"
#include "store/sqlite_queries.h"
#include "wright/store.h"

namespace wright::store {

Result<Session> read_session(Queries& queries, SessionId id);
Result<std::vector<Session>> read_sessions(sqlite3* connection, const SessionFilter& filter,
                                           const Moment& now);
Result<std::vector<StoredMessage>> read_messages(sqlite3* connection, Queries& queries,
                                                 SessionId id, const Page& page);
Result<std::vector<StoredCall>> read_calls(sqlite3* connection, Queries& queries, SessionId id,
                                           const CallFilter& filter);
Result<std::vector<StoredWait>> read_waits(sqlite3* connection, Queries& queries,
                                           const WaitFilter& filter);
Result<std::vector<StoredEvent>> read_events(sqlite3* connection, Queries& queries,
                                             const EventFilter& filter);

Result<std::vector<Record>> read_records(sqlite3* connection, Queries& queries,
                                         const RecordFilter& filter);

Result<RunnerNews> read_news(Queries& queries, RunnerId id);
Result<SpentBySpecialists> read_spent(Queries& queries, SessionId id, MessageId since);
Result<StoreStats> read_stats(sqlite3* connection, const StatsFilter& filter);
Result<StoreHistory> read_history(sqlite3* connection, const HistoryFilter& filter);
Result<StoreCounts> read_counts(sqlite3* connection, std::int64_t now);

}  // namespace wright::store
