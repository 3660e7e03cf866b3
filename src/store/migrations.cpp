// Brings the agent tables of any SQLite connection to this version, in one transaction.
#include "wright/store.h"

#include <sqlite3.h>

#include "core/try.h"
#include "store/agent_schema.h"
#include "store/schema_upgrade.h"
#include "store/sqlite_names.h"
#include "store/unfinished_copy.h"

namespace wright {
namespace {

using store::execute;
using store::RollbackGuard;
using store::SchemaState;

// Fails for a copy that is not finished: nobody works with it.
Result<SchemaState> whole_state(sqlite3* connection) {
  const auto state = TRY(store::agent_schema_state(connection));
  if (!state.is_unfinished_copy) return state;
  return std::unexpected(store::unfinished_copy(store::name_of(connection)));
}

bool is_current(const SchemaState& state) {
  return state.kind == SchemaState::Kind::versioned && state.version == kAgentSchemaVersion &&
         state.has_indexes_of_figures;
}

Result<bool> foreign_keys_are_on(sqlite3* connection) {
  int is_on = 0;
  if (sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_FKEY, -1, &is_on) != SQLITE_OK) {
    return std::unexpected(store::last_error(connection));
  }
  return is_on == 1;
}

Result<void> turn_foreign_keys_on(sqlite3* connection) {
  TRY(execute(connection, "PRAGMA foreign_keys = ON"));
  const auto is_on = TRY(foreign_keys_are_on(connection));
  if (is_on) return {};
  return fail(ErrorCode::unsupported, "This build of SQLite cannot enforce foreign keys");
}

Result<void> create_or_upgrade(sqlite3* connection) {
  TRY(execute(connection, "BEGIN IMMEDIATE"));
  const RollbackGuard guard(connection);
  // Another process may have been faster, so only what is seen inside the transaction counts.
  const auto state = TRY(whole_state(connection));
  Result<void> done;
  switch (state.kind) {
    case SchemaState::Kind::none: done = store::create_tables(connection); break;
    case SchemaState::Kind::unversioned: done = store::upgrade_unversioned(connection); break;
    case SchemaState::Kind::versioned:
      done = store::upgrade_from_version(connection, state.version);
      break;
  }
  if (!done) return done;
  TRY(execute(connection, store::kIndexFigures));
  return execute(connection, "COMMIT");
}

// Foreign keys must be off while tables are replaced: dropping one would delete what refers to it.
Result<void> migrate_without_foreign_keys(sqlite3* connection) {
  const auto were_on = TRY(foreign_keys_are_on(connection));
  TRY(execute(connection, "PRAGMA foreign_keys = OFF"));
  auto migrated = create_or_upgrade(connection);
  if (!migrated && were_on) {
    TRY(execute(connection, "PRAGMA foreign_keys = ON"));
  }
  return migrated;
}

}  // namespace

Result<void> run_agent_migrations(sqlite3* connection) {
  if (connection == nullptr) {
    return fail(ErrorCode::invalid_argument, "The SQLite connection is null");
  }
  if (sqlite3_get_autocommit(connection) == 0) {
    return fail(ErrorCode::invalid_argument,
                "The connection is inside a transaction, where SQLite cannot switch foreign keys "
                "on; commit it or roll it back first");
  }
  const auto state = TRY(whole_state(connection));
  if (!is_current(state)) {
    TRY(migrate_without_foreign_keys(connection));
  }
  return turn_foreign_keys_on(connection);
}

Result<bool> has_agent_schema(sqlite3* connection) {
  if (connection == nullptr) {
    return fail(ErrorCode::invalid_argument, "The SQLite connection is null");
  }
  return store::has_agent_tables(connection);
}

}  // namespace wright
