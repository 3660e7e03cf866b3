#include "store/sqlite_forks.h"

#include "core/try.h"

namespace wright::store {

Result<Forks> Forks::read(sqlite3* connection) {
  Forks forks;
  auto statement =
      TRY(Statement::prepare(connection,
                             "SELECT id, started_at, iterations, status FROM agent_sessions "
                             "WHERE forked_from IS NOT NULL"));
  TRY(statement.query([&](const Row& row) -> Result<void> {
    const bool has_run = row.integer(2) > 0 || row.text(3) != to_string(SessionStatus::completed);
    forks.forks_.emplace(row.integer(0), Fork{row.integer(1), has_run});
    return {};
  }));
  return forks;
}

bool Forks::has_run(SessionId id) const {
  if (forks_.empty()) return true;
  const auto fork = forks_.find(id);
  return fork == forks_.end() || fork->second.has_run;
}

bool Forks::was_copied(SessionId session_id, std::int64_t call_created_at) const {
  if (forks_.empty()) return false;
  const auto fork = forks_.find(session_id);
  return fork != forks_.end() && call_created_at < fork->second.started_at;
}

}  // namespace wright::store
