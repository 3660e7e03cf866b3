// Figures over time from SQLite: one statement, whose rows are counted here. It reads
// idx_agent_sessions_figures and idx_agent_tool_calls_figures, and nothing of the tables where
// rows are finished and need nothing of others.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/try.h"
#include "store/history_collector.h"
#include "store/row_values.h"
#include "store/sqlite_figures.h"
#include "store/sqlite_forks.h"
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

constexpr std::string_view kColumnsOfSessions =
    "started_at, status = 'failed', 0, coalesce(worked_ms, ended_at - started_at), input_tokens, "
    "output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens, cost_usd, "
    "limit_reached IS NOT NULL, id";
// What has not ended has no duration yet.
constexpr std::string_view kColumnsOfOpenSessions =
    "started_at, status = 'failed', 0, NULL, input_tokens, output_tokens, cached_tokens, "
    "reasoning_tokens, cache_write_tokens, cost_usd, limit_reached IS NOT NULL, id";

// Every parameter appears, so that what is bound does not depend on the filter.
std::string conditions_of(const HistoryFilter& filter) {
  std::string sql = filter.agent_name ? " AND agent_name = ?3" : " AND ?3 IS NULL";
  sql += filter.model ? " AND provider || ':' || model = ?4" : " AND ?4 IS NULL";
  sql += filter.tool_name ? " AND tool_name = ?5" : " AND ?5 IS NULL";
  sql += filter.tenant ? " AND tenant = ?6" : " AND ?6 IS NULL";
  return sql;
}

std::string statement_of(const HistoryFilter& filter) {
  const std::string_view name = name_column(filter.by);
  const std::string conditions = conditions_of(filter);
  if (!is_about_calls(filter)) {
    const auto part = [&](std::string_view columns, std::string_view which) {
      return fmt::format(
          "SELECT {}, {} FROM agent_sessions WHERE ended_at {} AND started_at >= ?1 "
          "AND started_at < ?2{}",
          name, columns, which, conditions);
    };
    return fmt::format("{} UNION ALL {} ORDER BY started_at DESC, id DESC LIMIT ?7",
                       part(kColumnsOfSessions, "IS NOT NULL"),
                       part(kColumnsOfOpenSessions, "IS NULL"));
  }
  constexpr std::string_view kWithSessions =
      " JOIN agent_sessions AS session ON session.id = call.session_id";
  return fmt::format(
      "SELECT {}, created_at, call.status = 'failed', call.status = 'unknown', execution_time_ms, "
      "call.session_id "
      "FROM agent_tool_calls AS call{} WHERE created_at >= ?1 AND created_at < ?2 "
      "AND {}{} "
      "ORDER BY created_at DESC, call.id DESC LIMIT ?7",
      name, needs_sessions(filter) ? kWithSessions : "", kIsOver, conditions);
}

}  // namespace

Result<StoreHistory> read_history(sqlite3* connection, const HistoryFilter& filter) {
  const std::size_t stretches = TRY(stretches_of(filter));
  const bool has_usage = !is_about_calls(filter);
  auto statement = TRY(Statement::prepare(connection, statement_of(filter)));
  const auto forks = TRY(Forks::read(connection));
  constexpr int kSessionOfCall = 5;
  constexpr int kSession = 12;
  HistoryCollector collector(filter, stretches);
  bool is_complete = true;
  TRY(statement.query(
      [&](const Row& row) -> Result<void> {
        const bool is_counted =
            has_usage ? forks.has_run(row.integer(kSession))
                      : !forks.was_copied(row.integer(kSessionOfCall), row.integer(1));
        if (!is_counted) return {};
        if (collector.is_full()) {
          is_complete = false;
          return {};
        }
        HistoryRow counted{.name = text_view(row, 0),
                           .at = row.integer(1),
                           .is_failed = row.integer(2) != 0,
                           .is_unknown = row.integer(3) != 0,
                           .duration_ms = row.optional_integer(4)};
        if (has_usage) {
          counted.usage = {row.integer(5), row.integer(6), row.integer(7),
                           row.integer(8), row.integer(9), row.real(10)};
          counted.is_limited = row.integer(11) != 0;
        }
        collector.add(counted);
        return {};
      },
      filter.since, filter.until, filter.agent_name, filter.model, filter.tool_name, filter.tenant,
      row_limit(filter.most_rows < kNoLimit ? filter.most_rows + 1 : kNoLimit)));
  return std::move(collector).finish(is_complete);
}

}  // namespace wright::store
