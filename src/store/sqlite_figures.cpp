// Totals from SQLite. Those over all sessions are counted here row by row. Sessions that have ended
// and calls that are over are read from indexes that have all that is asked for: the tables, with
// their long texts, stay out of it.
#include "store/sqlite_figures.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/try.h"
#include "store/row_values.h"
#include "store/sqlite_forks.h"
#include "store/sqlite_reads.h"
#include "store/stats_collector.h"

namespace wright::store {
namespace {

// Which group a session is in; by id.
using GroupsOfSessions = std::vector<std::pair<SessionId, StatsCollector::Group>>;

std::string over_calls(std::string_view condition) {
  return fmt::format(
      "SELECT session_id, tool_name, status = 'failed', status = 'unknown', execution_time_ms, "
      "created_at "
      "FROM agent_tool_calls AS call WHERE {}{}",
      kIsOver, condition);
}

Result<GroupsOfSessions> count_sessions(sqlite3* connection, const StatsFilter& filter,
                                        const Forks& forks, StatsCollector& collector) {
  GroupsOfSessions sessions;
  const auto count = [&](const Row& row) -> Result<void> {
    if (!forks.has_run(row.integer(11))) return {};
    const auto group = collector.group_of(text_view(row, 0), text_view(row, 1), text_view(row, 2));
    const auto took = row.optional_integer(10);
    collector.add_runs(group, {.failed = row.integer(3),
                               .usage = {row.integer(4), row.integer(5), row.integer(6),
                                         row.integer(7), row.integer(8), row.real(9)},
                               .durations_ms = durations_of(took)});
    sessions.emplace_back(row.integer(11), group);
    return {};
  };
  for (const auto& [duration, which] :
       {std::pair{"coalesce(worked_ms, ended_at - started_at)", "IS NOT NULL"},
        std::pair{"NULL", "IS NULL"}}) {
    auto statement = TRY(Statement::prepare(
        connection,
        fmt::format("SELECT agent_name, provider, model, status = 'failed', input_tokens, "
                    "output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens, cost_usd, "
                    "{}, id FROM agent_sessions WHERE ended_at {} AND started_at >= ?1 "
                    "AND (?2 IS NULL OR agent_name = ?2) AND (?3 IS NULL OR tenant = ?3)",
                    duration, which)));
    TRY(statement.query(count, filter.started_since, filter.agent_name, filter.tenant));
  }
  std::ranges::sort(sessions);
  return sessions;
}

// Looking for the calls of one session takes some ten times as long as reading past them.
Result<bool> are_few(sqlite3* connection, const GroupsOfSessions& sessions) {
  std::int64_t all = 0;
  auto span = TRY(Statement::prepare(
      connection, "SELECT (SELECT max(id) FROM agent_sessions) - min(id) + 1 FROM agent_sessions"));
  TRY(span.query([&](const Row& row) -> Result<void> {
    all = row.integer(0);
    return {};
  }));
  return std::ssize(sessions) < all / 10;
}

void count_call(const Row& row, StatsCollector::Group group, StatsCollector& collector) {
  const auto took = row.optional_integer(4);
  collector.add_calls(group, {.tool_name = text_view(row, 1),
                              .failed = row.integer(2),
                              .unknown = row.integer(3),
                              .durations_ms = durations_of(took)});
}

Result<void> count_calls_of_each(sqlite3* connection, const GroupsOfSessions& sessions,
                                 const Forks& forks, StatsCollector& collector) {
  auto statement = TRY(Statement::prepare(connection, over_calls(" AND session_id = ?1")));
  for (const auto& [id, group] : sessions) {
    TRY(statement.query(
        [&](const Row& row) -> Result<void> {
          if (!forks.was_copied(id, row.integer(5))) count_call(row, group, collector);
          return {};
        },
        id));
  }
  return {};
}

Result<void> count_calls_among_all(sqlite3* connection, const GroupsOfSessions& sessions,
                                   const Forks& forks, StatsCollector& collector) {
  auto statement = TRY(Statement::prepare(connection, over_calls("")));
  return statement.query([&](const Row& row) -> Result<void> {
    const SessionId id = row.integer(0);
    const auto found =
        std::ranges::lower_bound(sessions, id, {}, [](const auto& each) { return each.first; });
    const bool is_wanted = found != sessions.end() && found->first == id;
    if (is_wanted && !forks.was_copied(id, row.integer(5))) {
      count_call(row, found->second, collector);
    }
    return {};
  });
}

}  // namespace

std::string_view text_view(const Row& row, int column) {
  // The text must be asked for before its size, and is null for an empty blob.
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(row.statement(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row.statement(), column));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
}

Result<StoreStats> read_stats(sqlite3* connection, const StatsFilter& filter) {
  StatsCollector collector;
  const auto forks = TRY(Forks::read(connection));
  const auto sessions = TRY(count_sessions(connection, filter, forks, collector));
  const bool is_few = TRY(are_few(connection, sessions));
  const auto counted_calls = is_few ? count_calls_of_each(connection, sessions, forks, collector)
                                    : count_calls_among_all(connection, sessions, forks, collector);
  TRY(counted_calls);
  return std::move(collector).finish();
}

Result<StoreCounts> read_counts(sqlite3* connection, std::int64_t now) {
  // Every part of it is read from an index of what has not ended; '+' keeps SQLite from that of the
  // parents, where most sessions are.
  auto statement = TRY(Statement::prepare(
      connection,
      "SELECT (SELECT count(*) FROM agent_sessions WHERE status = 'queued'), "
      "(SELECT count(*) FROM agent_sessions WHERE status = 'running' AND runner_id IS NOT NULL "
      "AND +parent_session_id IS NULL), "
      "(SELECT count(*) FROM agent_sessions WHERE status = 'running' AND runner_id IS NULL "
      "AND +parent_session_id IS NULL), "
      "(SELECT count(DISTINCT session_id) FROM agent_waits WHERE status = 'open'), "
      "(SELECT count(*) FROM agent_waits WHERE status = 'open'), "
      "(SELECT min(max(started_at, coalesce(ready_at, 0), coalesce((SELECT max(created_at) "
      "FROM agent_messages WHERE session_id = session.id), 0))) FROM agent_sessions AS session "
      "WHERE status = 'queued' AND coalesce(ready_at, 0) <= ?1)"));
  StoreCounts counts;
  TRY(statement.query(
      [&](const Row& row) -> Result<void> {
        counts = counts_of(row);
        return {};
      },
      now));
  return counts;
}

}  // namespace wright::store
