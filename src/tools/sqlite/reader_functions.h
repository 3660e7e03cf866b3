// SQL functions of SQLite that can take hours in one step, which nothing can interrupt. They are
// replaced by ones that look at the guard and at their arguments first and then ask SQLite's own.
#pragma once

#include <sqlite3.h>

namespace wright::tools {

class SqliteGuard;

// `longest` is what SQLITE_LIMIT_LENGTH of the connection is; `guard` must outlive the connection.
// Returns SQLite's code.
int install_bounded_functions(sqlite3* database, int longest, SqliteGuard& guard);

}  // namespace wright::tools
