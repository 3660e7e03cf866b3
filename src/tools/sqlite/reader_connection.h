// A connection to a SQLite database that can only read, however hostile the SQL or the file: opened
// read-only, with an authorizer, limits, a deadline and a bound on memory. Knows nothing of tools.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/try.h"
#include "sqlite/connection.h"
#include "sqlite/statement.h"
#include "tools/sqlite/reader_expansion.h"
#include "tools/sqlite/reader_guard.h"
#include "wright/tools.h"

namespace wright::tools {

// The true path of the database: without links, checked to be a regular file, and beneath `base`
// when that is not empty.
Result<std::string> resolve_database(const std::filesystem::path& path,
                                     const std::filesystem::path& base);

class ReadOnlyDatabase {
 public:
  // `path` as resolve_database() gives it.
  static Result<ReadOnlyDatabase> open(const std::string& path, const SqliteReaderOptions& options,
                                       std::stop_token stop);

  // The one statement of `sql`. Refuses several, none, and whatever does more than read.
  Result<sqlite::StatementHandle> prepare(const std::string& sql);

  // What "x" may be in a statement. SQLite takes it for a text where no column has that name, so a
  // misspelled column gives a text without a word.
  enum class DoubleQuotes : std::uint8_t { names, names_or_texts };
  void set_double_quotes(DoubleQuotes meaning);

  enum class Stepped : std::uint8_t { row, done };
  Result<Stepped> step(sqlite3_stmt* statement);

  // Runs to the end, and calls on_row(sqlite::Row) -> Result<void> for each row; its first error
  // ends the query.
  template <class OnRow>
  Result<void> for_each_row(sqlite3_stmt* statement, const OnRow& on_row) {
    while (true) {
      const auto stepped = TRY(step(statement));
      if (stepped == Stepped::done) return {};
      TRY(on_row(sqlite::Row(statement)));
    }
  }

  // Views of views without end, which SQLite cannot safely expand: whatever mentions one is
  // refused.
  const std::vector<std::string>& endless_views() const { return endless_views_; }
  // A sentence about them; empty when there are none.
  std::string note_on_endless_views() const;

  SqliteGuard& guard() { return *guard_; }
  sqlite3* handle() { return database_.get(); }

 private:
  ReadOnlyDatabase(std::unique_ptr<SqliteGuard> guard, sqlite::Connection database)
      : guard_(std::move(guard)), database_(std::move(database)) {}

  // The next statement of the text, null when nothing but blanks and comments is left.
  struct Parsed {
    sqlite::StatementHandle statement;
    const char* rest;
  };
  Result<Parsed> parse(const char* sql);

  // Learns how large the views are that statements may mention.
  Result<void> measure_views();

  std::unexpected<Error> explained(int sqlite_code);

  std::unique_ptr<SqliteGuard> guard_;  // used by the connection, so it goes after it
  sqlite::Connection database_;
  QueryExpansion expansion_;
  std::vector<std::string> endless_views_;
};

}  // namespace wright::tools
