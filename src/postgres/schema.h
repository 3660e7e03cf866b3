// The agent tables in a schema of their own, by version. Names and columns are those of SQLite.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "postgres/connection.h"
#include "wright/error.h"

namespace wright::postgres {

// One step of the tables' history. Steps only ever add, so that programs of earlier versions go on
// working beside: `oldest` is the first version whose programs still can.
struct Migration {
  int version = 0;
  int oldest = 0;
  std::string_view sql;  // statements, each ended by ";\n"; '@' stands for the schema
};
std::span<const Migration> migrations();

// Refuses names that would need quotes: letters, digits and '_', not beginning with a digit.
Result<void> check_schema_name(std::string_view name);

// `sql` with the schema's name in place of each '@'.
std::string in_schema(std::string_view sql, std::string_view schema);

// Whether there are any.
Result<bool> has_tables(Connection& connection, std::string_view schema);

// Whether they are a copy that is not finished (store/unfinished_copy.h). Refuses one that was
// begun with tables of another version than this Wright's.
Result<bool> is_unfinished_copy(Connection& connection, std::string_view schema);

// Brings the schema to the version of the last of `steps`, each in a transaction of its own, one
// process at a time. Leaves tables alone that a newer Wright has brought further, where this one
// can still use them. Refuses a copy that is not finished.
Result<void> migrate(Connection& connection, std::string_view schema,
                     std::span<const Migration> steps);

// What names the locks of one schema among those of the whole database.
inline constexpr int kLockClass = 0x57524947;
int lock_of(std::string_view schema, std::string_view purpose);

}  // namespace wright::postgres
