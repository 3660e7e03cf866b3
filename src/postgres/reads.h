// What the PostgreSQL store reads: sessions, lists and their pages, news, totals. Nothing here
// writes.
#pragma once

#include <vector>

#include "postgres/pool.h"
#include "wright/store.h"

namespace wright::postgres {

Result<Session> read_session(Pool& pool, SessionId id);
Result<std::vector<Session>> read_sessions(Pool& pool, const SessionFilter& filter);
Result<std::vector<StoredMessage>> read_messages(Pool& pool, SessionId id, const Page& page);
Result<std::vector<StoredCall>> read_calls(Pool& pool, SessionId id, const CallFilter& filter);
Result<std::vector<StoredWait>> read_waits(Pool& pool, const WaitFilter& filter);
Result<std::vector<Record>> read_records(Pool& pool, const RecordFilter& filter);
Result<std::vector<Runner>> read_runners(Pool& pool);
Result<RunnerNews> read_news(Pool& pool, RunnerId id);
Result<SpentBySpecialists> read_spent(Pool& pool, SessionId id, MessageId since);
Result<StoreStats> read_stats(Pool& pool, const StatsFilter& filter);
Result<StoreHistory> read_history(Pool& pool, const HistoryFilter& filter);
Result<StoreCounts> read_counts(Pool& pool, std::int64_t now);

// Events have rising numbers, but transactions that have taken a number commit in any order. So
// that whoever follows them misses none, this waits, for a moment, for those who have a lower
// number than what it is about to show and are not committed yet. If they take longer, it fails
// with ErrorCode::unavailable: an empty list would say that there is nothing up to now.
Result<std::vector<StoredEvent>> read_events(Pool& pool, const EventFilter& filter);

}  // namespace wright::postgres
