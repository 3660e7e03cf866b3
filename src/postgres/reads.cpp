#include "postgres/reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/try.h"
#include "store/columns.h"
#include "store/row_values.h"
#include "store/status.h"

namespace wright::postgres {
namespace {

// Reads all rows of one statement into a list.
template <class Value>
Result<std::vector<Value>> read_list(Pool& pool, const Sql& sql, const Values& values,
                                     Result<Value> (*read)(const Row&)) {
  std::vector<Value> list;
  TRY(pool.read([&] {
    list.clear();
    return std::vector{Request{&sql, values, [&](const Row& row) -> Result<void> {
                                 auto value = TRY(read(row));
                                 list.push_back(std::move(value));
                                 return {};
                               }}};
  }));
  return list;
}

// An empty list is an answer only for a session that exists.
template <class Value>
Result<std::vector<Value>> of_session(Pool& pool, std::optional<SessionId> id,
                                      std::vector<Value> list) {
  if (list.empty() && id) {
    TRY(read_session(pool, *id));
  }
  return list;
}

std::string_view order_of(const Page& page) {
  return page.keep == Page::Keep::first ? "ORDER BY id" : "ORDER BY id DESC";
}

// Rows come oldest first, whichever end of the list they are from.
template <class Value>
void put_in_order(const Page& page, std::vector<Value>& values) {
  if (page.keep == Page::Keep::last) std::ranges::reverse(values);
}

constexpr std::string_view kEnded = "status IN ('completed', 'failed', 'cancelled')";

constexpr std::string_view kFamilyOfFirst =
    "(WITH RECURSIVE family (id) AS (SELECT $1::bigint UNION SELECT child.id "
    "FROM @agent_sessions child JOIN family ON child.parent_session_id = family.id) "
    "SELECT id FROM family)";

// The roots of every tree in which somebody should do something; see SessionFilter::needs_driver.
std::string roots_without_driver() {
  return fmt::format(
      "WITH RECURSIVE found (id) AS ("
      "SELECT id FROM @agent_sessions AS running WHERE status = 'running' AND NOT {} UNION "
      "SELECT id FROM @agent_sessions WHERE cancel_reason IS NOT NULL UNION "
      "SELECT session_id FROM @agent_tool_calls AS call WHERE has_news = 1 AND NOT EXISTS "
      "(SELECT 1 FROM @agent_waits WHERE call_id = call.id AND status = 'open') UNION "
      "SELECT wait.session_id FROM @agent_waits AS wait JOIN @agent_tool_calls AS call "
      "ON call.id = wait.call_id WHERE wait.status = 'open' AND wait.expires_at <= $7::bigint "
      "AND call.status = 'waiting'), "
      "up (id, above) AS (SELECT one.id, one.parent_session_id "
      "FROM found JOIN @agent_sessions AS one USING (id) UNION "
      "SELECT one.id, one.parent_session_id "
      "FROM up JOIN @agent_sessions AS one ON one.id = up.above) ",
      is_alive_sql("running.runner_id", 7));
}

}  // namespace

Result<Session> read_session(Pool& pool, SessionId id) {
  auto found = TRY(read_list<Session>(pool, pool.statements()[Query::session], values_of(id),
                                      store::session_of<Row>));
  if (found.empty()) return std::unexpected(store::no_session(id));
  return std::move(found.front());
}

Result<std::vector<Session>> read_sessions(Pool& pool, const SessionFilter& filter) {
  const std::string is_driven = is_alive_sql("session.runner_id", 7);
  std::string sql = filter.needs_driver ? roots_without_driver() : "";
  sql += fmt::format("SELECT {} FROM @agent_sessions AS session WHERE started_at >= $1::bigint",
                     store::kSessionColumns);
  // Every parameter appears, so that what is sent does not depend on the filter.
  sql += filter.agent_name ? " AND agent_name = $2::text" : " AND $2::text IS NULL";
  sql += filter.status ? " AND status = $3::text" : " AND $3::text IS NULL";
  sql +=
      filter.parent_session_id ? " AND parent_session_id = $4::bigint" : " AND $4::bigint IS NULL";
  sql += filter.text.empty()
             ? " AND $5::text = ''"
             : R"( AND (strpos(lower(user_prompt COLLATE "C"), lower($5::text COLLATE "C")) > 0)"
               R"( OR strpos(lower(result COLLATE "C"), lower($5 COLLATE "C")) > 0))";
  sql +=
      " AND $7::bigint IS NOT NULL AND coalesce($8::text, '') IS NOT NULL "
      "AND $9::bigint IS NOT NULL AND id > $10::bigint AND id < $11::bigint";
  sql += filter.ended_before
             ? fmt::format(" AND {} AND coalesce(ended_at, started_at) < $12::bigint", kEnded)
             : " AND $12::bigint IS NULL";
  sql += filter.tenant ? " AND tenant = $13::text" : " AND $13::text IS NULL";
  if (filter.is_root) sql += " AND parent_session_id IS NULL";
  if (filter.is_abandoned) sql += fmt::format(" AND status = 'running' AND NOT {}", is_driven);
  if (filter.needs_driver) {
    sql += fmt::format(" AND id IN (SELECT id FROM up WHERE above IS NULL) AND NOT {} AND NOT {}",
                       kEnded, is_driven);
  }
  const bool keeps_first = filter.keep == Page::Keep::first;
  sql += fmt::format(" ORDER BY id {} LIMIT $6::bigint", keeps_first ? "" : "DESC");
  std::optional<std::string_view> status;
  if (filter.status) status = to_string(*filter.status);
  const store::Moment now = pool.now();
  auto sessions = TRY(read_list<Session>(
      pool, pool.statements().make(sql),
      values_of(filter.started_since, filter.agent_name, status, filter.parent_session_id,
                filter.text, row_limit(filter.limit), now.wall, now.boot_id, now.boot,
                filter.after.value_or(kFirstId), filter.before.value_or(kLastId),
                filter.ended_before, filter.tenant),
      filter.keeps_damaged ? store::damaged_session_of<Row> : store::session_of<Row>));
  if (keeps_first) std::ranges::reverse(sessions);
  return sessions;
}

Result<std::vector<StoredMessage>> read_messages(Pool& pool, SessionId id, const Page& page) {
  const bool is_forward = page.keep == Page::Keep::first;
  auto messages = TRY(read_list<StoredMessage>(
      pool, pool.statements()[is_forward ? Query::messages : Query::messages_backwards],
      values_of(id, page.after.value_or(kFirstId), page.before.value_or(kLastId),
                row_limit(page.limit)),
      store::message_of<Row>));
  put_in_order(page, messages);
  return of_session<StoredMessage>(pool, id, std::move(messages));
}

Result<std::vector<StoredCall>> read_calls(Pool& pool, SessionId id, const CallFilter& filter) {
  const Page& page = filter.page;
  const Sql sql = pool.statements().make(fmt::format(
      "SELECT {} FROM @agent_tool_calls WHERE session_id = $1::bigint AND id > $2::bigint "
      "AND id < $3::bigint AND {} AND {} {} LIMIT $4::bigint",
      store::kCallColumns, filter.status ? "status = $5::text" : "$5::text IS NULL",
      filter.tool_call_id ? "tool_call_id = $6::text" : "$6::text IS NULL", order_of(page)));
  std::optional<std::string_view> status;
  if (filter.status) status = to_string(*filter.status);
  auto calls = TRY(read_list<StoredCall>(
      pool, sql,
      values_of(id, page.after.value_or(kFirstId), page.before.value_or(kLastId),
                row_limit(page.limit), status, filter.tool_call_id),
      store::call_of<Row>));
  put_in_order(page, calls);
  return of_session<StoredCall>(pool, id, std::move(calls));
}

Result<std::vector<StoredWait>> read_waits(Pool& pool, const WaitFilter& filter) {
  const Page& page = filter.page;
  std::string sql =
      fmt::format("SELECT {} FROM @agent_waits WHERE id > $3::bigint AND id < $4::bigint AND ",
                  store::kWaitColumns);
  sql += filter.session_id ? fmt::format("session_id IN {}", kFamilyOfFirst) : "$1::bigint IS NULL";
  if (filter.status) sql += fmt::format(" AND status = '{}'", to_string(*filter.status));
  sql += filter.id ? " AND id = $2::bigint" : " AND $2::bigint IS NULL";
  sql += filter.tenant ? " AND EXISTS (SELECT 1 FROM @agent_sessions AS session "
                         "WHERE session.id = session_id AND session.tenant = $6::text)"
                       : " AND $6::text IS NULL";
  sql += fmt::format(" {} LIMIT $5::bigint", order_of(page));
  auto waits = TRY(read_list<StoredWait>(
      pool, pool.statements().make(sql),
      values_of(filter.session_id, filter.id, page.after.value_or(kFirstId),
                page.before.value_or(kLastId), row_limit(page.limit), filter.tenant),
      store::wait_of<Row>));
  put_in_order(page, waits);
  return of_session<StoredWait>(pool, filter.session_id, std::move(waits));
}

Result<std::vector<Record>> read_records(Pool& pool, const RecordFilter& filter) {
  const Sql sql = pool.statements().make(
      fmt::format("SELECT {} FROM @agent_records WHERE kind = $1::text "
                  "AND ($2::text IS NULL OR key = $2) AND ($3::bigint IS NULL OR due_at < $3) "
                  "{} ORDER BY due_at, id LIMIT $4::bigint",
                  store::kRecordColumns, filter.session_id ? "AND session_id = $5::bigint" : ""));
  std::vector<Record> records;
  TRY(pool.read([&] {
    records.clear();
    Values values = values_of(filter.kind, filter.key, filter.due_before, row_limit(filter.limit));
    if (filter.session_id) values.push_back(values_of(*filter.session_id).front());
    return std::vector{Request{&sql, std::move(values), [&](const Row& row) -> Result<void> {
                                 auto record = TRY(store::record_of(row));
                                 records.push_back(std::move(record));
                                 return {};
                               }}};
  }));
  return records;
}

Result<std::vector<Runner>> read_runners(Pool& pool) {
  return read_list<Runner>(pool, pool.statements()[Query::runners], {},
                           [](const Row& row) -> Result<Runner> { return store::runner_of(row); });
}

Result<RunnerNews> read_news(Pool& pool, RunnerId id) {
  RunnerNews news;
  const Statements& statements = pool.statements();
  TRY(pool.read([&] {
    news = {};
    const auto note_wish = [&](const Row& row) -> Result<void> {
      news.cancelled.push_back({row.integer(0), row.text(1)});
      return {};
    };
    const auto note_answer = [&](const Row& row) -> Result<void> {
      auto wait = TRY(store::wait_of(row));
      news.answered.push_back(std::move(wait));
      return {};
    };
    const auto note_session = [&](const Row& row) -> Result<void> {
      news.spoken_to.push_back(row.integer(0));
      return {};
    };
    return std::vector{
        Request{&statements[Query::wanted_cancelled], values_of(id), note_wish},
        Request{&statements[Query::answered_waits], values_of(id), note_answer},
        Request{&statements[Query::spoken_to], values_of(id), note_session},
    };
  }));
  return news;
}

Result<SpentBySpecialists> read_spent(Pool& pool, SessionId id, MessageId since) {
  Result<SpentBySpecialists> spent = std::unexpected(store::no_session(id));
  TRY(pool.read([&] {
    spent = std::unexpected(store::no_session(id));
    return std::vector{Request{&pool.statements()[Query::spent_by_specialists], values_of(id, since),
                               [&](const Row& row) -> Result<void> {
                                 if (row.integer(7) == 0) return {};
                                 spent = SpentBySpecialists{
                                     .usage = {row.integer(0), row.integer(1), row.integer(2),
                                               row.integer(3), row.integer(4), row.real(5)},
                                     .tool_calls = row.integer(6)};
                                 return {};
                               }}};
  }));
  return spent;
}

}  // namespace wright::postgres
