// Opening the store's own database file: its folder, its permissions, its pragmas. What is wrong
// with a path or a file is found out here, before anything has been written to it.
#pragma once

#include <filesystem>
#include <memory>

#include "wright/store.h"

struct sqlite3;

namespace wright::store {

struct CloseConnection {
  void operator()(sqlite3* connection) const;
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

// A connection with the current schema, ready for one user at a time.
Result<Connection> open_database(const std::filesystem::path& path, const SqliteOptions& options);

// Refuses (ErrorCode::storage) when the file that the connection opened is not at its path any
// more.
Result<void> check_file(sqlite3* connection);

}  // namespace wright::store
