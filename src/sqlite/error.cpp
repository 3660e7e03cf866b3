#include "sqlite/error.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <system_error>

#include "wright/json.h"

namespace wright::sqlite {
namespace {

std::string system_reason(sqlite3* connection) {
  const int system_error = sqlite3_system_errno(connection);
  if (system_error == 0) return sqlite3_errmsg(connection);
  return std::generic_category().message(system_error);
}

Error explained(sqlite3* connection, int sqlite_code) {
  const std::string name = name_of(connection);
  if (sqlite_code == SQLITE_CONSTRAINT_FOREIGNKEY) {
    return {
        ErrorCode::not_found, fmt::format("A row refers to another that is not in {}", name), {}};
  }
  switch (sqlite_code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::unavailable,
              fmt::format("{} is locked by another program; try again when it has finished", name),
              {}};
    case SQLITE_FULL:
      return {ErrorCode::storage,
              fmt::format("The disk is full: {} cannot grow. Free some space and try again; "
                          "nothing of this step was stored",
                          name),
              {}};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorCode::permission_denied,
              fmt::format("{} cannot be written: the file or its folder is read-only", name),
              {}};
    case SQLITE_CANTOPEN:
      return {code_of_errno(sqlite3_system_errno(connection)),
              fmt::format("{} cannot be opened: {}. Its folder must be writable, too", name,
                          system_reason(connection)),
              {}};
    case SQLITE_NOTADB:
      return {ErrorCode::storage,
              fmt::format("{} is not a SQLite database; choose another path", name),
              {}};
    case SQLITE_CORRUPT:
      return {ErrorCode::storage,
              fmt::format("{} is damaged ({}). Restore it from a backup, or save what is readable "
                          "with the sqlite3 program's .recover command",
                          name, sqlite3_errstr(sqlite_code)),
              {}};
    case SQLITE_IOERR:
      return {ErrorCode::storage,
              fmt::format("{} cannot be read or written: {}", name, system_reason(connection)),
              {}};
    case SQLITE_TOOBIG:
      return {ErrorCode::limit_reached, fmt::format("{} cannot hold a text of this size", name), {}};
    case SQLITE_CONSTRAINT:
      return {ErrorCode::invalid_argument,
              fmt::format("{} refused a row: {}", name, sqlite3_errmsg(connection)),
              {}};
    default:
      return {
          ErrorCode::storage, fmt::format("{} failed: {}", name, sqlite3_errmsg(connection)), {}};
  }
}

}  // namespace

std::string name_of(sqlite3* connection) {
  const char* file = sqlite3_db_filename(connection, "main");
  if (file == nullptr || *file == '\0') return "The database in memory";
  return "The database " + to_valid_utf8(file);
}

Error last_error(sqlite3* connection) {
  return error_of(connection, sqlite3_extended_errcode(connection));
}

Error error_of(sqlite3* connection, int sqlite_code) {
  Error error = explained(connection, sqlite_code);
  error.detail = JsonObject{{"sqlite_code", sqlite_code}};
  return error;
}

ErrorCode code_of_errno(int system_error) {
  switch (system_error) {
    case EACCES:
    case EPERM:
    case EROFS: return ErrorCode::permission_denied;
    default: return ErrorCode::storage;
  }
}

}  // namespace wright::sqlite
