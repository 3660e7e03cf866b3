#include "store/agent_schema.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/try.h"
#include "store/sqlite_names.h"
#include "wright/store.h"

namespace wright::store {

// The names, columns and indexes of the first three tables are known to other programs: columns are
// only ever added, behind those that are there. One of their indexes is gone: calls by session and
// status, which every change of a status wrote anew, and which found what the index by session
// finds nearly as fast. idx_agent_sessions_parent and idx_agent_tool_calls_message keep deleting a
// session from reading whole tables. What parent_call_id, forked_from and runner_id refer to may be
// gone, so they are no foreign keys. The indexes with a condition are small: they hold only what
// somebody must do something about.
const char* const kCreateSessions = R"sql(
CREATE TABLE main.agent_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_name TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    system_prompt TEXT,
    user_prompt TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'running'
        CHECK (status IN ('running', 'completed', 'failed', 'waiting', 'cancelled', 'queued')),
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    result TEXT,
    error TEXT,
    parent_session_id INTEGER,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cached_tokens INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL NOT NULL DEFAULT 0,
    iterations INTEGER NOT NULL DEFAULT 0,
    config TEXT,
    format_version INTEGER NOT NULL DEFAULT 1,
    parent_call_id INTEGER,
    forked_from INTEGER,
    runner_id INTEGER,
    lease_epoch INTEGER NOT NULL DEFAULT 0,
    feedback TEXT,
    context TEXT,
    error_code TEXT,
    limit_reached TEXT,
    worked_ms INTEGER,
    turn_worked_ms INTEGER,
    cancel_reason TEXT,
    priority INTEGER NOT NULL DEFAULT 0,
    ready_at INTEGER,
    FOREIGN KEY (parent_session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE
);
CREATE INDEX main.idx_agent_sessions_parent ON agent_sessions (parent_session_id);
CREATE INDEX main.idx_agent_sessions_running ON agent_sessions (runner_id)
    WHERE status = 'running';
CREATE INDEX main.idx_agent_sessions_cancel ON agent_sessions (id) WHERE cancel_reason IS NOT NULL;
)sql";

const char* const kCreateMessagesAndCalls = R"sql(
CREATE TABLE main.agent_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    parts TEXT,
    tool_call_id TEXT,
    FOREIGN KEY (session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE
);
CREATE TABLE main.agent_tool_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL,
    message_id INTEGER,
    tool_call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    request TEXT NOT NULL,
    response TEXT,
    status TEXT NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'executing', 'completed', 'failed', 'waiting', 'cancelled',
                          'unknown')),
    created_at INTEGER NOT NULL,
    completed_at INTEGER,
    execution_time_ms INTEGER,
    error_details TEXT,
    result TEXT,
    has_news INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY (session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE,
    FOREIGN KEY (message_id) REFERENCES agent_messages (id) ON DELETE SET NULL
);
CREATE INDEX main.idx_agent_messages_session_created ON agent_messages (session_id, created_at);
CREATE INDEX main.idx_agent_tool_calls_session ON agent_tool_calls (session_id);
CREATE INDEX main.idx_agent_tool_calls_message ON agent_tool_calls (message_id);
CREATE INDEX main.idx_agent_tool_calls_news ON agent_tool_calls (session_id) WHERE has_news = 1;
CREATE TABLE main.agent_schema (version INTEGER NOT NULL);
INSERT INTO main.agent_schema (version) VALUES (10);
)sql";
static_assert(kAgentSchemaVersion == 10, "kCreateMessagesAndCalls writes the version, too");

// A call waits for one thing at a time, which idx_agent_waits_open makes sure of.
const char* const kCreateWaitTables = R"sql(
CREATE TABLE main.agent_waits (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL,
    call_id INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('question', 'approval', 'result')),
    shown TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'open'
        CHECK (status IN ('open', 'answered', 'expired', 'cancelled')),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    answered_at INTEGER,
    answered_by TEXT,
    answer TEXT,
    FOREIGN KEY (session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE
);
CREATE TABLE main.agent_runners (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    expires_at INTEGER NOT NULL
);
CREATE INDEX main.idx_agent_waits_session ON agent_waits (session_id);
CREATE UNIQUE INDEX main.idx_agent_waits_open ON agent_waits (call_id) WHERE status = 'open';
)sql";

const char* const kAddCovers = "ALTER TABLE main.agent_waits ADD COLUMN covers TEXT";

const char* const kAddWaitStates = "ALTER TABLE main.agent_waits ADD COLUMN state TEXT";

const char* const kAddLabels = "ALTER TABLE main.agent_sessions ADD COLUMN labels TEXT";

// agent_lines remembers which agent of which tenant Claim served when, in the place of
// agent_queues: the numbers rise. Microseconds since 1970 in agent_paces; see permits.h.
const char* const kAddTenantsAndPaces = R"sql(
ALTER TABLE main.agent_sessions ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
CREATE INDEX main.idx_agent_sessions_lines
    ON agent_sessions (tenant, agent_name, priority DESC, id) WHERE status = 'queued';
CREATE TABLE main.agent_lines (
    tenant TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    served INTEGER NOT NULL,
    PRIMARY KEY (tenant, agent_name)
);
INSERT INTO main.agent_lines SELECT '', agent_name, served FROM main.agent_queues;
CREATE TABLE main.agent_paces (
    name TEXT NOT NULL PRIMARY KEY,
    requests_until INTEGER NOT NULL,
    tokens_until INTEGER NOT NULL,
    paused_until INTEGER NOT NULL
);
CREATE TABLE main.agent_slots (
    name TEXT NOT NULL,
    runner_id INTEGER NOT NULL,
    slots INTEGER NOT NULL,
    wanted INTEGER NOT NULL,
    PRIMARY KEY (name, runner_id)
);
)sql";

// agent_queues remembered which agent was served when, before there were tenants.
const char* const kAddQueuesAndEvents = R"sql(
CREATE INDEX main.idx_agent_waits_call ON agent_waits (call_id);
CREATE INDEX main.idx_agent_waits_due ON agent_waits (expires_at) WHERE status = 'open';
ALTER TABLE main.agent_runners ADD COLUMN boot_id TEXT;
ALTER TABLE main.agent_runners ADD COLUMN boot_expires_at INTEGER;
CREATE TABLE main.agent_queues (
    agent_name TEXT NOT NULL PRIMARY KEY,
    served INTEGER NOT NULL
);
CREATE TABLE main.agent_events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    at INTEGER NOT NULL,
    FOREIGN KEY (session_id) REFERENCES agent_sessions (id) ON DELETE CASCADE
);
CREATE INDEX main.idx_agent_events_session ON agent_events (session_id);
)sql";

const char* const kCreateRecords = R"sql(
CREATE TABLE main.agent_records (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    UNIQUE (kind, key)
);
CREATE INDEX main.idx_agent_records_due ON agent_records (kind, due_at);
)sql";

// Messages to sessions said in their key whose they are.
const char* const kAddOwnersOfRecords = R"sql(
ALTER TABLE main.agent_records
    ADD COLUMN session_id INTEGER REFERENCES agent_sessions (id) ON DELETE CASCADE;
CREATE INDEX main.idx_agent_records_session ON agent_records (session_id, kind)
    WHERE session_id IS NOT NULL;
UPDATE main.agent_records SET session_id = CAST(key AS INTEGER)
WHERE kind = 'said' AND CAST(key AS INTEGER) IN (SELECT id FROM main.agent_sessions);
)sql";

// They hold what is over, with all that figures need of it, so that what a running session writes
// all the time is in none of them. The sessions that are not over are few, and so are forks. No IN:
// SQLite would build the list anew for every row that is written.
const char* const kIndexFigures = R"sql(
CREATE INDEX IF NOT EXISTS main.idx_agent_sessions_figures ON agent_sessions (started_at, tenant,
    agent_name, provider, model, status, ended_at, worked_ms, limit_reached, input_tokens,
    output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens, cost_usd)
    WHERE ended_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.idx_agent_sessions_open ON agent_sessions (started_at)
    WHERE ended_at IS NULL;
CREATE INDEX IF NOT EXISTS main.idx_agent_tool_calls_figures ON agent_tool_calls (created_at,
    session_id, tool_name, status, execution_time_ms)
    WHERE status = 'completed' OR status = 'failed' OR status = 'unknown';
CREATE INDEX IF NOT EXISTS main.idx_agent_sessions_forks ON agent_sessions (forked_from,
    started_at, iterations, status) WHERE forked_from IS NOT NULL;
)sql";
constexpr std::size_t kIndexesOfFigures = 4;

namespace {

using Names = std::set<std::string, std::less<>>;

const std::array<Names, 3> kUnversionedColumns{
    Names{"id", "agent_name", "provider", "model", "system_prompt", "user_prompt", "status",
          "started_at", "ended_at", "result", "error"},
    Names{"id", "session_id", "role", "content", "created_at"},
    Names{"id", "session_id", "message_id", "tool_call_id", "tool_name", "request", "response",
          "status", "created_at", "completed_at", "execution_time_ms", "error_details"},
};

template <class... Values>
Result<Names> names_from(sqlite3* connection, std::string_view sql, const Values&... values) {
  auto statement = TRY(Statement::prepare(connection, sql));
  Names names;
  const auto read = statement.query(
      [&](const Row& row) -> Result<void> {
        names.insert(row.text(0));
        return {};
      },
      values...);
  TRY(read);
  return names;
}

constexpr std::string_view kSelectTaken =
    "SELECT lower(name) FROM main.sqlite_master WHERE lower(name) IN "
    "('agent_schema', 'agent_sessions', 'agent_messages', 'agent_tool_calls', "
    "'agent_waits', 'agent_runners', 'agent_queues', 'agent_events', "
    "'agent_records', 'agent_lines', 'agent_paces', 'agent_slots')";

// Those of our names that are taken, in lower case as SQLite compares them.
Result<Names> taken_names(sqlite3* connection) { return names_from(connection, kSelectTaken); }

Result<void> check_are_tables(sqlite3* connection) {
  const auto others =
      TRY(names_from(connection, fmt::format("{} AND type <> 'table'", kSelectTaken)));
  if (others.empty()) return {};
  return fail(ErrorCode::storage,
              fmt::format("{} has a view or an index {}, where a table of Wright's should be. "
                          "Restore it from a backup, or use another database",
                          name_of(connection), *others.begin()));
}

Error foreign_table(sqlite3* connection, std::string_view table) {
  return {ErrorCode::already_exists,
          fmt::format("{} has a table {} that is not one of Wright's. Rename that table, or use "
                      "another database",
                      name_of(connection), table),
          {}};
}

Error missing_table(sqlite3* connection, std::string_view table) {
  return {ErrorCode::storage,
          fmt::format("{} has some of the agent tables, but not {}. Restore it from a backup, or "
                      "drop the others",
                      name_of(connection), table),
          {}};
}

Result<SchemaState> versioned_state(sqlite3* connection) {
  auto statement = TRY(Statement::prepare(connection, "SELECT version FROM main.agent_schema"));
  std::vector<std::int64_t> versions;
  const auto read = statement.query([&](const Row& row) -> Result<void> {
    versions.push_back(row.integer(0));
    return {};
  });
  if (!read) return std::unexpected(read.error());
  if (versions.size() != 1 || versions.front() == 0 ||
      versions.front() == std::numeric_limits<std::int64_t>::min()) {
    return fail(ErrorCode::storage,
                fmt::format("{} has agent tables without a valid version", name_of(connection)));
  }
  const bool is_unfinished_copy = versions.front() < 0;
  const std::int64_t version = std::abs(versions.front());
  if (version > kAgentSchemaVersion) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} was written by a newer Wright: its schema has version {}, this "
                            "Wright knows versions up to {}. Use the newer Wright",
                            name_of(connection), version, kAgentSchemaVersion));
  }
  const auto indexes =
      TRY(names_from(connection,
                     "SELECT name FROM main.sqlite_master WHERE type = 'index' "
                     "AND name IN ('idx_agent_sessions_figures', 'idx_agent_sessions_forks', "
                     "'idx_agent_sessions_open', 'idx_agent_tool_calls_figures')"));
  return SchemaState{.kind = SchemaState::Kind::versioned,
                     .version = static_cast<int>(version),
                     .is_unfinished_copy = is_unfinished_copy,
                     .has_indexes_of_figures = indexes.size() == kIndexesOfFigures};
}

Result<SchemaState> unversioned_state(sqlite3* connection) {
  for (std::size_t i = 0; i < kAgentTables.size(); ++i) {
    const auto columns = TRY(names_from(
        connection, "SELECT lower(name) FROM pragma_table_info(?1, 'main')", kAgentTables[i]));
    if (columns != kUnversionedColumns[i]) {
      return std::unexpected(foreign_table(connection, kAgentTables[i]));
    }
  }
  return SchemaState{.kind = SchemaState::Kind::unversioned};
}

// Tables that came with a later version are there from that version on, and not before.
Result<SchemaState> with_later_tables_checked(sqlite3* connection, const Names& taken,
                                              Result<SchemaState> state) {
  if (!state) return state;
  for (const auto& [table, first_version] : kLaterTables) {
    const bool must_be_there =
        state->kind == SchemaState::Kind::versioned && state->version >= first_version;
    if (taken.contains(table) == must_be_there) continue;
    return std::unexpected(must_be_there ? missing_table(connection, table)
                                         : foreign_table(connection, table));
  }
  return state;
}

Result<SchemaState> read_state(sqlite3* connection) {
  const auto taken = TRY(taken_names(connection));
  if (taken.empty()) return SchemaState{};
  TRY(check_are_tables(connection));
  const bool has_any = std::ranges::any_of(
      kAgentTables, [&](std::string_view table) { return taken.contains(table); });
  if (!has_any) return std::unexpected(foreign_table(connection, *taken.begin()));
  for (const std::string_view table : kAgentTables) {
    if (!taken.contains(table)) return std::unexpected(missing_table(connection, table));
  }
  const bool has_version = taken.contains("agent_schema");
  return with_later_tables_checked(
      connection, taken, has_version ? versioned_state(connection) : unversioned_state(connection));
}

}  // namespace

Result<SchemaState> agent_schema_state(sqlite3* connection) {
  if (sqlite3_get_autocommit(connection) == 0) return read_state(connection);
  TRY(execute(connection, "BEGIN"));
  const RollbackGuard guard(connection);
  auto state = TRY(read_state(connection));
  TRY(execute(connection, "COMMIT"));
  return state;
}

Result<bool> has_agent_tables(sqlite3* connection) {
  const auto taken = TRY(taken_names(connection));
  return std::ranges::all_of(kAgentTables,
                             [&](std::string_view table) { return taken.contains(table); });
}

}  // namespace wright::store
