// Wright's tables inside a SQLite database that belongs to another program.
#pragma once

#include "wright/error.h"

struct sqlite3;

namespace wright {

// The schema version that this Wright writes.
inline constexpr int kAgentSchemaVersion = 6;

// Creates the agent tables, or brings older ones up to date, in one transaction. The connection
// stays the caller's: user_version and all other tables are left alone; foreign keys are switched
// on for it. A schema written by a newer Wright is refused, and nothing is changed.
Result<void> run_agent_migrations(sqlite3* connection);

// Whether the agent tables are there, in any version.
Result<bool> has_agent_schema(sqlite3* connection);

}  // namespace wright
