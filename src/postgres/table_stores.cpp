// The tables of SQLite and of PostgreSQL, for table_copy.h.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <utility>

#include "core/try.h"
#include "postgres/connection.h"
#include "postgres/errors.h"
#include "postgres/schema.h"
#include "postgres/table_copy.h"
#include "store/sqlite_open.h"

namespace wright::postgres {
namespace {

std::string joined(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

// The version stays what it is, apart from its sign.
std::string marking(store::CopyState state, std::string_view table) {
  return fmt::format("UPDATE {} SET version = {}abs(version)", table,
                     state == store::CopyState::unfinished ? "-" : "");
}

class SqliteTables final : public TableStore {
 public:
  explicit SqliteTables(sqlite::Connection connection) : connection_(std::move(connection)) {}

  Result<std::vector<CopiedRow>> read(const CopiedTable& table,
                                      const std::optional<std::string>& after,
                                      std::size_t most) override {
    auto statement = TRY(sqlite::Statement::prepare(
        connection_.get(), fmt::format("SELECT {0} FROM {1} WHERE {2} {3} ORDER BY {2} LIMIT {4}",
                                       joined(table.columns), table.name, table.key,
                                       after ? compared_with(table) : "IS NOT ?1", most)));
    std::vector<CopiedRow> rows;
    const auto keep = [&](const sqlite::Row& row) -> Result<void> {
      CopiedRow values;
      for (int i = 0; i < row.columns(); ++i) {
        // Both say a real number in the same way.
        const bool is_real =
            !row.is_null(i) && table.columns[static_cast<std::size_t>(i)] == "cost_usd";
        values.push_back(is_real ? fmt::to_string(row.real(i)) : row.optional_text(i));
      }
      rows.push_back(std::move(values));
      return {};
    };
    TRY(statement.query(keep, after));
    return rows;
  }

  Result<void> write(const CopiedTable& table, const std::vector<CopiedRow>& rows) override {
    TRY(sqlite::execute(connection_.get(), "BEGIN IMMEDIATE"));
    const sqlite::RollbackGuard guard(connection_.get());
    for (const CopiedRow& row : rows) {
      std::string places;
      for (std::size_t i = 0; i < row.size(); ++i) {
        places += fmt::format("{}?{}", i == 0 ? "" : ", ", i + 1);
      }
      TRY(insert(
          fmt::format("INSERT INTO {} ({}) VALUES ({})", table.name, joined(table.columns), places),
          row));
    }
    return sqlite::execute(connection_.get(), "COMMIT");
  }

  Result<std::optional<std::string>> last_key(const CopiedTable& table) override {
    auto statement = TRY(sqlite::Statement::prepare(
        connection_.get(), fmt::format("SELECT max({}) FROM {}", table.key, table.name)));
    std::optional<std::string> last;
    TRY(statement.query([&](const sqlite::Row& row) -> Result<void> {
      last = row.optional_text(0);
      return {};
    }));
    return last;
  }

  Result<std::int64_t> last_number(const CopiedTable& table) override {
    auto statement = TRY(sqlite::Statement::prepare(
        connection_.get(), "SELECT max(seq) FROM sqlite_sequence WHERE name = ?1"));
    std::int64_t last = 0;
    TRY(statement.query(
        [&](const sqlite::Row& row) -> Result<void> {
          if (!row.is_null(0)) last = row.integer(0);
          return {};
        },
        table.name));
    return last;
  }

  Result<void> go_on_behind(const CopiedTable& table, std::int64_t number) override {
    const auto last = TRY(last_number(table));
    if (number <= last) return {};
    // A table that never had a row is not listed.
    TRY(sqlite::execute(connection_.get(), "BEGIN IMMEDIATE"));
    const sqlite::RollbackGuard guard(connection_.get());
    const std::string sql = fmt::format(
        "DELETE FROM sqlite_sequence WHERE name = '{0}'; "
        "INSERT INTO sqlite_sequence (name, seq) VALUES ('{0}', {1})",
        table.name, number);
    TRY(sqlite::execute(connection_.get(), sql.c_str()));
    return sqlite::execute(connection_.get(), "COMMIT");
  }

  Result<void> mark(store::CopyState state) override {
    return sqlite::execute(connection_.get(), marking(state, "main.agent_schema").c_str());
  }

 private:
  static std::string compared_with(const CopiedTable& table) {
    return gives_numbers(table) ? "> CAST(?1 AS INTEGER)" : "> ?1";
  }

  // As many values as there are columns, whose number Statement would have to know.
  Result<void> insert(const std::string& sql, const CopiedRow& row) {
    sqlite3_stmt* statement = nullptr;
    int code = sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &statement, nullptr);
    for (std::size_t i = 0; i < row.size() && code == SQLITE_OK; ++i) {
      const int index = static_cast<int>(i) + 1;
      code = row[i] ? sqlite::bind_copy(statement, index, *row[i])
                    : sqlite3_bind_null(statement, index);
    }
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    Result<void> done;
    if (code != SQLITE_DONE) done = std::unexpected(sqlite::error_of(connection_.get(), code));
    sqlite3_finalize(statement);
    return done;
  }

  sqlite::Connection connection_;
};

class PostgresTables final : public TableStore {
 public:
  PostgresTables(Connection connection, std::string schema)
      : connection_(std::move(connection)), schema_(std::move(schema)) {}

  Result<std::vector<CopiedRow>> read(const CopiedTable& table,
                                      const std::optional<std::string>& after,
                                      std::size_t most) override {
    const std::string_view type = type_of(table);
    std::vector<CopiedRow> rows;
    const Sql sql(in_schema(
        fmt::format("SELECT {0} FROM @{1} WHERE ($1::{3} IS NULL OR {2} > $1::{3}) ORDER BY {2} "
                    "LIMIT {4}",
                    joined(table.columns), table.name, table.key, type, most),
        schema_));
    const auto keep = [&](const Row& row) -> Result<void> {
      CopiedRow values;
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const int column = static_cast<int>(i);
        const bool is_real = !row.is_null(column) && table.columns[i] == "cost_usd";
        values.push_back(is_real ? fmt::to_string(row.real(column)) : row.optional_text(column));
      }
      rows.push_back(std::move(values));
      return {};
    };
    const Request request{&sql, values_of(after), keep};
    TRY(run({&request, 1}));
    return rows;
  }

  Result<void> write(const CopiedTable& table, const std::vector<CopiedRow>& rows) override {
    std::string places;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      places += fmt::format("{}${}", i == 0 ? "" : ", ", i + 1);
    }
    const Sql sql(in_schema(
        fmt::format("INSERT INTO @{} ({}) VALUES ({})", table.name, joined(table.columns), places),
        schema_));
    std::vector<Request> requests;
    for (const CopiedRow& row : rows) {
      Request request{&sql};
      for (const auto& value : row) request.values.push_back(to_value(value));
      requests.push_back(std::move(request));
    }
    return run(requests);
  }

  Result<std::optional<std::string>> last_key(const CopiedTable& table) override {
    std::optional<std::string> last;
    const Sql sql(
        in_schema(fmt::format("SELECT max({}) FROM @{}", table.key, table.name), schema_));
    const Request request{&sql, {}, [&](const Row& row) -> Result<void> {
                            last = row.optional_text(0);
                            return {};
                          }};
    TRY(run({&request, 1}));
    return last;
  }

  Result<std::int64_t> last_number(const CopiedTable& table) override {
    std::int64_t last = 0;
    const Sql sql(in_schema(
        fmt::format("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM @{0}_{1}_seq",
                    table.name, table.key),
        schema_));
    const Request request{&sql, {}, [&](const Row& row) -> Result<void> {
                            last = row.integer(0);
                            return {};
                          }};
    TRY(run({&request, 1}));
    return last;
  }

  // Rows that came with their numbers have not moved the sequence.
  Result<void> go_on_behind(const CopiedTable& table, std::int64_t number) override {
    const auto given = TRY(last_number(table));
    const std::int64_t least = std::max(given, number);
    const Sql sql(in_schema(
        fmt::format("SELECT setval('@{0}_{1}_seq', greatest((SELECT max({1}) FROM @{0}), {2}, 1), "
                    "{2} > 0 OR (SELECT count(*) > 0 FROM @{0}))",
                    table.name, table.key, least),
        schema_));
    const Request request{&sql};
    return run({&request, 1});
  }

  Result<void> mark(store::CopyState state) override {
    const Sql sql(in_schema(marking(state, "@agent_schema"), schema_));
    const Request request{&sql};
    return run({&request, 1});
  }

 private:
  static std::string_view type_of(const CopiedTable& table) {
    return gives_numbers(table) ? "bigint" : "text";
  }
  Result<void> run(std::span<const Request> requests) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    // Nothing is kept: it may go through a pooler, and each statement carries many rows.
    TRY(all_done(connection_.exchange(requests, deadline, Preparing::every_time)));
    return connection_.row_error();
  }

  Connection connection_;
  const std::string schema_;
};

}  // namespace

Result<std::unique_ptr<TableStore>> open_sqlite_tables(const std::filesystem::path& file) {
  auto connection = TRY(store::open_for_copying(file));
  return std::make_unique<SqliteTables>(std::move(connection));
}

Result<std::unique_ptr<TableStore>> open_postgres_tables(const std::string& place,
                                                         const std::string& schema) {
  TRY(check_schema_name(schema));
  auto connection = TRY(Connection::open(place));
  return std::make_unique<PostgresTables>(std::move(connection), schema);
}

Result<bool> is_unfinished_sqlite(const std::filesystem::path& file) {
  return store::is_unfinished_copy(file);
}

Result<bool> is_unfinished_postgres(const std::string& place, const std::string& schema) {
  TRY(check_schema_name(schema));
  auto connection = TRY(Connection::open(place));
  return is_unfinished_copy(connection, schema);
}

// A lock of the one is seen by whoever is in the same database, and by nobody else.
Result<bool> is_same_postgres(const std::string& one, const std::string& other) {
  auto holding = TRY(Connection::open(one));
  auto looking = TRY(Connection::open(other));
  std::random_device device;
  const std::uint64_t number = (std::uint64_t{device()} << 31U) ^ device();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  const Sql begin("BEGIN");
  const Sql hold(fmt::format("SELECT pg_advisory_xact_lock({})", number >> 1U));
  const std::array<Request, 2> holds{Request{&begin}, Request{&hold}};
  TRY(all_done(holding.exchange(holds, deadline, Preparing::every_time)));
  bool is_free = true;
  const Sql look(fmt::format("SELECT pg_try_advisory_xact_lock({})", number >> 1U));
  const Request looks{&look, {}, [&](const Row& row) -> Result<void> {
                        is_free = row.text(0) == "t";
                        return {};
                      }};
  TRY(all_done(looking.exchange({&looks, 1}, deadline, Preparing::every_time)));
  return !is_free;
}

}  // namespace wright::postgres
