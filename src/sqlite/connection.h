// A connection to a database, which closes when its owner goes. Knows neither paths nor tables.
#pragma once

#include <memory>
#include <string>

struct sqlite3;

namespace wright::sqlite {

struct CloseConnection {
  void operator()(sqlite3* connection) const;
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

// Also one that did not open: it says why (error.h).
struct Opened {
  Connection connection;
  int code;  // SQLite's
};

// `flags` are those of sqlite3_open_v2(). Beside them: for one thread at a time, with a cache of
// its own, and with extended codes.
Opened open(const std::string& name, int flags);

}  // namespace wright::sqlite
