#include "app/wiring/session_store.h"

#include "app/wiring/remote_store.h"
#include "core/try.h"
#include "store/sqlite_open.h"
#include "wright/postgres.h"

namespace wright::app {
namespace {

PostgresOptions postgres_options(const StorePlace& place, TableMaking tables) {
  return {.schema = place.schema, .connections = place.connections, .tables = tables};
}

}  // namespace

std::shared_ptr<RemoteApi> open_server(const StorePlace& place) {
  return std::make_shared<RemoteApi>(ServerPlace{place.server, place.token});
}

SqliteOptions store_options(const Settings& settings) {
  const bool is_full = settings.text(keys::kDurability) == "full";
  return {.durability = is_full ? Durability::full : Durability::normal};
}

Result<std::unique_ptr<Store>> open_store(const StorePlace& place, const Settings& settings,
                                          Logger logger) {
  if (place.is_server()) {
    return fail(ErrorCode::invalid_argument,
                "This is not done through a server: leave out --server and unset WRIGHT_SERVER");
  }
  if (place.is_postgres()) {
    PostgresOptions options = postgres_options(place, TableMaking::allowed);
    options.logger = std::move(logger);
    return open_postgres_store(place.uri, std::move(options));
  }
  if (place.file.empty()) {
    return fail(ErrorCode::invalid_argument,
                "There is no home folder to keep sessions in. Set --database-path");
  }
  if (place.is_in_memory()) return open_memory_store();
  TRY(store::check_is_ours(place.file));
  return open_sqlite_store(place.file, store_options(settings));
}

Result<std::unique_ptr<Store>> open_store(const Settings& settings, Logger logger) {
  return open_store(settings.store(), settings, std::move(logger));
}

Result<std::unique_ptr<Store>> open_existing_store(const StorePlace& place,
                                                   const Settings& settings) {
  if (place.is_server()) return remote_store(open_server(place));
  if (place.is_postgres()) {
    auto store = open_postgres_store(place.uri, postgres_options(place, TableMaking::refused));
    if (!store && store.error().code == ErrorCode::not_found) return nullptr;
    return store;
  }
  const auto& path = place.file;
  std::error_code error;
  const bool has_none = path.empty() || place.is_in_memory();
  if (has_none || (!std::filesystem::exists(path, error) && !error)) return nullptr;
  TRY(store::check_is_ours(path));
  return open_sqlite_store(path, store_options(settings));
}

Result<std::unique_ptr<Store>> open_existing_store(const Settings& settings) {
  return open_existing_store(settings.store(), settings);
}

}  // namespace wright::app
