// Opening the store's own database file: its folder, its permissions, its pragmas. What is wrong
// with a path or a file is found out here, before anything has been written to it.
#pragma once

#include <filesystem>

#include "store/sqlite_names.h"
#include "wright/store.h"

namespace wright::store {

// A connection with the current schema, ready for one user at a time.
Result<Connection> open_database(const std::filesystem::path& path, const SqliteOptions& options);

// The same for whoever copies stores: it is opened though it is a copy that is not finished.
Result<Connection> open_for_copying(const std::filesystem::path& path);

// Whether the file is such a copy. None where there is no file, or no agent table in it.
Result<bool> is_unfinished_copy(const std::filesystem::path& path);

// Refuses (ErrorCode::invalid_argument) a file that has tables, none of which is an agent table. For
// those who keep nothing but sessions in a file.
Result<void> check_is_ours(const std::filesystem::path& path);

// Refuses (ErrorCode::storage) when the file that the connection opened is not at its path any
// more.
Result<void> check_file(sqlite3* connection);

// Another connection to the same file, which only reads. None (null) to a database in memory, or
// where the file is not at its path any more.
Result<Connection> open_for_reading(sqlite3* connection);

}  // namespace wright::store
