#include "sqlite/statement.h"

#include <sqlite3.h>

#include "sqlite/error.h"
#include "wright/json.h"

namespace wright::sqlite {

int Row::columns() const {
  return sqlite3_column_count(statement_);
}

bool Row::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

bool Row::is_integer(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_INTEGER;
}

bool Row::is_text(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_TEXT;
}

std::int64_t Row::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Row::real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string Row::text(int column) const {
  // The text must be asked for before its size, and is null for an empty blob.
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return bytes == nullptr ? std::string() : std::string(bytes, size);
}

std::span<const std::byte> Row::blob(int column) const {
  const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::optional<std::int64_t> Row::optional_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

std::optional<std::string> Row::optional_text(int column) const {
  if (is_null(column)) return std::nullopt;
  return text(column);
}

void FinalizeStatement::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Result<Statement> Statement::prepare(sqlite3* connection, std::string_view sql, Lifetime lifetime) {
  const unsigned flags = lifetime == Lifetime::kept ? SQLITE_PREPARE_PERSISTENT : 0;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()), flags, &statement,
                         nullptr) != SQLITE_OK) {
    return std::unexpected(last_error(connection));
  }
  return Statement(statement);
}

void Statement::bind(int index, std::int64_t value) {
  remember(sqlite3_bind_int64(statement_.get(), index, value));
}

void Statement::bind(int index, double value) {
  remember(sqlite3_bind_double(statement_.get(), index, value));
}

void Statement::bind(int index, std::string_view value) {
  if (value.empty()) value = "";  // a null pointer would bind NULL
  if (is_valid_utf8(value)) {
    remember(sqlite3_bind_text64(statement_.get(), index, value.data(), value.size(), SQLITE_STATIC,
                                 SQLITE_UTF8));
    return;
  }
  const std::string repaired = to_valid_utf8(std::string(value));
  remember(sqlite3_bind_text64(statement_.get(), index, repaired.data(), repaired.size(),
                               SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int index, std::span<const std::byte> value) {
  // A null pointer would bind NULL.
  const void* bytes = value.empty() ? static_cast<const void*>("") : value.data();
  remember(sqlite3_bind_blob64(statement_.get(), index, bytes, value.size(), SQLITE_STATIC));
}

void Statement::bind_null(int index) {
  remember(sqlite3_bind_null(statement_.get(), index));
}

Result<bool> Statement::step() {
  sqlite3* connection = sqlite3_db_handle(statement_.get());
  if (bind_error_ != SQLITE_OK) return std::unexpected(error_of(connection, bind_error_));
  const int sqlite_code = sqlite3_step(statement_.get());
  if (sqlite_code == SQLITE_ROW) return true;
  if (sqlite_code == SQLITE_DONE) return false;
  return std::unexpected(last_error(connection));
}

void Statement::reset() {
  // Repeats the error of the last step, which has been reported.
  sqlite3_reset(statement_.get());
  bind_error_ = SQLITE_OK;
}

void Statement::remember(int sqlite_code) {
  if (bind_error_ == SQLITE_OK) bind_error_ = sqlite_code;
}

int bind_copy(sqlite3_stmt* statement, int index, std::string_view text) {
  if (text.empty()) text = "";  // a null pointer would bind NULL
  return sqlite3_bind_text64(statement, index, text.data(), text.size(), SQLITE_TRANSIENT,
                             SQLITE_UTF8);
}

Result<void> execute(sqlite3* connection, const char* sql) {
  if (sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return std::unexpected(last_error(connection));
  }
  return {};
}

}  // namespace wright::sqlite
