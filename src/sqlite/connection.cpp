#include "sqlite/connection.h"

#include <sqlite3.h>

namespace wright::sqlite {

void CloseConnection::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

Opened open(const std::string& name, int flags) {
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(
      name.c_str(), &connection,
      flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE, nullptr);
  return {Connection(connection), code};
}

}  // namespace wright::sqlite
