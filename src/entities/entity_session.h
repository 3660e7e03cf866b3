// One call's view of a source of entities: a read-only connection with a schema. It cannot write,
// and every query has a deadline.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "entities/entity_filter.h"
#include "entities/entity_schema.h"
#include "sqlite/statement.h"
#include "tools/sqlite/reader_connection.h"

namespace wright::entities {

enum class Direction : std::uint8_t { ASC, DESC };
WRIGHT_ENUM(Direction, ASC, DESC)

// What a query gives beside the entities that match.
struct Selection {
  std::optional<Sql> order = {};  // before the type's own order
  std::size_t limit = 10;
};

class EntitySession {
 public:
  EntitySession(tools::ReadOnlyDatabase database, EntitySchema schema)
      : database_(std::move(database)), schema_(std::move(schema)) {}
  // The same connection with another schema.
  EntitySession(EntitySession session, EntitySchema schema)
      : database_(std::move(session.database_)), schema_(std::move(schema)) {}

  // A connection to the file with the functions that filters need.
  static Result<tools::ReadOnlyDatabase> connect(const std::string& path,
                                                 const SqliteReaderOptions& options,
                                                 const std::stop_token& stop);

  const EntitySchema& schema() const { return schema_; }
  const tools::ReadOnlyDatabase& database() const { return database_; }

  // {entity_type, entities, count, total, truncated, limit}, and a note where something was left
  // out.
  Result<JsonObject> entities(const EntityFilter& filter, const Selection& selection);

  // One entity, its fields from column `first` of the row on.
  JsonObject entity(const EntityType& type, const sqlite::Row& row, int first = 0) const;
  // "a, b AS c": the fields of entity().
  static std::string columns_of(const EntityType& type);

  // Runs a query and calls `on_row` for each row.
  Result<void> query(const Sql& sql, const std::function<Result<void>(const sqlite::Row&)>& on_row);
  Result<std::int64_t> count(const EntityFilter& filter);
  sqlite3* handle() { return database_.handle(); }

 private:
  // The rows that match, in no order; nothing when they are many.
  Result<std::optional<std::vector<std::int64_t>>> few_matches(const EntityFilter& filter);

  tools::ReadOnlyDatabase database_;
  EntitySchema schema_;
};

}  // namespace wright::entities
