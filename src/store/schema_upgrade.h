// From no or older agent tables to those of this version: from the three tables as they were before
// they carried a version (no parent, no usage, fewer statuses, times in seconds), and from each
// version to the next.
#pragma once

#include "wright/error.h"

struct sqlite3;

namespace wright::store {

// All tables, as they are in this version. Within the caller's write transaction.
Result<void> create_tables(sqlite3* connection);

// Replaces the tables, keeping every row, its id, and the indexes and triggers that other programs
// put on them. The caller has a write transaction open and foreign keys switched off.
Result<void> upgrade_unversioned(sqlite3* connection);

// Likewise.
Result<void> upgrade_from_version(sqlite3* connection, int version);

}  // namespace wright::store
