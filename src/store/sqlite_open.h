// Opening the store's own database file: its folder, its permissions, its pragmas. What is wrong
// with a path or a file is found out here, before anything has been written to it.
#pragma once

#include <filesystem>

#include "store/sqlite_names.h"
#include "wright/store.h"

namespace wright::store {

// A connection with the current schema, ready for one user at a time.
Result<Connection> open_database(const std::filesystem::path& path, const SqliteOptions& options);

}  // namespace wright::store
