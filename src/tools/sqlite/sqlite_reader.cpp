// sqlite_reader: queries and reflection on databases that the program chose. The model names SQL,
// tables and, where there are several, one of the databases; never a file.
#include "wright/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/try.h"
#include "tools/other_names.h"
#include "tools/sqlite/reader_connection.h"
#include "tools/sqlite/reader_reflect.h"
#include "tools/sqlite/reader_rows.h"
#include "tools/sqlite/reader_suggestions.h"
#include "tools/tool_aliases.h"
#include "wright/schema.h"

namespace wright::tools {

enum class ReaderMode : std::uint8_t { query, reflect };
WRIGHT_ENUM(ReaderMode, query, reflect)

struct SqliteReaderArguments {
  std::optional<std::string> query;
  std::optional<int> limit;
  std::optional<ReaderMode> mode;
  std::optional<ReflectTarget> target;
  std::optional<std::string> table_name;
  std::optional<std::string> database;
};
WRIGHT_DESCRIBE(
    SqliteReaderArguments,
    WRIGHT_FIELD(query, "One SELECT statement of SQLite (WITH, VALUES and EXPLAIN work, too)")
        .min_length(1),
    WRIGHT_FIELD(limit, "How many rows to show at most").at_least(1).at_most(1000),
    WRIGHT_FIELD(mode, "query runs `query`; reflect tells what the database is made of"),
    WRIGHT_FIELD(target,
                 "With mode reflect: tables, schema (their SQL), table_info (the columns of "
                 "table_name), indexes, views, foreign_keys, or stats (rows of each table)"),
    WRIGHT_FIELD(table_name, "With mode reflect: limits the answer to this table").min_length(1),
    WRIGHT_FIELD(database, "Which database"))

namespace {

constexpr int kRowsShown = 100;  // unless the model says how many

const NamedDatabase* find_database(const SqliteReaderOptions& options,
                                   const std::optional<std::string>& name) {
  if (!name) return options.databases.size() == 1 ? &options.databases.front() : nullptr;
  const auto found = std::ranges::find(options.databases, *name, &NamedDatabase::name);
  return found == options.databases.end() ? nullptr : &*found;
}

std::unexpected<Error> no_database(const SqliteReaderOptions& options,
                                   const std::optional<std::string>& name) {
  if (options.databases.empty()) {
    return fail(ErrorCode::not_found,
                "No database was given to sqlite_reader; whoever starts it must name one");
  }
  std::vector<std::string_view> names;
  for (const NamedDatabase& each : options.databases) names.push_back(each.name);
  return fail(ErrorCode::not_found,
              fmt::format("{}; there is {}",
                          name ? fmt::format("There is no database '{}'", *name)
                               : std::string("Say which database"),
                          fmt::join(names, ", ")));
}

// Reads "x" as a name first. Where there is no such column, SQLite's way to take it for a text
// gives an answer that looks right, so it is given with a note.
struct Prepared {
  sqlite::StatementHandle statement;
  std::string note;
};

Result<Prepared> prepare(ReadOnlyDatabase& database, const std::string& sql) {
  using DoubleQuotes = ReadOnlyDatabase::DoubleQuotes;
  database.set_double_quotes(DoubleQuotes::names);
  auto strict = database.prepare(sql);
  database.set_double_quotes(DoubleQuotes::names_or_texts);
  if (strict) return Prepared{std::move(*strict), ""};
  constexpr std::string_view kNoColumn = "no such column: ";
  const std::string& told = strict.error().message;
  const std::size_t at = told.find(kNoColumn);
  if (at == std::string::npos) {
    return std::unexpected(with_suggestion(strict.error(), database, sql));
  }
  const std::string name = told.substr(at + kNoColumn.size());
  auto lenient = database.prepare(sql);
  if (!lenient) return std::unexpected(with_suggestion(lenient.error(), database, sql));
  return Prepared{
      std::move(*lenient),
      fmt::format("There is no column {0}, so \"{0}\" was read as a text; write texts in "
                  "single quotes",
                  name)};
}

Result<JsonObject> query(ReadOnlyDatabase& database, const SqliteReaderArguments& arguments) {
  auto prepared = TRY(prepare(database, *arguments.query));
  sqlite3_stmt* statement = prepared.statement.get();
  if (sqlite3_bind_parameter_count(statement) > 0) {
    const char* name = sqlite3_bind_parameter_name(statement, 1);
    return fail(ErrorCode::invalid_argument,
                fmt::format("The query has a parameter ({}) and nothing that gives it a value; "
                            "write the value itself",
                            name == nullptr ? "?" : name));
  }
  auto rows = read_rows(database, statement,
                        {.rows = static_cast<std::size_t>(arguments.limit.value_or(kRowsShown))});
  if (!rows || prepared.note.empty()) return rows;
  Json& note = (*rows)["note"];
  note = note.is_string() ? fmt::format("{}. {}", prepared.note, note.get_string().c_str())
                          : prepared.note;
  return rows;
}

Reflection reflection_in(const SqliteReaderArguments& arguments) {
  Reflection wanted{.target = *arguments.target, .table = arguments.table_name};
  if (arguments.limit) wanted.limit = static_cast<std::size_t>(*arguments.limit);
  return wanted;
}

Result<Json> read(const SqliteReaderOptions& options, const SqliteReaderArguments& arguments,
                  const std::stop_token& stop) {
  const bool reflects = arguments.mode ? *arguments.mode == ReaderMode::reflect
                                       : !arguments.query && arguments.target.has_value();
  if (!reflects && !arguments.query) {
    return fail(ErrorCode::invalid_argument,
                "Missing required parameter: query (or mode reflect with a target)");
  }
  if (reflects && !arguments.target) {
    return fail(ErrorCode::invalid_argument,
                "Missing required parameter: target (tables, schema, table_info, indexes, views, "
                "foreign_keys or stats)");
  }
  const NamedDatabase* chosen = find_database(options, arguments.database);
  if (chosen == nullptr) return no_database(options, arguments.database);
  const auto path = TRY(resolve_database(chosen->path, options.base));
  auto database = TRY(ReadOnlyDatabase::open(path, options, stop));
  auto found =
      TRY(reflects ? reflect(database, reflection_in(arguments)) : query(database, arguments));
  return found;
}

// The schema that the model sees: `database` only where there is a choice.
Json parameters_for(const SqliteReaderOptions& options) {
  Json schema = schema_of<SqliteReaderArguments>();
  JsonObject& properties = schema.as_object()["properties"].as_object();
  properties["limit"].as_object()["default"] = kRowsShown;
  if (options.databases.size() < 2) {
    properties.erase("database");
    return schema;
  }
  JsonArray names;
  for (const NamedDatabase& database : options.databases) names.emplace_back(database.name);
  properties["database"].as_object()["enum"] = std::move(names);
  schema.as_object()["required"] = JsonArray{"database"};
  return schema;
}

constexpr std::array kOtherReaderNames{OtherName{"sql", "query"}, OtherName{"table", "table_name"},
                                       OtherName{"max_rows", "limit"}};

// REFLECT and Tables are what they look like.
void rewrite(JsonObject& arguments) {
  rename_members(arguments, kOtherReaderNames);
  for (const char* choice : {"mode", "target"}) {
    Json* value = arguments.if_contains(choice);
    if (value == nullptr || !value->is_string()) continue;
    for (char& c : value->get_string()) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
  }
}

}  // namespace
}  // namespace wright::tools

namespace wright {

Result<Tool> sqlite_reader_tool(SqliteReaderOptions options) {
  std::set<std::string_view> names;
  for (const NamedDatabase& database : options.databases) {
    if (database.name.empty() || !is_valid_utf8(database.name)) {
      return fail(ErrorCode::invalid_argument,
                  "A database for sqlite_reader needs a name in UTF-8");
    }
    if (!names.insert(database.name).second) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("sqlite_reader was given two databases named '{}'", database.name));
    }
  }
  // The statement has its own deadline; this one is for what cannot be interrupted.
  const std::chrono::milliseconds timeout = options.deadline + std::chrono::seconds(10);
  ToolSpec spec{
      .name = "sqlite_reader",
      .description =
          "Reads a SQLite database: runs one SELECT, or with mode reflect tells its tables, "
          "columns "
          "and sizes. Changes nothing; other statements are refused. Rows come as arrays in the "
          "order of columns; long texts are cut, BLOBs shown by their first bytes.",
      .parameters = tools::parameters_for(options),
      .options = {.effect = Effect::read, .timeout = timeout},
      .aliases = tools::aliases_of("sqlite_reader")};
  auto reader = tool(
      std::move(spec),
      [options = std::move(options)](const Json& json, const Context& context) -> Result<Json> {
        auto arguments = TRY(decode<tools::SqliteReaderArguments>(json));
        return tools::read(options, arguments, context.stop);
      });
  if (!reader) return reader;
  reader->check = detail::check_of<tools::SqliteReaderArguments>();
  return tools::with_rewrite(std::move(*reader), tools::rewrite);
}

}  // namespace wright
