// The one upgrade there is: from the three tables as they were before they carried a version (no
// parent, no usage, fewer statuses, times in seconds) to the first version.
#pragma once

#include "wright/error.h"

struct sqlite3;

namespace wright::store {

// Replaces the tables, keeping every row, its id, and the indexes and triggers that other programs
// put on them. The caller has a write transaction open and foreign keys switched off.
Result<void> upgrade_unversioned(sqlite3* connection);

}  // namespace wright::store
