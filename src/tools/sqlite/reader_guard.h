// What stands between a statement and a SQLite connection: which actions are allowed, how large
// things may get, how long they may take. Remembers why it stopped something; opens nothing.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "wright/error.h"

namespace wright::tools {

class SqliteGuard {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    Clock::time_point deadline;
    std::size_t memory;  // bytes beyond what SQLite uses when the guard is made
  };

  SqliteGuard(Limits limits, std::stop_token stop);
  SqliteGuard(const SqliteGuard&) = delete;
  SqliteGuard& operator=(const SqliteGuard&) = delete;

  // Guards `database` from now on; must outlive it. Returns SQLite's code.
  int install(sqlite3* database);

  // Refuses the PRAGMAs that would make SQLite expand one of these views.
  void keep_from_expanding(const std::vector<std::string>& views);

  Clock::time_point deadline() const { return limits_.deadline; }

  // Whether the time or the memory is used up, or somebody asked to stop.
  bool is_over();

  // Why a statement was refused or ended since the last call, if it was by this guard. What SQLite
  // prepares on its own account and goes on without may be refused, too: forget that before the
  // next statement.
  std::optional<Error> take_reason();
  void forget_refusal() { refused_.reset(); }

 private:
  static int authorize(void* guard, int action, const char* first, const char* second,
                       const char* database, const char* trigger);
  static int on_progress(void* guard);
  static int on_busy(void* guard, int attempts);

  void refuse(std::string message);
  bool would_expand(const std::string& pragma, const char* argument) const;

  Limits limits_;
  std::stop_token stop_;
  sqlite3_int64 memory_before_;
  std::set<std::string> views_not_to_expand_;  // in lower case
  std::optional<Clock::time_point> busy_since_;
  std::optional<Error> ended_;
  std::optional<Error> refused_;
};

}  // namespace wright::tools
