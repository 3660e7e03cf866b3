// What to say to somebody who named a table or a column that is not there, or who wrote another
// database's SQL: what there is instead. Reads the schema and nothing else.
#pragma once

#include <string>
#include <vector>

#include "tools/sqlite/reader_connection.h"

namespace wright::tools {

// The names of tables and views.
std::vector<std::string> table_names(ReadOnlyDatabase& database);

// "There is no table or view 'x'; there is a, b"
Error unknown_table(ReadOnlyDatabase& database, const std::string& table);

// `error`, which SQLite gave for `sql`, with what helps to write it again.
Error with_suggestion(Error error, ReadOnlyDatabase& database, const std::string& sql);

}  // namespace wright::tools
