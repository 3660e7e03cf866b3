// What a database is made of: the answers of sqlite_reader's reflect mode.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/sqlite/reader_connection.h"
#include "wright/json.h"
#include "wright/schema.h"

namespace wright::tools {

enum class ReflectTarget : std::uint8_t {
  tables,
  schema,
  table_info,
  indexes,
  views,
  foreign_keys,
  stats,
};
WRIGHT_ENUM(ReflectTarget, tables, schema, table_info, indexes, views, foreign_keys, stats)

struct Reflection {
  ReflectTarget target = ReflectTarget::tables;
  std::optional<std::string> table = {};  // what the answer is limited to
  std::size_t limit = 1000;
};

// The shape of read_rows(), with the target; `stats` adds facts about the file. table_info needs a
// table; an unknown one is refused, with those that there are.
Result<JsonObject> reflect(ReadOnlyDatabase& database, const Reflection& wanted);

}  // namespace wright::tools
