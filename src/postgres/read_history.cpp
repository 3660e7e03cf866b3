// Figures over time from PostgreSQL, which counts itself: what comes back is one row for each
// series and stretch of time, however many sessions there are.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/try.h"
#include "postgres/reads.h"
#include "postgres/statements.h"
#include "store/history_collector.h"

namespace wright::postgres {
namespace {

// More than any store has: the statement adds one to each.
constexpr std::size_t kMostRows = std::size_t{1} << 60;
constexpr std::size_t kMostSeries = std::size_t{1} << 60;

std::string_view column_named(HistoryFilter::By by) {
  switch (by) {
    case HistoryFilter::By::agent: return "agent_name";
    case HistoryFilter::By::model: return "provider || ':' || model";
    case HistoryFilter::By::tool: return "tool_name";
    case HistoryFilter::By::all: break;
  }
  return "''::text";
}

std::string history_statement(const HistoryFilter& filter) {
  const bool is_about_calls = store::is_about_calls(filter);
  std::string sql =
      fmt::format("WITH found AS MATERIALIZED (SELECT {} AS name, ", column_named(filter.by));
  if (is_about_calls) {
    sql +=
        "(created_at - $1::bigint) / $8::bigint AS place, created_at AS at, "
        "call.status = 'failed' AS failed, call.status = 'unknown' AS unknown, "
        "execution_time_ms AS took, call.id AS id, 0 AS input_tokens, 0 AS output_tokens, "
        "0 AS cached_tokens, 0 AS reasoning_tokens, 0 AS cache_write_tokens, 0 AS cost_usd, "
        "false AS limited FROM @agent_tool_calls AS call ";
    if (store::needs_sessions(filter)) {
      sql += "JOIN @agent_sessions AS session ON session.id = call.session_id ";
    }
    sql +=
        "WHERE created_at >= $1 AND created_at < $2::bigint "
        "AND call.status IN ('completed', 'failed', 'unknown') AND NOT EXISTS (SELECT 1 "
        "FROM @agent_sessions AS fork WHERE fork.id = call.session_id "
        "AND fork.forked_from IS NOT NULL AND fork.started_at > call.created_at)";
  } else {
    sql +=
        "(started_at - $1::bigint) / $8::bigint AS place, started_at AS at, "
        "status = 'failed' AS failed, false AS unknown, CASE WHEN ended_at IS NOT NULL "
        "THEN coalesce(worked_ms, ended_at - started_at) END AS took, id, input_tokens, "
        "output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens, cost_usd, "
        "limit_reached IS NOT NULL AS limited FROM @agent_sessions WHERE started_at >= $1 "
        "AND started_at < $2::bigint AND (forked_from IS NULL OR iterations > 0 OR status <> "
        "'completed')";
  }
  // Every parameter appears, so that what is sent does not depend on the filter.
  sql += filter.agent_name ? " AND agent_name = $3::text" : " AND $3::text IS NULL";
  sql += filter.model ? " AND provider || ':' || model = $4::text" : " AND $4::text IS NULL";
  sql += filter.tool_name ? " AND tool_name = $5::text" : " AND $5::text IS NULL";
  sql += filter.tenant ? " AND tenant = $6::text" : " AND $6::text IS NULL";
  sql += is_about_calls ? " ORDER BY created_at DESC, call.id DESC LIMIT $7::bigint + 1), "
                        : " ORDER BY started_at DESC, id DESC LIMIT $7::bigint + 1), ";
  // Names are ordered byte by byte, as every store does.
  sql +=
      "counted AS (SELECT * FROM found ORDER BY at DESC, id DESC LIMIT $7), "
      "ranked AS (SELECT name, row_number() OVER (ORDER BY count(*) DESC, name COLLATE \"C\") "
      "AS rank FROM counted GROUP BY name), "
      "shown AS (SELECT least(rank, $9::bigint + 1) AS rank, "
      "CASE WHEN rank <= $9 THEN name END AS name, place, failed, unknown, took, input_tokens, "
      "output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens, cost_usd, limited "
      "FROM counted JOIN ranked USING (name)) "
      "SELECT rank, name, place, count(*), count(*) FILTER (WHERE failed), "
      "count(*) FILTER (WHERE unknown), sum(input_tokens)::bigint, sum(output_tokens)::bigint, "
      "sum(cached_tokens)::bigint, sum(reasoning_tokens)::bigint, "
      "sum(cache_write_tokens)::bigint, sum(cost_usd)::double precision, "
      "percentile_disc(0.5) WITHIN GROUP (ORDER BY took), "
      "percentile_disc(0.95) WITHIN GROUP (ORDER BY took), "
      "CASE WHEN (SELECT count(*) FROM found) > $7 THEN 1 ELSE 0 END, "
      "count(*) FILTER (WHERE limited) FROM shown GROUP BY rank, "
      "name, place ORDER BY rank, place";
  return sql;
}

}  // namespace

Result<StoreHistory> read_history(Pool& pool, const HistoryFilter& filter) {
  const std::size_t stretches = TRY(store::stretches_of(filter));
  const Sql sql = pool.statements().make(history_statement(filter));
  StoreHistory history;
  std::int64_t rank = 0;
  TRY(pool.read([&] {
    history = {};
    rank = 0;
    const auto add = [&](const Row& row) -> Result<void> {
      if (row.integer(0) != rank) {
        rank = row.integer(0);
        history.series.push_back({.name = row.optional_text(1).value_or(""),
                                  .is_rest = row.is_null(1),
                                  .points = std::vector<HistoryPoint>(stretches)});
      }
      HistorySeries& series = history.series.back();
      const HistoryPoint point{.count = row.integer(3),
                               .failed = row.integer(4),
                               .unknown = row.integer(5),
                               .limited = row.integer(15),
                               .usage = {row.integer(6), row.integer(7), row.integer(8),
                                         row.integer(9), row.integer(10), row.real(11)},
                               .p50_ms = row.optional_integer(12),
                               .p95_ms = row.optional_integer(13)};
      history.is_complete = row.integer(14) == 0;
      series.count += point.count;
      series.points.at(static_cast<std::size_t>(row.integer(2))) = point;
      return {};
    };
    return std::vector{Request{
        &sql,
        values_of(filter.since, filter.until, filter.agent_name, filter.model, filter.tool_name,
                  filter.tenant, row_limit(std::min(filter.most_rows, kMostRows)), filter.step_ms,
                  row_limit(std::min(filter.most_series, kMostSeries))),
        add}};
  }));
  return history;
}

}  // namespace wright::postgres
