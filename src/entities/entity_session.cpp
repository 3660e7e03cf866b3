#include "entities/entity_session.h"

#include <fmt/format.h>

#include "core/iso_time.h"
#include "core/try.h"
#include "entities/sql_functions.h"
#include "tools/output/output_budget.h"
#include "tools/sqlite/reader_rows.h"

namespace wright::entities {
namespace {

constexpr std::size_t kLongestCell = 1'000;
constexpr std::size_t kFewMatches = 500;

struct Bind {
  sqlite3_stmt* statement;
  int index;

  int operator()(std::nullptr_t) const { return sqlite3_bind_null(statement, index); }
  int operator()(std::int64_t value) const { return sqlite3_bind_int64(statement, index, value); }
  int operator()(double value) const { return sqlite3_bind_double(statement, index, value); }
  int operator()(const std::string& value) const {
    return sqlite::bind_copy(statement, index, value);
  }
};

}  // namespace

Result<tools::ReadOnlyDatabase> EntitySession::connect(const std::string& path,
                                                       const SqliteReaderOptions& options,
                                                       const std::stop_token& stop) {
  auto database = TRY(tools::ReadOnlyDatabase::open(path, options, stop));
  if (install_entity_functions(database.handle()) != SQLITE_OK) {
    return fail(ErrorCode::internal, "SQLite refused a function that queries need");
  }
  return database;
}

Result<void> EntitySession::query(const Sql& sql,
                                  const std::function<Result<void>(const sqlite::Row&)>& on_row) {
  const auto statement = TRY(database_.prepare(sql.text));
  for (std::size_t i = 0; i < sql.values.size(); ++i) {
    const int code = std::visit(Bind{statement.get(), static_cast<int>(i + 1)}, sql.values[i]);
    if (code != SQLITE_OK) {
      return fail(ErrorCode::limit_reached,
                  fmt::format("SQLite refused a value: {}", sqlite3_errstr(code)));
    }
  }
  return database_.for_each_row(statement.get(), on_row);
}

Result<std::int64_t> EntitySession::count(const EntityFilter& filter) {
  std::int64_t number = 0;
  const auto tally = filter.tally();
  Sql sql{tally ? "SELECT coalesce(sum(entities), 0) " : "SELECT count(*) "};
  TRY(query(sql.add(tally ? *tally : filter.sql()), [&](const sqlite::Row& row) -> Result<void> {
    number = row.integer(0);
    return {};
  }));
  return number;
}

std::string EntitySession::columns_of(const EntityType& type) {
  std::string text;
  for (const EntityField& field : type.fields) {
    if (!field.is_shown) continue;
    if (!text.empty()) text += ", ";
    text += field.sql;
  }
  return text.empty() ? "1" : text;
}

JsonObject EntitySession::entity(const EntityType& type, const sqlite::Row& row, int first) const {
  JsonObject made;
  int column = first;
  for (const EntityField& field : type.fields) {
    if (!field.is_shown) continue;
    Json value = tools::cell(row, column++, kLongestCell);
    // Times of the own index are numbers that nobody can read.
    if (field.kind == FieldKind::datetime && field.is_indexed && value.is_int64()) {
      value = IsoTime(value.get_int64()).text();
    }
    if (value.is_null() && schema_.nulls == Nulls::left_out) continue;
    made[field.name] = std::move(value);
  }
  return made;
}

Result<std::optional<std::vector<std::int64_t>>> EntitySession::few_matches(
    const EntityFilter& filter) {
  std::vector<std::int64_t> rows;
  bool has_others = false;  // rows that no number tells
  Sql sql{fmt::format("SELECT {} ", filter.type().row)};
  sql.add(filter.sql()).add(" LIMIT ").value(static_cast<std::int64_t>(kFewMatches + 1));
  TRY(query(sql, [&](const sqlite::Row& row) -> Result<void> {
    has_others = has_others || !row.is_integer(0);
    rows.push_back(row.integer(0));
    return {};
  }));
  if (has_others || rows.size() > kFewMatches) return std::nullopt;
  return rows;
}

Result<JsonObject> EntitySession::entities(const EntityFilter& filter, const Selection& selection) {
  const EntityType& type = filter.type();
  // A slow condition is looked at once, not once for the number and once for the first few.
  std::optional<std::vector<std::int64_t>> matches;
  if (filter.is_slow() && !type.row.empty()) {
    matches = TRY(few_matches(filter));
  }
  const auto total = TRY(matches ? Result<std::int64_t>(std::ssize(*matches)) : count(filter));
  Sql order;
  if (selection.order || !type.tie_order.empty()) order.add(" ORDER BY ");
  if (selection.order) order.add(*selection.order);
  if (selection.order && !type.tie_order.empty()) order.add(", ");
  order.add(type.tie_order);
  const auto limit = static_cast<std::int64_t>(selection.limit);
  Sql sql{fmt::format("SELECT {} ", columns_of(type))};
  if (type.row.empty()) {
    sql.add(filter.sql());
  } else {
    // Fields are computed for the chosen rows only, not for all that are sorted.
    Sql chosen;
    for (const std::int64_t row : matches.value_or(std::vector<std::int64_t>())) {
      chosen.add(chosen.text.empty() ? "" : ", ").value(row);
    }
    for (const Sql& piece : matches ? std::vector<Sql>() : filter.pieces()) {
      if (!chosen.text.empty()) chosen.add(" UNION ALL ");
      chosen.add(fmt::format("SELECT * FROM (SELECT {} ", type.row)).add(piece).add(order);
      chosen.add(" LIMIT ").value(limit).add(")");
    }
    sql.add(fmt::format("FROM {} WHERE {} IN (", type.table, type.row)).add(chosen).add(")");
  }
  sql.add(order).add(" LIMIT ").value(limit);
  JsonArray found;
  tools::OutputBudget budget;
  std::size_t left_out = 0;
  auto done = query(sql, [&](const sqlite::Row& row) -> Result<void> {
    JsonObject made = entity(type, row);
    if (budget.take(to_text(made).size() + 2)) {
      found.push_back(std::move(made));
    } else {
      ++left_out;
    }
    return {};
  });
  TRY(done);
  JsonObject answer{
      {"entity_type", type.name}, {"entities", std::move(found)}, {"count", 0},
      {"total", total},           {"truncated", false},           {"limit", selection.limit}};
  const auto shown = static_cast<std::int64_t>(answer["entities"].get_array().size());
  answer["count"] = shown;
  answer["truncated"] = shown < total;
  if (left_out > 0) {
    answer["note"] = fmt::format(
        "{} entities were left out to keep the answer readable; narrow the search", left_out);
  }
  return answer;
}

}  // namespace wright::entities
