// From the rows of a statement to JSON that a model can read: bounded in rows and bytes, valid
// UTF-8 whatever the database holds.
#pragma once

#include "tools/sqlite/reader_connection.h"
#include "wright/json.h"

namespace wright::tools {

struct RowLimits {
  std::size_t rows = 100;
  std::size_t cell_bytes = 2'000;
};

// One value: a number, text, null; a BLOB as text (x'89504e47…' (20480 bytes)), like what JSON has
// no number for ("Infinity"). Text longer than `longest` bytes is cut and says so.
Json cell(const sqlite::Row& row, int column, std::size_t longest);

// {columns, rows, row_count, truncated}, and a note when something was left out. A row is an array
// in the order of the columns, since names may occur twice. `row_count` counts the rows shown.
Result<JsonObject> read_rows(ReadOnlyDatabase& database, sqlite3_stmt* statement,
                             const RowLimits& limits);

}  // namespace wright::tools
