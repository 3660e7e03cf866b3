// Sessions in PostgreSQL, for many processes on many machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "wright/log.h"
#include "wright/store.h"

namespace wright {

enum class TableMaking : std::uint8_t {
  allowed,
  refused,  // ErrorCode::not_found where there are no tables yet
};

struct PostgresOptions {
  std::string schema = "wright";  // of the database; made where it is not there
  std::size_t connections = 4;    // at most, of this store
  TableMaking tables = TableMaking::allowed;
  // Whose time counts. Without it, that of the server, which all processes share.
  std::optional<Clocks> clock = {};
  Logger logger = {};  // gets the server's warnings
};

// `place` is an URI as libpq takes it (postgresql://user@host/database?sslmode=verify-full); what
// it leaves out comes from libpq's environment, service and password files. Brings the tables to
// this version first. Works behind PgBouncer in transaction mode.
//
// A connection that is lost is opened again, for up to fifteen seconds a call. When it was lost
// during a commit, the store finds out whether the commit came through.
Result<std::unique_ptr<Store>> open_postgres_store(const std::string& place,
                                                   PostgresOptions options = {});

}  // namespace wright
