#include "sqlite/memory.h"

#include <malloc.h>
#include <sqlite3.h>

#include <atomic>
#include <cstdlib>

namespace wright::sqlite {
namespace {

std::atomic<bool> is_counted_by_thread = false;
thread_local std::int64_t bytes_in_use = 0;

int size_of(void* memory) {
  return memory == nullptr ? 0 : static_cast<int>(::malloc_usable_size(memory));
}

void* allocate(int bytes) {
  void* memory = std::malloc(static_cast<std::size_t>(bytes));
  bytes_in_use += size_of(memory);
  return memory;
}

void release(void* memory) {
  bytes_in_use -= size_of(memory);
  std::free(memory);
}

void* resize(void* memory, int bytes) {
  const int before = size_of(memory);
  void* resized = std::realloc(memory, static_cast<std::size_t>(bytes));
  if (resized != nullptr) bytes_in_use += size_of(resized) - before;
  return resized;
}

int rounded_up(int bytes) {
  constexpr int kUnit = 8;  // as SQLite's own
  return (bytes + kUnit - 1) / kUnit * kUnit;
}

int begin(void*) {
  return SQLITE_OK;
}

void end(void*) {}

}  // namespace

bool count_memory_by_thread() {
  static const sqlite3_mem_methods methods{.xMalloc = allocate,
                                           .xFree = release,
                                           .xRealloc = resize,
                                           .xSize = size_of,
                                           .xRoundup = rounded_up,
                                           .xInit = begin,
                                           .xShutdown = end,
                                           .pAppData = nullptr};
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK) return false;
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  is_counted_by_thread = true;
  return true;
}

std::int64_t memory_in_use() {
  return is_counted_by_thread ? bytes_in_use : sqlite3_memory_used();
}

}  // namespace wright::sqlite
