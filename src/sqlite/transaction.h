// What keeps a transaction from staying open. Nothing here goes back to a savepoint: where pages had gone
// to the log before, SQLite before 3.50.2 then writes pages without sums, and a crash loses what was
// committed with them (sqlite.org/forum/forumpost/b490f726db).
#pragma once

struct sqlite3;

namespace wright::sqlite {

// Rolls back the transaction that is open when the guard goes; after a COMMIT there is none.
class RollbackGuard {
 public:
  explicit RollbackGuard(sqlite3* connection) : connection_(connection) {}
  RollbackGuard(const RollbackGuard&) = delete;
  RollbackGuard& operator=(const RollbackGuard&) = delete;
  ~RollbackGuard();

 private:
  sqlite3* connection_;
};

}  // namespace wright::sqlite
