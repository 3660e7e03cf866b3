// What SQLite reports, as an Error that names the database and says what to do.
#pragma once

#include <string>

#include "wright/error.h"

struct sqlite3;

namespace wright::sqlite {

// "the database /path", or "the database in memory".
std::string name_of(sqlite3* connection);

// The error of the last call on `connection`.
Error last_error(sqlite3* connection);
// The error `sqlite_code` (primary or extended) of `connection`.
Error error_of(sqlite3* connection, int sqlite_code);

// The kind of error that a failed system call means.
ErrorCode code_of_errno(int system_error);

}  // namespace wright::sqlite
