// sqlite_reader: queries and reflection on databases that the program chose. The model names SQL,
// tables and, where there are several, one of the databases; never a file.
#include "wright/sqlite_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/nearest.h"
#include "tools/sqlite_reader_connection.h"
#include "tools/sqlite_reader_reflect.h"
#include "tools/sqlite_reader_rows.h"
#include "wright/describe.h"

namespace wright::tools {

enum class ReaderMode : std::uint8_t { query, reflect };
WRIGHT_ENUM(ReaderMode, query, reflect)

struct SqliteReaderArguments {
  std::optional<std::string> query;
  int limit = 100;
  std::optional<ReaderMode> mode;
  std::optional<ReflectTarget> target;
  std::optional<std::string> table_name;
  std::optional<std::string> database;
};
WRIGHT_DESCRIBE(
    SqliteReaderArguments,
    WRIGHT_FIELD(query, "One SELECT statement of SQLite (WITH, VALUES and EXPLAIN work, too)")
        .min_length(1),
    WRIGHT_FIELD(limit, "How many rows to show at most").at_least(1).at_most(1000).with_default(),
    WRIGHT_FIELD(mode, "query runs `query`; reflect tells what the database is made of"),
    WRIGHT_FIELD(target,
                 "With mode reflect: tables, schema (their SQL), table_info (the columns of "
                 "table_name), indexes, views, foreign_keys, or stats (rows of each table)"),
    WRIGHT_FIELD(table_name, "With mode reflect: limits the answer to this table").min_length(1),
    WRIGHT_FIELD(database, "Which database"))

namespace {

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

// "no such table: userz" tells a model little about what there is.
Error with_suggestion(Error error, ReadOnlyDatabase& database) {
  constexpr std::string_view kNoTable = "no such table: ";
  const std::size_t at = error.message.find(kNoTable);
  if (at == std::string::npos) return error;
  const std::string typed = error.message.substr(at + kNoTable.size());
  const std::vector<std::string> names = table_names(database);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  std::string suggestion = did_you_mean(typed, candidates);
  if (suggestion.empty() && !names.empty()) {
    constexpr std::size_t kMost = 20;
    suggestion = fmt::format(
        "; there is {}{}",
        fmt::join(names.begin(),
                  names.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, names.size())), ", "),
        names.size() > kMost ? ", …" : "");
  }
  error.message += suggestion;
  return error;
}

Result<JsonObject> query(ReadOnlyDatabase& database, const SqliteReaderArguments& arguments) {
  const auto statement = database.prepare(*arguments.query);
  if (!statement) return std::unexpected(with_suggestion(statement.error(), database));
  return read_rows(database, statement->get(), {.rows = static_cast<std::size_t>(arguments.limit)});
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
  const auto path = resolve_database(chosen->path, options.base);
  if (!path) return std::unexpected(path.error());
  auto database = ReadOnlyDatabase::open(*path, options, stop);
  if (!database) return std::unexpected(std::move(database).error());
  auto found = reflects ? reflect(*database, {*arguments.target, arguments.table_name})
                        : query(*database, arguments);
  if (!found) return std::unexpected(std::move(found).error());
  return std::move(*found);
}

// The schema that the model sees: `database` only where there is a choice.
Json parameters_for(const SqliteReaderOptions& options) {
  Json schema = schema_of<SqliteReaderArguments>();
  JsonObject& properties = schema.as_object()["properties"].as_object();
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
      .options = {.effect = Effect::read, .timeout = timeout, .provides = {.validation = true}},
      .aliases = {"sqlite3_reader"}};
  return tool(std::move(spec),
              [options = std::move(options)](const Json& json, Context& context) -> Result<Json> {
                auto arguments = decode<tools::SqliteReaderArguments>(json);
                if (!arguments) return std::unexpected(std::move(arguments).error());
                return tools::read(options, *arguments, context.stop);
              });
}

}  // namespace wright
