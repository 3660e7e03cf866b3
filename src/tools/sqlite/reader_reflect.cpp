#include "tools/sqlite/reader_reflect.h"

#include <fmt/format.h>

#include <array>

#include "core/try.h"
#include "tools/output/output_budget.h"
#include "tools/sqlite/reader_rows.h"
#include "tools/sqlite/reader_suggestions.h"

namespace wright::tools {
namespace {

constexpr std::size_t kLongestSchemaText = 8'000;

struct TargetQuery {
  ReflectTarget target;
  const char* sql;  // ?1 is the table, or null for all
};

// SQLite's own tables are left out everywhere; nobody asks for sqlite_sequence.
constexpr auto kQueries = std::to_array<TargetQuery>({
    {ReflectTarget::tables,
     "SELECT name, type, ncol AS columns, wr AS without_rowid, strict FROM pragma_table_list "
     "WHERE schema = 'main' AND type IN ('table', 'virtual') AND substr(name, 1, 7) <> 'sqlite_' "
     "AND (?1 IS NULL OR name = ?1 COLLATE NOCASE) ORDER BY name"},
    {ReflectTarget::schema,
     "SELECT type, name, tbl_name AS table_name, sql FROM sqlite_schema "
     "WHERE substr(name, 1, 7) <> 'sqlite_' AND (?1 IS NULL OR tbl_name = ?1 COLLATE NOCASE) "
     "ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'view' THEN 2 WHEN 'index' THEN 3 ELSE 4 END, "
     "name"},
    {ReflectTarget::table_info,
     "SELECT name, type, \"notnull\" AS not_null, dflt_value AS default_value, pk AS primary_key, "
     "CASE hidden WHEN 0 THEN NULL WHEN 1 THEN 'hidden' WHEN 2 THEN 'virtual' ELSE 'stored' END "
     "AS generated FROM pragma_table_xinfo(?1) ORDER BY cid"},
    {ReflectTarget::indexes,
     "SELECT l.name AS name, m.name AS table_name, l.\"unique\" AS is_unique, l.origin AS origin, "
     "l.partial AS is_partial, (SELECT group_concat(coalesce(i.name, '(expression)'), ', ') FROM "
     "pragma_index_info(l.name) i) AS columns FROM sqlite_schema m, pragma_index_list(m.name) l "
     "WHERE m.type = 'table' AND (?1 IS NULL OR m.name = ?1 COLLATE NOCASE) "
     "ORDER BY m.name, l.name"},
    {ReflectTarget::views,
     "SELECT name, sql FROM sqlite_schema WHERE type = 'view' "
     "AND (?1 IS NULL OR name = ?1 COLLATE NOCASE) ORDER BY name"},
    {ReflectTarget::foreign_keys,
     "SELECT m.name AS table_name, f.\"from\" AS column_name, f.\"table\" AS references_table, "
     "f.\"to\" AS references_column, f.on_update AS on_update, f.on_delete AS on_delete "
     "FROM sqlite_schema m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table' "
     "AND (?1 IS NULL OR m.name = ?1 COLLATE NOCASE) ORDER BY m.name, f.id, f.seq"},
});

// Where PRAGMA table_list would make SQLite expand views that have no end.
constexpr const char* kTablesWithoutList =
    "SELECT name, CASE WHEN rootpage > 0 THEN 'table' ELSE 'virtual' END AS type, CASE WHEN "
    "rootpage > 0 THEN (SELECT count(*) FROM pragma_table_xinfo(m.name) WHERE hidden <> 1) END AS "
    "columns, NULL AS without_rowid, NULL AS strict FROM sqlite_schema m WHERE type = 'table' AND "
    "substr(name, 1, 7) <> 'sqlite_' "
    "AND (?1 IS NULL OR name = ?1 COLLATE NOCASE) ORDER BY name";
constexpr const char* kTableCountWithoutList =
    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'";

std::string_view name_of(ReflectTarget target) {
  for (const auto& [value, name] : wright_enumerators(Of<ReflectTarget>{})) {
    if (value == target) return name;
  }
  return "tables";
}

std::string quoted(std::string_view text, char quote) {
  std::string made(1, quote);
  for (const char c : text) made.append(c == quote ? 2 : 1, c);
  return made + quote;
}

Result<sqlite::StatementHandle> prepared(ReadOnlyDatabase& database, const char* sql,
                                         const std::optional<std::string>& table) {
  auto statement = database.prepare(sql);
  if (!statement || !table) return statement;
  sqlite::bind_copy(statement->get(), 1, *table);
  return statement;
}

// The first value of the first row; null when there is none.
Result<Json> value_of(ReadOnlyDatabase& database, const std::string& sql) {
  const auto statement = TRY(database.prepare(sql));
  const auto stepped = TRY(database.step(statement.get()));
  if (stepped == ReadOnlyDatabase::Stepped::done) return nullptr;
  return cell(sqlite::Row(statement.get()), 0, kLongestSchemaText);
}

struct Fact {
  const char* name;
  const char* sql;
};
constexpr auto kFacts = std::to_array<Fact>({
    {"page_size", "PRAGMA page_size"},
    {"page_count", "PRAGMA page_count"},
    {"free_pages", "PRAGMA freelist_count"},
    {"encoding", "PRAGMA encoding"},
    {"user_version", "PRAGMA user_version"},
    {"tables",
     "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', "
     "'virtual') "
     "AND substr(name, 1, 7) <> 'sqlite_'"},
    {"views", "SELECT count(*) FROM sqlite_schema WHERE type = 'view'"},
    {"indexes", "SELECT count(*) FROM sqlite_schema WHERE type = 'index'"},
    {"triggers", "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"},
});

// Whether there is such a table or view; nothing named is always there.
Result<bool> exists(ReadOnlyDatabase& database, const std::optional<std::string>& table) {
  if (!table) return true;
  const auto statement = TRY(
      prepared(database,
               "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ?1 COLLATE "
               "NOCASE UNION ALL SELECT 1 WHERE ?1 IN ('sqlite_schema', 'sqlite_master')",
               table));
  const auto stepped = TRY(database.step(statement.get()));
  return stepped == ReadOnlyDatabase::Stepped::row;
}

// PRAGMA table_list counts hidden columns, too, and none where it cannot load a virtual table.
void count_virtual_columns(ReadOnlyDatabase& database, JsonObject& tables) {
  for (Json& row : tables.at("rows").as_array()) {
    JsonArray& cells = row.as_array();
    if (cells.at(1) != "virtual") continue;
    const auto count = value_of(
        database, fmt::format("SELECT count(*) FROM pragma_table_xinfo({}) WHERE hidden <> 1",
                              quoted(cells.at(0).as_string(), '\'')));
    cells.at(2) = count ? *count : Json(nullptr);
  }
}

// Counts the rows of every table, as far as the time goes.
Result<JsonObject> stats(ReadOnlyDatabase& database, const Reflection& wanted) {
  JsonObject facts;
  for (const Fact& fact : kFacts) {
    const bool needs_list =
        std::string_view(fact.name) == "tables" && !database.endless_views().empty();
    auto value = TRY(value_of(database, needs_list ? kTableCountWithoutList : fact.sql));
    facts[fact.name] = std::move(value);
  }
  const Json& pages = facts["page_count"];
  const Json& page_size = facts["page_size"];
  if (pages.is_int64() && page_size.is_int64()) {
    facts["size_bytes"] = pages.get_int64() * page_size.get_int64();
  }
  auto tables = TRY(reflect(database, {ReflectTarget::tables, wanted.table, wanted.limit}));
  JsonArray rows;
  std::vector<std::string> problems;
  for (const Json& table : tables.at("rows").as_array()) {
    const Json& name = table.as_array().at(0);
    auto count = value_of(database, "SELECT count(*) FROM main." + quoted(name.as_string(), '"'));
    if (!count && count.error().code == ErrorCode::cancelled) {
      return std::unexpected(count.error());
    }
    if (!count && problems.size() < 3) {
      problems.push_back(
          fmt::format("{}: {}", std::string_view(name.as_string()), count.error().message));
    }
    rows.push_back(JsonArray{name, count ? std::move(*count) : Json(nullptr)});
  }
  JsonObject made{{"columns", JsonArray{"name", "row_count"}},
                  {"rows", std::move(rows)},
                  {"row_count", tables.at("row_count")},
                  {"truncated", tables.at("truncated")},
                  {"database", std::move(facts)}};
  if (!problems.empty()) {
    made["note"] = fmt::format("Not every table could be counted: {}", fmt::join(problems, "; "));
  }
  return made;
}

}  // namespace

Result<JsonObject> reflect(ReadOnlyDatabase& database, const Reflection& wanted) {
  if (wanted.target == ReflectTarget::table_info && !wanted.table) {
    return fail(ErrorCode::invalid_argument,
                "The target table_info needs table_name, the table or view to describe");
  }
  const auto is_there = TRY(exists(database, wanted.table));
  if (!is_there) return std::unexpected(unknown_table(database, *wanted.table));
  Result<JsonObject> found = [&]() -> Result<JsonObject> {
    for (const TargetQuery& row : kQueries) {
      if (row.target != wanted.target) continue;
      const bool needs_list =
          row.target == ReflectTarget::tables && !database.endless_views().empty();
      const auto statement =
          TRY(prepared(database, needs_list ? kTablesWithoutList : row.sql, wanted.table));
      return read_rows(database, statement.get(), {wanted.limit, kLongestSchemaText});
    }
    return stats(database, wanted);
  }();
  if (!found) return found;
  if (wanted.target == ReflectTarget::tables) count_virtual_columns(database, *found);
  if (const std::string endless = database.note_on_endless_views(); !endless.empty()) {
    const Json* before = found->if_contains("note");
    (*found)["note"] = before == nullptr
                           ? endless
                           : fmt::format("{}. {}", std::string_view(before->as_string()), endless);
  }
  (*found)["target"] = name_of(wanted.target);
  return found;
}

}  // namespace wright::tools
