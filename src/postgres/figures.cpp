#include "postgres/figures.h"

#include <fmt/format.h>

#include "core/try.h"
#include "postgres/connection.h"
#include "postgres/errors.h"
#include "postgres/schema.h"

namespace wright::postgres {

Result<Figures> read_figures(const std::string& place, const std::string& schema) {
  TRY(check_schema_name(schema));
  auto connection = TRY(Connection::open(place));
  Figures figures;
  const int version = connection.server_version();
  figures.server = fmt::format("{}.{}", version / 10000, version % 10000);
  const auto ask = [&](std::string_view text, OnRow on_row) {
    const Sql sql(in_schema(text, schema));
    const Request request{&sql, {}, std::move(on_row)};
    return all_done(connection.exchange({&request, 1}, std::chrono::steady_clock::now() + kPatience,
                                        Preparing::every_time));
  };
  TRY(
      ask("SELECT (SELECT max(extract(epoch FROM clock_timestamp() - begun) * 1000)::bigint FROM "
          "(SELECT xact_start AS begun FROM pg_stat_activity WHERE backend_xmin IS NOT NULL "
          "AND pid <> pg_backend_pid() UNION ALL SELECT prepared FROM pg_prepared_xacts) AS old), "
          "(SELECT count(*) FROM pg_stat_activity WHERE query = '<insufficient privilege>')",
          [&](const Row& row) -> Result<void> {
            figures.oldest_snapshot_ms = row.optional_integer(0);
            figures.unseen = row.integer(1);
            return {};
          }));
  const bool is_there = TRY(has_tables(connection, schema));
  if (!is_there) return figures;
  TRY(ask("SELECT version FROM @agent_schema", [&](const Row& row) -> Result<void> {
    figures.schema_version = static_cast<int>(row.integer(0));
    return {};
  }));
  TRY(
      ask("SELECT (SELECT greatest(reltuples, 0)::bigint FROM pg_class "
          "WHERE oid = '@agent_sessions'::regclass), "
          "(SELECT count(*) FROM @agent_sessions WHERE status = 'queued'), "
          "(SELECT count(*) FROM @agent_sessions WHERE status = 'running'), "
          "(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint "
          "- min(greatest(coalesce(ready_at, 0), coalesce((SELECT created_at FROM @agent_messages "
          "WHERE session_id = queued.id ORDER BY id DESC LIMIT 1), started_at))) "
          "FROM @agent_sessions AS queued WHERE status = 'queued' "
          "AND coalesce(ready_at, 0) <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint)",
          [&](const Row& row) -> Result<void> {
            figures.sessions = row.integer(0);
            figures.queued = row.integer(1);
            figures.running = row.integer(2);
            figures.oldest_ready_ms = row.optional_integer(3);
            return {};
          }));
  const std::string tuples = fmt::format(
      "SELECT coalesce(sum(n_dead_tup), 0)::bigint, coalesce(sum(n_live_tup), 0)::bigint "
      "FROM pg_stat_user_tables WHERE schemaname = '{}'",
      schema);
  TRY(ask(tuples, [&](const Row& row) -> Result<void> {
    figures.dead_rows = row.integer(0);
    figures.live_rows = row.integer(1);
    return {};
  }));
  return figures;
}

}  // namespace wright::postgres
