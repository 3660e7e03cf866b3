// Figures over time from SQLite: one statement, whose rows are counted here. There is no index by
// time, since every session would have to write it: the whole table is read.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/try.h"
#include "store/history_collector.h"
#include "store/row_values.h"
#include "store/sqlite_reads.h"

namespace wright::store {
namespace {

std::string_view name_column(HistoryFilter::By by) {
  switch (by) {
    case HistoryFilter::By::agent: return "agent_name";
    case HistoryFilter::By::model: return "provider || ':' || model";
    case HistoryFilter::By::tool: return "tool_name";
    case HistoryFilter::By::all: break;
  }
  return "''";
}

// Whether calls are counted by what only their sessions know.
bool needs_sessions(const HistoryFilter& filter) {
  const bool is_by_session =
      filter.by == HistoryFilter::By::agent || filter.by == HistoryFilter::By::model;
  return is_by_session || filter.agent_name || filter.model || filter.tenant;
}

std::string statement_of(const HistoryFilter& filter) {
  const bool is_about_calls = store::is_about_calls(filter);
  constexpr std::string_view kWithSessions =
      " JOIN agent_sessions AS session ON session.id = call.session_id";
  // Every parameter appears, so that what is bound does not depend on the filter.
  std::string sql = fmt::format("SELECT {}, ", name_column(filter.by));
  sql += is_about_calls
             ? fmt::format(
                   "created_at, call.status = 'failed', call.status = 'unknown', "
                   "execution_time_ms FROM agent_tool_calls AS call{} "
                   "WHERE created_at >= ?1 AND created_at < ?2 "
                   "AND call.status IN ('completed', 'failed', 'unknown')",
                   needs_sessions(filter) ? kWithSessions : "")
             : "started_at, status = 'failed', 0, CASE WHEN ended_at IS NOT NULL "
               "THEN coalesce(worked_ms, ended_at - started_at) END, input_tokens, output_tokens, "
               "cached_tokens, reasoning_tokens, cache_write_tokens, cost_usd, limit_reached IS "
               "NOT NULL "
               "FROM agent_sessions WHERE started_at >= ?1 AND started_at < ?2";
  sql += filter.agent_name ? " AND agent_name = ?3" : " AND ?3 IS NULL";
  sql += filter.model ? " AND provider || ':' || model = ?4" : " AND ?4 IS NULL";
  sql += filter.tool_name ? " AND tool_name = ?5" : " AND ?5 IS NULL";
  sql += filter.tenant ? " AND tenant = ?6" : " AND ?6 IS NULL";
  sql += fmt::format(" ORDER BY {} DESC LIMIT ?7", is_about_calls ? "call.id" : "id");
  return sql;
}

}  // namespace

Result<StoreHistory> read_history(sqlite3* connection, const HistoryFilter& filter) {
  const std::size_t stretches = TRY(stretches_of(filter));
  const bool has_usage = !is_about_calls(filter);
  auto statement = TRY(Statement::prepare(connection, statement_of(filter)));
  HistoryCollector collector(filter, stretches);
  bool is_complete = true;
  TRY(statement.query(
      [&](const Row& row) -> Result<void> {
        if (collector.is_full()) {
          is_complete = false;
          return {};
        }
        HistoryRow counted{.name = row.text(0),
                           .at = row.integer(1),
                           .is_failed = row.integer(2) != 0,
                           .is_unknown = row.integer(3) != 0,
                           .duration_ms = row.optional_integer(4)};
        if (has_usage) {
          counted.usage = {row.integer(5), row.integer(6), row.integer(7),
                           row.integer(8), row.integer(9), row.real(10)};
          counted.is_limited = row.integer(11) != 0;
        }
        collector.add(std::move(counted));
        return {};
      },
      filter.since, filter.until, filter.agent_name, filter.model, filter.tool_name, filter.tenant,
      row_limit(filter.most_rows < kNoLimit ? filter.most_rows + 1 : kNoLimit)));
  return std::move(collector).finish(is_complete);
}

}  // namespace wright::store
