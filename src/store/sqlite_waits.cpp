#include "store/sqlite_waits.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "store/json_columns.h"
#include "store/sqlite_rows.h"
#include "store/status.h"

namespace wright::store {

Result<AnswerAttempt> answer_wait(sqlite3* connection, Queries& queries, WaitId id,
                                  const WaitAnswer& answer, std::int64_t now) {
  const auto column = json_column(answer.answer);
  if (!column) return std::unexpected(column.error());
  auto answered = queries.run(Query::answer_wait, id, now, answer.answered_by, *column);
  if (!answered) return std::unexpected(answered.error());
  const bool has_won = sqlite3_changes(connection) == 1;
  if (!has_won) {
    auto expired = queries.run(Query::expire_wait, id);
    if (!expired) return std::unexpected(expired.error());
  }
  Result<AnswerAttempt> attempt = std::unexpected(no_wait(id));
  const auto read = queries.each(
      Query::wait,
      [&](const Row& row) -> Result<void> {
        auto wait = wait_from(row);
        if (!wait) return std::unexpected(std::move(wait).error());
        attempt = AnswerAttempt{std::move(*wait), has_won};
        return {};
      },
      id);
  if (!read) return std::unexpected(read.error());
  return attempt;
}

Result<std::vector<StoredWait>> read_waits(sqlite3* connection, const WaitFilter& filter) {
  std::string sql = fmt::format("SELECT {} FROM agent_waits WHERE ", kWaitColumns);
  // Every parameter appears, so that what is bound does not depend on the filter.
  sql += filter.session_id ? "session_id IN (WITH RECURSIVE family (id) AS (SELECT ?1 UNION "
                             "SELECT child.id FROM agent_sessions child "
                             "JOIN family ON child.parent_session_id = family.id) "
                             "SELECT id FROM family)"
                           : "?1 IS NULL";
  // The status stands in the text: that of open waits has an index of its own.
  sql += filter.status ? fmt::format(" AND status = '{}'", to_string(*filter.status)) : "";
  sql += filter.id ? " AND id = ?2" : " AND ?2 IS NULL";
  sql += " ORDER BY id";
  auto statement = Statement::prepare(connection, sql);
  if (!statement) return std::unexpected(statement.error());
  std::vector<StoredWait> waits;
  const auto read = statement->query(
      [&](const Row& row) -> Result<void> {
        auto wait = wait_from(row);
        if (!wait) return std::unexpected(std::move(wait).error());
        waits.push_back(std::move(*wait));
        return {};
      },
      filter.session_id, filter.id);
  if (!read) return std::unexpected(read.error());
  return waits;
}

}  // namespace wright::store
