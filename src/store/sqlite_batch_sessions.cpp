// The writes of a batch to SQLite that copy and delete whole sessions.
#include <vector>

#include "core/try.h"
#include "store/sqlite_batch.h"
#include "store/sqlite_fork.h"
#include "store/sqlite_rows.h"
#include "store/status.h"

namespace wright::store {

Result<void> SqliteBatch::apply(const DeleteSession& write) {
  const SessionId id = target(write.session_id);
  if (write.unless_running) {
    const auto standing = TRY(standing_of(id));
    const auto runners = TRY(read_runners(queries_));
    if (standing.status == SessionStatus::running ||
        is_alive(standing.lease.runner_id, runners, moment_)) {
      return std::unexpected(is_running(id));
    }
  }
  return delete_family(id);
}

Result<void> SqliteBatch::delete_family(SessionId id) {
  // Children before parents: cascading through generations would meet SQLite's depth limit.
  std::vector<SessionId> family;
  const auto read = queries_.each(
      Query::session_family,
      [&](const Row& row) -> Result<void> {
        family.push_back(row.integer(0));
        return {};
      },
      id);
  TRY(read);
  if (family.empty()) return std::unexpected(no_session(id));
  for (const SessionId member : family) {
    TRY(queries_.run(Query::delete_session, member));
  }
  return {};
}

Result<void> SqliteBatch::apply(const Prune& write) {
  std::vector<SessionId> roots;
  const auto read = queries_.each(
      Query::ended_sessions,
      [&](const Row& row) -> Result<void> {
        roots.push_back(row.integer(0));
        return {};
      },
      write.ended_before, row_limit(write.keep), row_limit(write.most), moment_.wall,
      moment_.boot_id, moment_.boot);
  TRY(read);
  for (const SessionId root : roots) {
    TRY(delete_family(root));
    ids_.pruned.push_back(root);
  }
  return {};
}

Result<void> SqliteBatch::apply(const ForkSession& write) {
  const auto fork =
      TRY(fork_session(connection_, queries_, target(write.session_id), write.last, now_));
  ids_.forks.push_back(fork);
  return {};
}

}  // namespace wright::store
