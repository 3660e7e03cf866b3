// Prepared statements: binding, stepping and reading rows, without any knowledge of tables.
// A statement belongs to one connection and must be finalised before it closes. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "wright/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace wright::sqlite {

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const;
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

// The current row of a statement; valid inside the callback that receives it.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}

  int columns() const;
  bool is_null(int column) const;
  bool is_integer(int column) const;
  bool is_text(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::span<const std::byte> blob(int column) const;  // until the next row
  std::optional<std::int64_t> optional_integer(int column) const;
  std::optional<std::string> optional_text(int column) const;

  sqlite3_stmt* statement() const { return statement_; }

 private:
  sqlite3_stmt* statement_;
};

enum class Lifetime : std::uint8_t { once, kept };

class Statement {
 public:
  static Result<Statement> prepare(sqlite3* connection, std::string_view sql,
                                   Lifetime lifetime = Lifetime::once);

  // Binds the values to the parameters 1…n, runs to the end, and is ready for the next time. Text
  // that is not UTF-8 is repaired on its way in.
  template <class... Values>
  Result<void> run(const Values&... values) {
    return query([](const Row&) -> Result<void> { return {}; }, values...);
  }

  // The same, and calls on_row(Row) -> Result<void> for each row; its first error ends the query.
  template <class OnRow, class... Values>
  Result<void> query(OnRow on_row, const Values&... values) {
    int index = 0;
    (bind(++index, values), ...);
    Result<void> outcome;
    while (outcome) {
      const Result<bool> has_row = step();
      if (!has_row) outcome = std::unexpected(has_row.error());
      if (!has_row || !*has_row) break;
      outcome = on_row(Row(statement_.get()));
    }
    reset();
    return outcome;
  }

 private:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  void bind(int index, std::int64_t value);
  void bind(int index, int value) { bind(index, std::int64_t{value}); }
  void bind(int index, double value);
  void bind(int index, std::string_view value);            // borrowed until reset()
  void bind(int index, std::span<const std::byte> value);  // likewise
  void bind_null(int index);
  template <class T>
  void bind(int index, const std::optional<T>& value) {
    if (value) {
      bind(index, *value);
    } else {
      bind_null(index);
    }
  }
  Result<bool> step();
  void reset();
  void remember(int sqlite_code);

  StatementHandle statement_;
  int bind_error_ = 0;
};

// Binds a copy of the text, as it is. Returns SQLite's code.
int bind_copy(sqlite3_stmt* statement, int index, std::string_view text);

// Runs one or more statements that have neither parameters nor rows of interest.
Result<void> execute(sqlite3* connection, const char* sql);

}  // namespace wright::sqlite
