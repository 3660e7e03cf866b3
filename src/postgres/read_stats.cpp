// Totals from PostgreSQL, which counts itself: what comes back is one row for each group, with its
// durations in one text, however many sessions there are.
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/try.h"
#include "postgres/reads.h"
#include "postgres/statements.h"
#include "store/row_values.h"
#include "store/stats_collector.h"

namespace wright::postgres {
namespace {

// Grouped by few texts: with the durations among them, PostgreSQL would sort all rows.
constexpr std::string_view kRuns =
    "SELECT agent_name, provider, model, array_to_string(array_agg(CASE WHEN ended_at IS NOT NULL "
    "THEN coalesce(worked_ms, ended_at - started_at) END), ','), "
    "count(*), count(*) FILTER (WHERE status = 'failed'), sum(input_tokens)::bigint, "
    "sum(output_tokens)::bigint, sum(cached_tokens)::bigint, sum(reasoning_tokens)::bigint, "
    "sum(cache_write_tokens)::bigint, sum(cost_usd)::double precision "
    "FROM @agent_sessions WHERE started_at >= $1::bigint "
    "AND (forked_from IS NULL OR iterations > 0 OR status <> 'completed') AND ($2::text IS NULL "
    "OR agent_name = $2) AND ($3::text IS NULL OR tenant = $3) GROUP BY 1, 2, 3";

constexpr std::string_view kCalls =
    "SELECT agent_name, provider, model, tool_name, "
    "array_to_string(array_agg(execution_time_ms), ','), count(*), "
    "count(*) FILTER (WHERE call.status = 'failed'), "
    "count(*) FILTER (WHERE call.status = 'unknown') "
    "FROM @agent_sessions AS session JOIN @agent_tool_calls AS call "
    "ON call.session_id = session.id WHERE started_at >= $1::bigint "
    "AND (forked_from IS NULL OR created_at >= started_at) "
    "AND ($2::text IS NULL OR agent_name = $2) AND ($3::text IS NULL OR tenant = $3) "
    "AND call.status IN ('completed', 'failed', 'unknown') GROUP BY 1, 2, 3, 4";

// Every part of it is read from an index of what has not ended.
constexpr std::string_view kCounts =
    "SELECT (SELECT count(*) FROM @agent_sessions WHERE status = 'queued'), "
    "(SELECT count(*) FROM @agent_sessions WHERE status = 'running' AND runner_id IS NOT NULL "
    "AND parent_session_id IS NULL), "
    "(SELECT count(*) FROM @agent_sessions WHERE status = 'running' AND runner_id IS NULL "
    "AND parent_session_id IS NULL), "
    "(SELECT count(DISTINCT session_id) FROM @agent_waits WHERE status = 'open'), "
    "(SELECT count(*) FROM @agent_waits WHERE status = 'open'), "
    "(SELECT min(greatest(started_at, ready_at, (SELECT created_at FROM @agent_messages "
    "WHERE session_id = session.id ORDER BY id DESC LIMIT 1))) FROM @agent_sessions AS session "
    "WHERE status = 'queued' AND coalesce(ready_at, 0) <= $1::bigint)";

// "1,2,3"; absent values are not in it.
std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
  return numbers;
}

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
      const auto durations = numbers_in(row.text(3));
      collector.add_runs(group_of(row), {.count = row.integer(4),
                                         .failed = row.integer(5),
                                         .usage = {row.integer(6), row.integer(7), row.integer(8),
                                                   row.integer(9), row.integer(10), row.real(11)},
                                         .durations_ms = durations});
      return {};
    };
    const auto add_calls = [&, group_of](const Row& row) -> Result<void> {
      const std::string tool_name = row.text(3);
      const auto durations = numbers_in(row.text(4));
      collector.add_calls(group_of(row), {.tool_name = tool_name,
                                          .count = row.integer(5),
                                          .failed = row.integer(6),
                                          .unknown = row.integer(7),
                                          .durations_ms = durations});
      return {};
    };
    const Values values = values_of(filter.started_since, filter.agent_name, filter.tenant);
    return std::vector{Request{&runs, values, add_runs}, Request{&calls, values, add_calls}};
  }));
  return std::move(collector).finish();
}

Result<StoreCounts> read_counts(Pool& pool, std::int64_t now) {
  const Sql sql = pool.statements().make(std::string(kCounts));
  StoreCounts counts;
  TRY(pool.read([&] {
    const auto keep = [&](const Row& row) -> Result<void> {
      counts = store::counts_of(row);
      return {};
    };
    return std::vector{Request{&sql, values_of(now), keep}};
  }));
  return counts;
}

}  // namespace wright::postgres
