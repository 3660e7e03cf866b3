// Totals from PostgreSQL, which counts itself: what comes back is one row for each group and
// duration, however many sessions there are.
#include <string>
#include <utility>
#include <vector>

#include "core/try.h"
#include "postgres/reads.h"
#include "postgres/statements.h"
#include "store/stats_collector.h"

namespace wright::postgres {
namespace {

constexpr std::string_view kRuns =
    "SELECT agent_name, provider, model, "
    "CASE WHEN ended_at IS NOT NULL THEN coalesce(worked_ms, ended_at - started_at) END AS took, "
    "count(*), count(*) FILTER (WHERE status = 'failed'), sum(input_tokens)::bigint, "
    "sum(output_tokens)::bigint, sum(cached_tokens)::bigint, sum(reasoning_tokens)::bigint, "
    "sum(cache_write_tokens)::bigint, sum(cost_usd)::double precision "
    "FROM @agent_sessions WHERE started_at >= $1::bigint AND ($2::text IS NULL "
    "OR agent_name = $2) AND ($3::text IS NULL OR tenant = $3) GROUP BY 1, 2, 3, 4";

constexpr std::string_view kCalls =
    "SELECT agent_name, provider, model, tool_name, execution_time_ms, count(*), "
    "count(*) FILTER (WHERE call.status = 'failed'), "
    "count(*) FILTER (WHERE call.status = 'unknown') "
    "FROM @agent_sessions AS session JOIN @agent_tool_calls AS call "
    "ON call.session_id = session.id WHERE started_at >= $1::bigint "
    "AND ($2::text IS NULL OR agent_name = $2) AND ($3::text IS NULL OR tenant = $3) "
    "AND call.status IN ('completed', 'failed', 'unknown') GROUP BY 1, 2, 3, 4, 5";

}  // namespace

Result<StoreStats> read_stats(Pool& pool, const StatsFilter& filter) {
  const Sql runs = pool.statements().make(std::string(kRuns));
  const Sql calls = pool.statements().make(std::string(kCalls));
  store::StatsCollector collector;
  TRY(pool.read([&] {
    collector = store::StatsCollector();
    const auto group_of = [&](const Row& row) {
      return collector.group_of(row.text(0), row.text(1), row.text(2));
    };
    const auto add_runs = [&, group_of](const Row& row) -> Result<void> {
      collector.add_runs(group_of(row), {.count = row.integer(4),
                                         .failed = row.integer(5),
                                         .usage = {row.integer(6), row.integer(7), row.integer(8),
                                                   row.integer(9), row.integer(10), row.real(11)},
                                         .duration_ms = row.optional_integer(3)});
      return {};
    };
    const auto add_calls = [&, group_of](const Row& row) -> Result<void> {
      const std::string tool_name = row.text(3);
      collector.add_calls(group_of(row), {.tool_name = tool_name,
                                          .count = row.integer(5),
                                          .failed = row.integer(6),
                                          .unknown = row.integer(7),
                                          .duration_ms = row.optional_integer(4)});
      return {};
    };
    const Values values = values_of(filter.started_since, filter.agent_name, filter.tenant);
    return std::vector{Request{&runs, values, add_runs}, Request{&calls, values, add_calls}};
  }));
  return std::move(collector).finish();
}

}  // namespace wright::postgres
