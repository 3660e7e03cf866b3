// The stores of this folder, for the suite.
#include "store/store_suite_testing.h"

namespace wright::store {

std::vector<StoreKind> kinds_of_this_program() {
  return {StoreKind::memory, StoreKind::sqlite_file, StoreKind::sqlite_memory};
}

Result<std::unique_ptr<Store>> open_store_of(StoreKind kind, const std::filesystem::path& place,
                                             const Clocks& clocks) {
  if (kind == StoreKind::memory) return open_memory_store(clocks);
  return open_sqlite_store(kind == StoreKind::sqlite_file ? place : ":memory:", {.clock = clocks});
}

void number_without_gaps(StoreKind, const std::filesystem::path&) {}  // they never leave one out

}  // namespace wright::store
