#include "app/wiring/session_store.h"

namespace wright::app {

SqliteOptions store_options(const Settings& settings) {
  const bool is_full = settings.text(keys::kDurability) == "full";
  return {.durability = is_full ? Durability::full : Durability::normal};
}

Result<std::unique_ptr<Store>> open_store(const Settings& settings) {
  const auto path = settings.database_path();
  if (path.empty()) {
    return fail(ErrorCode::invalid_argument,
                "There is no home folder to keep sessions in. Set --database-path");
  }
  if (settings.keeps_sessions_in_memory()) return open_memory_store();
  return open_sqlite_store(path, store_options(settings));
}

Result<std::unique_ptr<Store>> open_existing_store(const Settings& settings) {
  const auto path = settings.database_path();
  std::error_code error;
  const bool has_none = path.empty() || settings.keeps_sessions_in_memory();
  if (has_none || (!std::filesystem::exists(path, error) && !error)) return nullptr;
  return open_sqlite_store(path, store_options(settings));
}

}  // namespace wright::app
