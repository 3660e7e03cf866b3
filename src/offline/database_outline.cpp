#include "offline/database_outline.h"

#include <fmt/format.h>

#include <algorithm>

#include "offline/markdown.h"
#include "offline/wording.h"

namespace wright::offline {

// Not the columns of views and virtual tables: one that is broken, or whose module is not there,
// would spoil the whole answer. Virtual tables have no pages.
const std::string_view kColumnsQuery =
    "SELECT m.name, m.type, c.name, c.type, c.pk, c.cid FROM sqlite_schema m, "
    "pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND m.rootpage > 0 "
    "AND substr(m.name, 1, 7) <> 'sqlite_' "
    "UNION ALL SELECT name, type, NULL, NULL, NULL, NULL FROM sqlite_schema WHERE type = 'view' "
    "OR (type = 'table' AND rootpage = 0) ORDER BY 1, 6";

namespace {

const JsonArray* rows_of(const Json& answer) {
  const JsonObject* object = answer.if_object();
  const Json* rows = object == nullptr ? nullptr : object->if_contains("rows");
  return rows == nullptr ? nullptr : rows->if_array();
}

const Json* cell_at(const Json& row, std::size_t index) {
  const JsonArray* cells = row.if_array();
  return cells == nullptr || index >= cells->size() ? nullptr : &(*cells)[index];
}

std::string text_at(const Json& row, std::size_t index) {
  const Json* cell = cell_at(row, index);
  if (cell == nullptr || !cell->is_string()) return {};
  return std::string(std::string_view(cell->get_string()));
}

std::optional<std::int64_t> integer_at(const Json& row, std::size_t index) {
  const Json* cell = cell_at(row, index);
  if (cell == nullptr || !cell->is_int64()) return std::nullopt;
  return cell->get_int64();
}

bool is_true(const Json& answer, std::string_view key) {
  const JsonObject* object = answer.if_object();
  const Json* value = object == nullptr ? nullptr : object->if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::string table_cell(const Json& value) {
  constexpr std::size_t kLongest = 60;
  std::string text = value.is_null()     ? "NULL"
                     : value.is_string() ? shortened(value.get_string(), kLongest)
                                         : to_text(value);
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

}  // namespace

DatabaseOutline read_outline(const Json& columns, const Json& stats, const Json& keys) {
  DatabaseOutline outline;
  outline.is_truncated =
      wright::offline::is_truncated(columns) || wright::offline::is_truncated(stats);
  if (const JsonArray* rows = rows_of(columns)) {
    for (const Json& row : *rows) {
      const std::string name = text_at(row, 0);
      if (name.empty()) continue;
      if (outline.tables.empty() || outline.tables.back().name != name) {
        outline.tables.push_back({.name = name, .is_view = text_at(row, 1) == "view"});
      }
      if (text_at(row, 2).empty() && !integer_at(row, 5)) continue;  // a view or a virtual table
      outline.tables.back().columns.push_back(
          {text_at(row, 2), text_at(row, 3), integer_at(row, 4).value_or(0) > 0, name});
    }
  }
  if (const JsonArray* rows = rows_of(keys)) {
    for (const Json& row : *rows) {
      ForeignKey key{text_at(row, 0), text_at(row, 1), text_at(row, 2), text_at(row, 3)};
      const auto other = std::ranges::find_if(outline.tables, [&](const DatabaseTable& table) {
        return lower(table.name) == lower(key.other_table);
      });
      if (other == outline.tables.end()) continue;
      key.other_table = other->name;
      // Without a column, the key of the other table is meant.
      const auto primary = std::ranges::find(other->columns, true, &DatabaseColumn::is_key);
      if (key.other_column.empty() && primary != other->columns.end())
        key.other_column = primary->name;
      if (!key.other_column.empty()) outline.keys.push_back(std::move(key));
    }
  }
  std::size_t known = 0;
  if (const JsonArray* rows = rows_of(stats)) {
    for (const Json& row : *rows) {
      const std::string name = text_at(row, 0);
      auto table = std::ranges::find(outline.tables, name, &DatabaseTable::name);
      if (table == outline.tables.end()) {
        outline.tables.push_back({.name = name});
        table = outline.tables.end() - 1;
      }
      table->rows = integer_at(row, 1);
      ++known;
    }
    // The parts of full-text indexes are tables that stats does not count; nobody asks for them.
    if (known > 0) {
      std::erase_if(outline.tables, [&](const DatabaseTable& table) {
        return !table.is_view && std::ranges::none_of(*rows, [&](const Json& row) {
          return text_at(row, 0) == table.name;
        });
      });
    }
  }
  const JsonObject* object = stats.if_object();
  const Json* facts = object == nullptr ? nullptr : object->if_contains("database");
  const JsonObject* known_facts = facts == nullptr ? nullptr : facts->if_object();
  const Json* size = known_facts == nullptr ? nullptr : known_facts->if_contains("size_bytes");
  if (size != nullptr && size->is_int64()) outline.size_bytes = size->get_int64();
  return outline;
}

std::string quoted_name(std::string_view name) {
  std::string made = "\"";
  for (const char c : name) made += c == '"' ? std::string("\"\"") : std::string(1, c);
  return made + '"';
}

void read_columns(DatabaseOutline& outline, std::string_view table, const Json& info) {
  const auto found = std::ranges::find(outline.tables, table, &DatabaseTable::name);
  const JsonArray* rows = rows_of(info);
  if (found == outline.tables.end() || rows == nullptr) return;
  found->columns.clear();
  for (const Json& row : *rows) {
    if (text_at(row, 5) == "hidden") continue;
    found->columns.push_back(
        {text_at(row, 0), text_at(row, 1), integer_at(row, 4).value_or(0) > 0, found->name});
  }
}

bool has_rows(const Json& answer) {
  const JsonArray* rows = rows_of(answer);
  return rows != nullptr && !rows->empty();
}

bool is_truncated(const Json& answer) {
  return is_true(answer, "truncated");
}

std::vector<std::array<std::string, 3>> texts_of(const Json& answer) {
  std::vector<std::array<std::string, 3>> texts;
  if (!has_rows(answer)) return texts;
  for (const Json& row : *rows_of(answer))
    texts.push_back({text_at(row, 0), text_at(row, 1), text_at(row, 2)});
  return texts;
}

std::string markdown_table(const Json& answer, std::size_t most) {
  const JsonObject* object = answer.if_object();
  const Json* columns = object == nullptr ? nullptr : object->if_contains("columns");
  const JsonArray* rows = rows_of(answer);
  if (columns == nullptr || !columns->is_array() || rows == nullptr) return {};
  std::string text = "|";
  std::string rule = "|";
  for (const Json& column : columns->get_array()) {
    text += fmt::format(" {} |", table_cell(column));
    rule += "---|";
  }
  text += '\n' + rule;
  for (std::size_t i = 0; i < std::min(rows->size(), most); ++i) {
    const JsonArray* cells = (*rows)[i].if_array();
    if (cells == nullptr) continue;
    text += "\n|";
    for (const Json& value : *cells) text += fmt::format(" {} |", table_cell(value));
  }
  if (rows->size() > most) text += fmt::format("\n\n({} more rows)", rows->size() - most);
  return text;
}

}  // namespace wright::offline
