#include "store/sqlite_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/try.h"
#include "store/row_values.h"
#include "store/sqlite_rows.h"
#include "store/status.h"

namespace wright::store {
namespace {

// Appends what read(row) gives to `values`.
template <class Value>
auto append_to(std::vector<Value>& values, Result<Value> (*read)(const Row&)) {
  return [&values, read](const Row& row) -> Result<void> {
    auto value = TRY(read(row));
    values.push_back(std::move(value));
    return {};
  };
}

Result<Session> session_or_damage(const Row& row) {
  return damaged_session_of(row);
}

// An empty list is an answer only for a session that exists.
template <class Value>
Result<std::vector<Value>> rows_of(Queries& queries, std::optional<SessionId> id,
                                   const Result<void>& read, std::vector<Value> rows) {
  if (!read) return std::unexpected(read.error());
  if (rows.empty() && id) {
    TRY(read_session(queries, *id));
  }
  return rows;
}

std::string_view order_of(const Page& page) {
  return page.keep == Page::Keep::first ? "ORDER BY id" : "ORDER BY id DESC";
}

// Rows come oldest first, whichever end of the list they are from.
template <class Value>
void put_in_order(const Page& page, std::vector<Value>& values) {
  if (page.keep == Page::Keep::last) std::ranges::reverse(values);
}

constexpr std::string_view kFamilyOfFirst =
    "(WITH RECURSIVE family (id) AS (SELECT ?1 UNION SELECT child.id FROM agent_sessions child "
    "JOIN family ON child.parent_session_id = family.id) SELECT id FROM family)";

// For rows of sessions; with the number of the parameter.
constexpr std::string_view kIsOfTenant =
    " AND EXISTS (SELECT 1 FROM agent_sessions AS session WHERE session.id = session_id "
    "AND session.tenant = ?{})";

// The roots of every tree in which somebody should do something; see SessionFilter::needs_driver.
// Each part reads an index that holds little else.
std::string roots_without_driver() {
  return fmt::format(
      "WITH RECURSIVE found (id) AS ("
      "SELECT id FROM agent_sessions WHERE status = 'running' AND NOT {} UNION "
      "SELECT id FROM agent_sessions WHERE cancel_reason IS NOT NULL UNION "
      "SELECT session_id FROM agent_tool_calls AS call WHERE has_news = 1 AND NOT EXISTS "
      "(SELECT 1 FROM agent_waits WHERE call_id = call.id AND status = 'open') UNION "
      "SELECT wait.session_id FROM agent_waits AS wait JOIN agent_tool_calls AS call "
      "ON call.id = wait.call_id WHERE wait.status = 'open' AND wait.expires_at <= ?7 "
      "AND call.status = 'waiting'), "
      "up (id, above) AS (SELECT agent_sessions.id, parent_session_id "
      "FROM found JOIN agent_sessions USING (id) UNION "
      "SELECT agent_sessions.id, parent_session_id "
      "FROM up JOIN agent_sessions ON agent_sessions.id = up.above) ",
      is_alive_sql("agent_sessions.runner_id", 7));
}

}  // namespace

Result<Session> read_session(Queries& queries, SessionId id) {
  Result<Session> session = std::unexpected(no_session(id));
  const auto read = queries.each(
      Query::session,
      [&](const Row& row) -> Result<void> {
        session = session_from(row);
        return {};
      },
      id);
  TRY(read);
  return session;
}

Result<std::vector<Session>> read_sessions(sqlite3* connection, const SessionFilter& filter,
                                           const Moment& now) {
  constexpr std::string_view kHasEnded = "status IN ('completed', 'failed', 'cancelled')";
  const std::string is_driven = is_alive_sql("agent_sessions.runner_id", 7);
  std::string sql = filter.needs_driver ? roots_without_driver() : "";
  sql += fmt::format("SELECT {} FROM agent_sessions WHERE started_at >= ?1", kSessionColumns);
  // Every parameter appears, so that what is bound does not depend on the filter.
  sql += filter.agent_name ? " AND agent_name = ?2" : " AND ?2 IS NULL";
  sql += filter.status ? " AND status = ?3" : " AND ?3 IS NULL";
  sql += filter.parent_session_id ? " AND parent_session_id = ?4" : " AND ?4 IS NULL";
  sql += filter.text.empty() ? " AND ?5 = ''"
                             : " AND (instr(lower(user_prompt), lower(?5)) > 0 "
                               "OR instr(lower(result), lower(?5)) > 0)";
  sql += " AND id > ?10 AND id < ?11";
  sql += filter.tenant ? " AND tenant = ?13" : " AND ?13 IS NULL";
  sql += filter.ended_before
             ? fmt::format(" AND {} AND coalesce(ended_at, started_at) < ?12", kHasEnded)
             : " AND ?12 IS NULL";
  if (filter.is_root) sql += " AND parent_session_id IS NULL";
  if (filter.is_abandoned) sql += fmt::format(" AND status = 'running' AND NOT {}", is_driven);
  if (filter.needs_driver) {
    sql += fmt::format(" AND id IN (SELECT id FROM up WHERE above IS NULL) AND NOT {} AND NOT {}",
                       kHasEnded, is_driven);
  }
  const bool keeps_first = filter.keep == Page::Keep::first;
  sql += fmt::format(" ORDER BY id {} LIMIT ?6", keeps_first ? "" : "DESC");
  std::optional<std::string_view> status;
  if (filter.status) status = to_string(*filter.status);

  auto statement = TRY(Statement::prepare(connection, sql));
  std::vector<Session> sessions;
  const auto read = statement.query(
      append_to(sessions, filter.keeps_damaged ? session_or_damage : session_from),
      filter.started_since, filter.agent_name, status, filter.parent_session_id, filter.text,
      row_limit(filter.limit), now.wall, now.boot_id, now.boot, filter.after.value_or(kFirstId),
      filter.before.value_or(kLastId), filter.ended_before, filter.tenant);
  if (!read) return std::unexpected(read.error());
  if (keeps_first) std::ranges::reverse(sessions);
  return sessions;
}

Result<std::vector<StoredMessage>> read_messages(sqlite3* connection, Queries& queries,
                                                 SessionId id, const Page& page) {
  std::vector<StoredMessage> messages;
  const auto append = append_to<StoredMessage>(messages, message_from);
  const std::int64_t after = page.after.value_or(kFirstId);
  const std::int64_t before = page.before.value_or(kLastId);
  Result<void> read;
  if (page.keep == Page::Keep::first) {
    read = queries.each(Query::messages, append, id, after, before, row_limit(page.limit));
  } else {
    auto statement = TRY(Statement::prepare(
        connection, fmt::format("SELECT {} FROM agent_messages WHERE id IN (SELECT id "
                                "FROM agent_messages WHERE session_id = ?1 AND id > ?2 "
                                "AND id < ?3) ORDER BY id DESC LIMIT ?4",
                                kMessageColumns)));
    read = statement.query(append, id, after, before, row_limit(page.limit));
  }
  put_in_order(page, messages);
  return rows_of(queries, id, read, std::move(messages));
}

Result<std::vector<StoredCall>> read_calls(sqlite3* connection, Queries& queries, SessionId id,
                                           const CallFilter& filter) {
  std::vector<StoredCall> calls;
  const auto append = append_to(calls, call_from);
  const Page& page = filter.page;
  const std::int64_t after = page.after.value_or(kFirstId);
  const std::int64_t before = page.before.value_or(kLastId);
  Result<void> read;
  if (!filter.status && !filter.tool_call_id && page.keep == Page::Keep::first) {
    read = queries.each(Query::calls, append, id, after, before, row_limit(page.limit));
  } else {
    auto statement = TRY(Statement::prepare(
        connection,
        fmt::format("SELECT {} FROM agent_tool_calls WHERE session_id = ?1 AND id > ?2 "
                    "AND id < ?3 AND {} AND {} {} LIMIT ?4",
                    kCallColumns, filter.status ? "status = ?5" : "?5 IS NULL",
                    filter.tool_call_id ? "tool_call_id = ?6" : "?6 IS NULL", order_of(page))));
    std::optional<std::string_view> status;
    if (filter.status) status = to_string(*filter.status);
    read = statement.query(append, id, after, before, row_limit(page.limit), status,
                           filter.tool_call_id);
  }
  put_in_order(page, calls);
  return rows_of(queries, id, read, std::move(calls));
}

Result<std::vector<StoredWait>> read_waits(sqlite3* connection, Queries& queries,
                                           const WaitFilter& filter) {
  const Page& page = filter.page;
  // Every parameter appears, so that what is bound does not depend on the filter.
  std::string sql =
      fmt::format("SELECT {} FROM agent_waits WHERE id > ?3 AND id < ?4 AND ", kWaitColumns);
  sql += filter.session_id ? fmt::format("session_id IN {}", kFamilyOfFirst) : "?1 IS NULL";
  // The status stands in the text: that of open waits has an index of its own.
  if (filter.status) sql += fmt::format(" AND status = '{}'", to_string(*filter.status));
  sql += filter.id ? " AND id = ?2" : " AND ?2 IS NULL";
  sql += filter.tenant ? fmt::format(kIsOfTenant, 6) : " AND ?6 IS NULL";
  sql += fmt::format(" {} LIMIT ?5", order_of(page));
  auto statement = TRY(Statement::prepare(connection, sql));
  std::vector<StoredWait> waits;
  const auto read = statement.query(append_to(waits, wait_from), filter.session_id, filter.id,
                                    page.after.value_or(kFirstId), page.before.value_or(kLastId),
                                    row_limit(page.limit), filter.tenant);
  put_in_order(page, waits);
  return rows_of(queries, filter.session_id, read, std::move(waits));
}

Result<std::vector<StoredEvent>> read_events(sqlite3* connection, Queries& queries,
                                             const EventFilter& filter) {
  auto statement = TRY(Statement::prepare(
      connection,
      fmt::format(
          "SELECT {} FROM agent_events WHERE sequence > ?2 AND {}{} ORDER BY sequence "
          "LIMIT ?3",
          kEventColumns,
          filter.session_id ? fmt::format("session_id IN {}", kFamilyOfFirst) : "?1 IS NULL",
          filter.tenant ? fmt::format(kIsOfTenant, 4) : " AND ?4 IS NULL")));
  std::vector<StoredEvent> events;
  const auto read = statement.query(append_to(events, event_from), filter.session_id, filter.after,
                                    row_limit(filter.limit), filter.tenant);
  return rows_of(queries, filter.session_id, read, std::move(events));
}

Result<RunnerNews> read_news(Queries& queries, RunnerId id) {
  RunnerNews news;
  auto read = queries.each(
      Query::wanted_cancelled,
      [&](const Row& row) -> Result<void> {
        news.cancelled.push_back({row.integer(0), row.text(1)});
        return {};
      },
      id);
  if (read) read = queries.each(Query::answered_waits, append_to(news.answered, wait_from), id);
  const auto note_session = [&](const Row& row) -> Result<void> {
    news.spoken_to.push_back(row.integer(0));
    return {};
  };
  if (read) read = queries.each(Query::spoken_to, note_session, id);
  if (!read) return std::unexpected(read.error());
  return news;
}

Result<SpentBySpecialists> read_spent(Queries& queries, SessionId id, MessageId since) {
  Result<SpentBySpecialists> spent = std::unexpected(no_session(id));
  const auto read = queries.each(
      Query::spent_by_specialists,
      [&](const Row& row) -> Result<void> {
        if (row.integer(7) == 0) return {};
        spent = SpentBySpecialists{.usage = {row.integer(0), row.integer(1), row.integer(2), row.integer(3),
                                     row.integer(4), row.real(5)},
                           .tool_calls = row.integer(6)};
        return {};
      },
      id, since);
  TRY(read);
  return spent;
}

Result<std::vector<Record>> read_records(sqlite3* connection, Queries& queries,
                                         const RecordFilter& filter) {
  std::vector<Record> records;
  const auto keep = [&](const Row& row) -> Result<void> {
    auto record = TRY(record_of(row));
    records.push_back(std::move(record));
    return {};
  };
  const std::int64_t limit = row_limit(filter.limit);
  if (filter.session_id) {
    // Asked whenever a session ends.
    TRY(queries.each(Query::records_of_session, keep, filter.kind, filter.key, filter.due_before,
                     limit, *filter.session_id));
    return records;
  }
  auto statement = TRY(Statement::prepare(
      connection, fmt::format("SELECT {} FROM agent_records WHERE kind = ?1 "
                              "AND (?2 IS NULL OR key = ?2) AND (?3 IS NULL OR due_at < ?3) "
                              "ORDER BY due_at, id LIMIT ?4",
                              kRecordColumns)));
  TRY(statement.query(keep, filter.kind, filter.key, filter.due_before, limit));
  return records;
}

}  // namespace wright::store
