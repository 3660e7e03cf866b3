// Where sessions are kept, as --store, WRIGHT_STORE and sessions.store say it: a path, sqlite:PATH,
// or the URI of a PostgreSQL.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/settings/environment.h"
#include "wright/error.h"

namespace wright::app {

struct StorePlace {
  std::filesystem::path file = {};  // of SQLite; counts when there is no URI
  std::string uri = {};             // as libpq takes it, without what is Wright's own in it
  std::string schema = "wright";    // ?schema=NAME
  std::size_t connections = 4;      // ?connections=N

  std::string server = {};  // the URL of a server, which has a store of its own
  std::string token = {};   // for it; empty: none

  bool is_postgres() const { return !uri.empty(); }
  bool is_server() const { return !server.empty(); }
  bool is_in_memory() const { return !is_postgres() && !is_server() && file == ":memory:"; }
};

Result<StorePlace> store_place_from(std::string_view text, const Environment& environment);
// As --server and WRIGHT_SERVER say it. Its token is in WRIGHT_TOKEN: flags can be seen by
// everybody on the machine.
Result<StorePlace> server_place_from(std::string_view url, const Environment& environment);

}  // namespace wright::app
