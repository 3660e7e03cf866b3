#include "sqlite/transaction.h"

#include <sqlite3.h>

namespace wright::sqlite {

RollbackGuard::~RollbackGuard() {
  // A full disk and the like make SQLite roll back by itself.
  if (sqlite3_get_autocommit(connection_) == 0) {
    sqlite3_exec(connection_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

}  // namespace wright::sqlite
