// sqlite_reader: lets a model look into SQLite databases that the program chose, and change
// nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "wright/tool.h"

namespace wright {

// A database file under the name by which a model may choose it.
struct NamedDatabase {
  std::string name = "main";
  std::filesystem::path path = {};
};

enum class DatabaseSharing : std::uint8_t {
  locked,     // others may write meanwhile: take read locks and read their write-ahead log
  immutable,  // nobody writes: no locks, no side files, also on a read-only file system
};

struct SqliteReaderOptions {
  // With one, the model is not asked which. With none, every call fails and says why.
  std::vector<NamedDatabase> databases = {};
  // When set, relative paths start here, and no database outside of it is opened, whatever its path
  // looks like and whatever links to where.
  std::filesystem::path base = {};
  DatabaseSharing sharing = DatabaseSharing::locked;
  std::chrono::milliseconds deadline{10'000};          // of one call
  std::size_t memory_limit = std::size_t{256} << 20U;  // bytes that one query may need to think
};

// The tool `sqlite_reader`. Files are opened again for each call, so they need not exist yet.
// Refused when two databases have one name, or one has none.
Result<Tool> sqlite_reader_tool(SqliteReaderOptions options);

}  // namespace wright
