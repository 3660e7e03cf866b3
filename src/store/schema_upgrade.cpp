#include "store/schema_upgrade.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/try.h"
#include "store/agent_schema.h"
#include "store/sqlite_names.h"
#include "wright/store.h"

namespace wright::store {
namespace {

// The rows rest in temporary tables meanwhile. No table is renamed: SQLite would rewrite views and
// foreign keys of other tables that mention it.
constexpr const char* kSetRowsAside = R"sql(
CREATE TEMP TABLE agent_upgrade_sessions AS SELECT * FROM main.agent_sessions;
CREATE TEMP TABLE agent_upgrade_messages AS SELECT * FROM main.agent_messages;
CREATE TEMP TABLE agent_upgrade_tool_calls AS SELECT * FROM main.agent_tool_calls;
DROP TABLE main.agent_tool_calls;
DROP TABLE main.agent_messages;
DROP TABLE main.agent_sessions;
)sql";

// Seconds become milliseconds. A count of 10^11 and more would be a year after 5000 in seconds, so
// it is in milliseconds already.
constexpr const char* kBringRowsBack = R"sql(
INSERT INTO main.agent_sessions (id, agent_name, provider, model, system_prompt, user_prompt,
                                 status, started_at, ended_at, result, error)
SELECT id, agent_name, provider, model, system_prompt, user_prompt, status,
       iif(started_at < 100000000000, started_at * 1000, started_at),
       iif(ended_at < 100000000000, ended_at * 1000, ended_at), result, error
FROM temp.agent_upgrade_sessions ORDER BY id;
INSERT INTO main.agent_messages (id, session_id, role, content, created_at)
SELECT id, session_id, role, content,
       iif(created_at < 100000000000, created_at * 1000, created_at)
FROM temp.agent_upgrade_messages ORDER BY id;
INSERT INTO main.agent_tool_calls (id, session_id, message_id, tool_call_id, tool_name, request,
                                   response, status, created_at, completed_at, execution_time_ms,
                                   error_details)
SELECT id, session_id, message_id, tool_call_id, tool_name, request, response, status,
       iif(created_at < 100000000000, created_at * 1000, created_at),
       iif(completed_at < 100000000000, completed_at * 1000, completed_at), execution_time_ms,
       error_details
FROM temp.agent_upgrade_tool_calls ORDER BY id;
DROP TABLE temp.agent_upgrade_sessions;
DROP TABLE temp.agent_upgrade_messages;
DROP TABLE temp.agent_upgrade_tool_calls;
)sql";

// Messages did not say which calls they ask for and which they answer; the rows of the calls do.
// Results stand in the order of the calls.
constexpr const char* kTieMessagesToCalls = R"sql(
UPDATE main.agent_messages SET parts = (
    SELECT '[' || iif(content IN ('', '[Using tools]'), '',
                      json_object('type', 'text', 'text', content) || ',')
               || group_concat(part) || ']'
    FROM (SELECT json_object('type', 'tool_call', 'id', tool_call_id, 'name', tool_name,
                             'arguments', request) AS part
          FROM main.agent_tool_calls WHERE message_id = agent_messages.id ORDER BY id))
WHERE role = 'assistant' AND id IN (SELECT message_id FROM main.agent_tool_calls);
WITH results AS (
    SELECT id, (SELECT max(id) FROM main.agent_messages AS earlier
                WHERE earlier.session_id = result.session_id AND earlier.id < result.id
                      AND earlier.role = 'assistant') AS asked_by
    FROM main.agent_messages AS result WHERE role = 'tool'),
placed_results AS (
    SELECT id, asked_by, row_number() OVER (PARTITION BY asked_by ORDER BY id) AS place
    FROM results),
placed_calls AS (
    SELECT message_id, tool_call_id, tool_name,
           row_number() OVER (PARTITION BY message_id ORDER BY id) AS place
    FROM main.agent_tool_calls)
UPDATE main.agent_messages SET tool_call_id = placed_calls.tool_call_id
FROM placed_results JOIN placed_calls ON placed_calls.message_id = placed_results.asked_by
                                         AND placed_calls.place = placed_results.place
WHERE agent_messages.id = placed_results.id
      AND instr(agent_messages.content, 'Tool ' || placed_calls.tool_name || ' ') = 1;
)sql";

// From version i + 1 to version i + 2.
constexpr std::array<const char*, kAgentSchemaVersion - 1> kUpgrades{R"sql(
ALTER TABLE main.agent_sessions ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE main.agent_sessions ADD COLUMN cost_usd REAL NOT NULL DEFAULT 0;
UPDATE main.agent_schema SET version = 2;
)sql",
                                                                     R"sql(
ALTER TABLE main.agent_sessions ADD COLUMN parent_call_id INTEGER;
ALTER TABLE main.agent_sessions ADD COLUMN forked_from INTEGER;
ALTER TABLE main.agent_sessions ADD COLUMN runner_id INTEGER;
ALTER TABLE main.agent_sessions ADD COLUMN lease_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE main.agent_sessions ADD COLUMN feedback TEXT;
ALTER TABLE main.agent_tool_calls ADD COLUMN result TEXT;
UPDATE main.agent_schema SET version = 3;
)sql",
                                                                     R"sql(
ALTER TABLE main.agent_sessions ADD COLUMN context TEXT;
UPDATE main.agent_schema SET version = 4;
)sql",
                                                                     R"sql(
ALTER TABLE main.agent_sessions ADD COLUMN error_code TEXT;
ALTER TABLE main.agent_sessions ADD COLUMN limit_reached TEXT;
ALTER TABLE main.agent_waits ADD COLUMN covers TEXT;
UPDATE main.agent_schema SET version = 5;
)sql",
                                                                     R"sql(
ALTER TABLE main.agent_tool_calls ADD COLUMN has_news INTEGER NOT NULL DEFAULT 0;
CREATE INDEX main.idx_agent_tool_calls_news ON agent_tool_calls (session_id) WHERE has_news = 1;
UPDATE main.agent_tool_calls SET has_news = 1
WHERE status = 'waiting'
      AND id IN (SELECT call_id FROM main.agent_waits WHERE status <> 'open')
      AND id NOT IN (SELECT call_id FROM main.agent_waits WHERE status = 'open');
UPDATE main.agent_schema SET version = 6;
)sql",
                                                                     R"sql(
ALTER TABLE main.agent_sessions ADD COLUMN labels TEXT;
UPDATE main.agent_schema SET version = 7;
)sql",
                                                                     R"sql(
UPDATE main.agent_schema SET version = 8;
)sql",
                                                                     R"sql(
DROP INDEX IF EXISTS main.idx_agent_sessions_queued;
UPDATE main.agent_schema SET version = 9;
)sql",
                                                                     R"sql(
ALTER TABLE main.agent_waits ADD COLUMN state TEXT;
DROP INDEX IF EXISTS main.idx_agent_tool_calls_status;
UPDATE main.agent_schema SET version = 10;
)sql"};

// SQLite cannot change which statuses a table takes; the rows of version 5 rest meanwhile.
constexpr const char* kSetSessionsAside = R"sql(
CREATE TEMP TABLE agent_upgrade_sessions AS SELECT * FROM main.agent_sessions;
DROP TABLE main.agent_sessions;
)sql";
constexpr const char* kBringSessionsBack = R"sql(
INSERT INTO main.agent_sessions (
    id, agent_name, provider, model, system_prompt, user_prompt, status, started_at, ended_at,
    result, error, parent_session_id, input_tokens, output_tokens, cached_tokens,
    reasoning_tokens, cache_write_tokens, cost_usd, iterations, config, format_version,
    parent_call_id, forked_from, runner_id, lease_epoch, feedback, context, error_code,
    limit_reached)
SELECT
    id, agent_name, provider, model, system_prompt, user_prompt, status, started_at, ended_at,
    result, error, parent_session_id, input_tokens, output_tokens, cached_tokens,
    reasoning_tokens, cache_write_tokens, cost_usd, iterations, config, format_version,
    parent_call_id, forked_from, runner_id, lease_epoch, feedback, context, error_code,
    limit_reached
FROM temp.agent_upgrade_sessions ORDER BY id;
DROP TABLE temp.agent_upgrade_sessions;
)sql";

// Indexes and triggers that other programs made on our tables, or on the named one of them, as SQL.
Result<std::vector<std::string>> foreign_definitions(sqlite3* connection, std::string_view table) {
  auto statement = TRY(
      Statement::prepare(connection,
                         "SELECT sql FROM main.sqlite_master WHERE type IN ('index', 'trigger') "
                         "AND sql IS NOT NULL AND lower(tbl_name) IN "
                         "('agent_sessions', 'agent_messages', 'agent_tool_calls') "
                         "AND (?1 = '' OR lower(tbl_name) = ?1) "
                         "AND lower(name) NOT IN ('idx_agent_messages_session_created', "
                         "'idx_agent_tool_calls_session', 'idx_agent_tool_calls_status', "
                         "'idx_agent_sessions_parent')"));
  std::vector<std::string> definitions;
  const auto read = statement.query(
      [&](const Row& row) -> Result<void> {
        definitions.push_back(row.text(0));
        return {};
      },
      table);
  TRY(read);
  return definitions;
}

using LastIds = std::vector<std::pair<std::string, std::int64_t>>;

// The highest id that each table ever gave out, deleted rows included: ids are never given twice.
Result<LastIds> last_ids(sqlite3* connection) {
  LastIds ids;
  bool has_sequence = false;
  auto exists = TRY(Statement::prepare(
      connection, "SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_sequence'"));
  auto looked = exists.query([&](const Row&) -> Result<void> {
    has_sequence = true;
    return {};
  });
  if (!looked) return std::unexpected(looked.error());
  if (!has_sequence) return ids;
  auto sequence =
      TRY(Statement::prepare(connection,
                             "SELECT name, seq FROM main.sqlite_sequence WHERE lower(name) IN "
                             "('agent_sessions', 'agent_messages', 'agent_tool_calls')"));
  const auto read = sequence.query([&](const Row& row) -> Result<void> {
    ids.emplace_back(row.text(0), row.integer(1));
    return {};
  });
  if (!read) return std::unexpected(read.error());
  return ids;
}

Result<void> restore_last_ids(sqlite3* connection, const LastIds& ids) {
  auto forget = TRY(
      Statement::prepare(connection, "DELETE FROM main.sqlite_sequence WHERE name = lower(?1)"));
  auto insert = TRY(Statement::prepare(
      connection, "INSERT INTO main.sqlite_sequence (name, seq) VALUES (lower(?1), ?2)"));
  for (const auto& [table, id] : ids) {
    TRY(forget.run(table));
    TRY(insert.run(table, id));
  }
  return {};
}

Result<void> execute_all(sqlite3* connection, std::initializer_list<const char*> steps) {
  for (const char* sql : steps) {
    TRY(execute(connection, sql));
  }
  return {};
}

// Keeps the ids that were ever given out, and what other programs put on the table (or on all of
// them), while the steps replace it.
Result<void> replace_tables(sqlite3* connection, std::string_view table,
                            std::initializer_list<const char*> steps) {
  const auto definitions = TRY(foreign_definitions(connection, table));
  const auto ids = TRY(last_ids(connection));
  TRY(execute_all(connection, steps));
  TRY(restore_last_ids(connection, ids));
  for (const std::string& sql : definitions) {
    TRY(execute(connection, sql.c_str()));
  }
  return {};
}

}  // namespace

Result<void> create_tables(sqlite3* connection) {
  return execute_all(connection, {kCreateSessions, kCreateMessagesAndCalls, kCreateWaitTables,
                                  kAddCovers, kAddQueuesAndEvents, kAddLabels, kCreateRecords,
                                  kAddTenantsAndPaces, kAddOwnersOfRecords, kAddWaitStates});
}

Result<void> upgrade_unversioned(sqlite3* connection) {
  return replace_tables(
      connection, "",
      {kSetRowsAside, kCreateSessions, kCreateMessagesAndCalls, kBringRowsBack, kTieMessagesToCalls,
       kCreateWaitTables, kAddCovers, kAddQueuesAndEvents, kAddLabels, kCreateRecords,
       kAddTenantsAndPaces, kAddOwnersOfRecords, kAddWaitStates});
}

Result<void> upgrade_from_version(sqlite3* connection, int version) {
  for (; version < kAgentSchemaVersion; ++version) {
    const char* upgrade = kUpgrades[static_cast<std::size_t>(version - 1)];
    TRY(execute(connection, upgrade));
    if (version + 1 == kFirstVersionWithWaits) {
      TRY(execute(connection, kCreateWaitTables));
    }
    if (version + 1 == kFirstVersionWithRecords) {
      TRY(execute(connection, kCreateRecords));
    }
    if (version + 1 == kFirstVersionWithTenants) {
      TRY(execute(connection, kAddTenantsAndPaces));
    }
    if (version + 1 == kFirstVersionWithOwnedRecords) {
      TRY(execute(connection, kAddOwnersOfRecords));
    }
    if (version + 1 != kFirstVersionWithQueues) continue;
    TRY(execute(connection, kAddQueuesAndEvents));
    TRY(replace_tables(connection, "agent_sessions",
                       {kSetSessionsAside, kCreateSessions, kBringSessionsBack}));
  }
  return {};
}

}  // namespace wright::store
