#include "postgres/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "postgres/schema.h"
#include "postgres/session_statements.h"
#include "store/columns.h"

namespace wright::postgres {
namespace {

using store::kMessageColumns;
using store::kRunnerColumns;
using store::kSessionColumns;
using store::kWaitColumns;

std::string sql_of(Query query, std::string_view schema) {
  switch (query) {
    case Query::begin: return "BEGIN";
    case Query::limit_idleness:
      // A process that is stopped in the middle must not keep its rows locked.
      return "SET LOCAL idle_in_transaction_session_timeout = '5s'";
    case Query::commit: return "COMMIT";
    case Query::rollback: return "ROLLBACK";
    case Query::savepoint: return "SAVEPOINT before_write";
    case Query::rollback_to_savepoint: return "ROLLBACK TO SAVEPOINT before_write";
    case Query::server_time: return "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    case Query::begin_writer:
      return "INSERT INTO @agent_writers (id, batch, used_at) VALUES ($1::bigint, $2::bigint, "
             "(extract(epoch FROM clock_timestamp()) * 1000)::bigint)";
    case Query::end_writer: return "DELETE FROM @agent_writers WHERE id = $1::bigint";
    case Query::advance_writer:
      return must_change(
          "UPDATE @agent_writers SET batch = $2::bigint + 1 WHERE id = $1::bigint "
          "AND batch = $2::bigint RETURNING 1");
    case Query::fence_writer:
      return "UPDATE @agent_writers SET batch = batch + 2 WHERE id = $1::bigint RETURNING batch";
    case Query::forget_writers:
      // Those of processes that were killed days ago.
      return "DELETE FROM @agent_writers WHERE used_at < "
             "(extract(epoch FROM clock_timestamp() - interval '2 days') * 1000)::bigint";
    case Query::lock_events:
      return fmt::format("SELECT pg_advisory_xact_lock_shared({}, {})", kLockClass,
                         lock_of(schema, "events"));
    case Query::event_writers:
      return fmt::format(
          "SELECT virtualtransaction FROM pg_locks WHERE locktype = 'advisory' "
          "AND classid::bigint = {} AND objid::bigint = {} AND objsubid = 2 AND granted "
          "AND mode = 'ShareLock' AND database = (SELECT oid FROM pg_database WHERE datname = "
          "current_database())",
          kLockClass, static_cast<std::uint32_t>(lock_of(schema, "events")));
    case Query::last_event:
      return "SELECT CASE WHEN is_called THEN last_value ELSE 0 END "
             "FROM @agent_events_sequence_seq";
    case Query::session:
      return fmt::format("SELECT {} FROM @agent_sessions WHERE id = $1::bigint", kSessionColumns);
    case Query::session_exists: return "SELECT 1 FROM @agent_sessions WHERE id = $1::bigint";
    case Query::must_exist:
      return fmt::format("SELECT 1 / (SELECT count(*) FROM @agent_sessions WHERE id = {})",
                         kTarget);
    case Query::session_lease:
      return "SELECT runner_id, lease_epoch, status, parent_session_id FROM @agent_sessions "
             "WHERE id = $1::bigint";
    case Query::insert_message:
      return fmt::format(
          "INSERT INTO @agent_messages (session_id, role, content, created_at, parts, "
          "tool_call_id) VALUES ({}, $2::text, $3::text, $4::bigint, $5::text, $6::text) "
          "RETURNING id",
          kTarget);
    case Query::messages:
    case Query::messages_backwards:
      return fmt::format(
          "SELECT {} FROM @agent_messages WHERE session_id = $1::bigint AND id > $2::bigint "
          "AND id < $3::bigint ORDER BY id {} LIMIT $4::bigint",
          kMessageColumns, query == Query::messages ? "" : "DESC");
    case Query::message_exists:
      return "SELECT 1 FROM @agent_messages WHERE id = $1::bigint AND session_id = $2::bigint";
    case Query::message_in_session:
      return "SELECT 1 / (SELECT count(*) FROM @agent_messages WHERE id = $1::bigint "
             "AND session_id = $2::bigint)";
    case Query::insert_call:
    case Query::insert_call_of_message:
      return fmt::format(
          "INSERT INTO @agent_tool_calls (session_id, message_id, tool_call_id, tool_name, "
          "request, created_at, status) VALUES ({}, {}, $3::text, $4::text, $5::text, "
          "$6::bigint, $7::text) RETURNING id",
          kTarget,
          query == Query::insert_call ? "$2::bigint"
                                      : "coalesce($2::bigint, currval('@agent_messages_id_seq'))");
    case Query::update_call:
    case Query::update_last_call:
      // $8 are the statuses that it may have had; see may_move_to().
      return must_change(
          fmt::format("UPDATE @agent_tool_calls SET status = $2::text, completed_at = $3::bigint, "
                      "response = coalesce($4::text, response), "
                      "execution_time_ms = coalesce($5::bigint, execution_time_ms), "
                      "error_details = coalesce($6::text, error_details), "
                      "result = coalesce($7::text, result), has_news = 0 "
                      "WHERE id = {} AND strpos($8::text, ',' || status || ',') > 0 RETURNING 1",
                      query == Query::update_call
                          ? "$1::bigint"
                          : "(SELECT coalesce($1::bigint, currval('@agent_tool_calls_id_seq')))"));
    case Query::call_status: return "SELECT status FROM @agent_tool_calls WHERE id = $1::bigint";
    case Query::call_status_in_session:
      return "SELECT status FROM @agent_tool_calls WHERE id = $1::bigint "
             "AND session_id = $2::bigint";
    case Query::insert_wait:
      return must_change(
          fmt::format("INSERT INTO @agent_waits (session_id, call_id, kind, shown, created_at, "
                      "expires_at, covers, state) SELECT session_id, id, $3::text, $4::text, "
                      "$5::bigint, $6::bigint, $7::text, $8::text FROM @agent_tool_calls WHERE id "
                      "= $2::bigint "
                      "AND session_id = {} AND status = 'waiting' ON CONFLICT DO NOTHING "
                      "RETURNING id",
                      kTarget),
          "id");
    case Query::close_waits:
      return fmt::format(
          "WITH done AS (UPDATE @agent_waits SET status = $3::text WHERE session_id = {0} "
          "AND status = 'open' AND ($2::bigint IS NULL OR call_id = $2) RETURNING call_id), "
          "told AS (UPDATE @agent_tool_calls SET has_news = 1 WHERE $3 = 'expired' "
          "AND id = $2 AND id IN (SELECT call_id FROM done) AND status = 'waiting') "
          "SELECT 1 / (SELECT count(*) FROM @agent_sessions WHERE id = {0})",
          kTarget);
    case Query::cancel_waits:  // of the session, and of all below it
      return fmt::format(
          "WITH RECURSIVE family (id) AS (SELECT {} UNION SELECT child.id "
          "FROM @agent_sessions child JOIN family ON child.parent_session_id = family.id) "
          "UPDATE @agent_waits SET status = 'cancelled' WHERE status = 'open' "
          "AND session_id IN (SELECT id FROM family)",
          kTarget);
    case Query::answer_wait:
      return must_change(
          fmt::format("UPDATE @agent_waits SET status = 'answered', answered_at = $2::bigint, "
                      "answered_by = $3::text, answer = $4::text WHERE id = $1::bigint "
                      "AND status = 'open' AND (expires_at IS NULL OR expires_at > $2) "
                      "RETURNING {}",
                      kWaitColumns),
          kWaitColumns,
          ", told AS (UPDATE @agent_tool_calls SET has_news = 1 WHERE id = (SELECT call_id "
          "FROM done) AND status = 'waiting')");
    case Query::wait:
      return fmt::format("SELECT {} FROM @agent_waits WHERE id = $1::bigint", kWaitColumns);
    case Query::insert_runner:
      return "INSERT INTO @agent_runners (name, expires_at, boot_id, boot_expires_at) "
             "VALUES ($1::text, $2::bigint, $3::text, $4::bigint) RETURNING id";
    case Query::renew_runner:
      return must_change(
          "UPDATE @agent_runners SET expires_at = $2::bigint, boot_id = $3::text, "
          "boot_expires_at = $4::bigint WHERE id = $1::bigint RETURNING 1");
    case Query::delete_runner: return "DELETE FROM @agent_runners WHERE id = $1::bigint";
    case Query::runner:
      return fmt::format("SELECT {} FROM @agent_runners WHERE id = $1::bigint", kRunnerColumns);
    case Query::runners:
      return fmt::format("SELECT {} FROM @agent_runners ORDER BY id", kRunnerColumns);
    case Query::insert_events:
      return fmt::format(
          "INSERT INTO @agent_events (session_id, type, data, at) SELECT {}, type, data, "
          "at::bigint FROM unnest($2::text[], $3::text[], $4::text[]) "
          "WITH ORDINALITY AS event (type, data, at, place) ORDER BY place RETURNING sequence",
          kTarget);
    case Query::insert_record:
      return must_change(
          "INSERT INTO @agent_records (kind, key, value, due_at, session_id) "
          "SELECT $1::text, $2::text, $3::text, $4::bigint, $5::bigint WHERE $5::bigint IS NULL "
          "OR EXISTS (SELECT 1 FROM @agent_sessions WHERE id = $5::bigint) "
          "ON CONFLICT (kind, key) DO NOTHING RETURNING 1");
    case Query::update_record:
      return must_change(
          "UPDATE @agent_records SET value = $3::text, due_at = $4::bigint, "
          "version = version + 1 WHERE kind = $1::text AND key = $2::text "
          "AND version = $5::bigint RETURNING 1");
    case Query::spoken_to:
      return "SELECT DISTINCT session_id FROM @agent_records AS record JOIN @agent_sessions "
             "AS session ON session.id = record.session_id WHERE record.session_id IS NOT NULL "
             "AND kind = 'said' AND runner_id = $1::bigint ORDER BY session_id";
    case Query::delete_records:
      return "DELETE FROM @agent_records WHERE kind = $1::text "
             "AND ($2::text IS NULL OR key = $2) AND ($3::bigint IS NULL OR version = $3) "
             "AND ($4::bigint IS NULL OR due_at < $4)";
    default: return session_sql_of(query);
  }
}

}  // namespace

std::int64_t row_limit(std::size_t count) {
  constexpr auto kMost = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  return static_cast<std::int64_t>(std::min<std::uint64_t>(count, kMost));
}

std::string is_alive_sql(std::string_view runner, int first) {
  return fmt::format(
      "EXISTS (SELECT 1 FROM @agent_runners AS living WHERE living.id = {} "
      "AND CASE WHEN living.boot_id = ${}::text THEN living.boot_expires_at > ${}::bigint "
      "ELSE living.expires_at > ${}::bigint END)",
      runner, first + 1, first + 2, first);
}

std::string must_change(std::string_view statement, std::string_view columns,
                        std::string_view more) {
  return fmt::format(
      "WITH done AS ({}){} SELECT {}{}1 / (SELECT count(*) FROM done) "
      "FROM (SELECT 1) AS always LEFT JOIN done ON true",
      statement, more, columns, columns.empty() ? "" : ", ");
}

Statements::Statements(std::string schema) : schema_(std::move(schema)) {
  for (std::size_t i = 0; i < kQueryCount; ++i) {
    sql_[i] = make(sql_of(static_cast<Query>(i), schema_));
  }
}

Sql Statements::make(std::string_view sql) const {
  return Sql(in_schema(sql, schema_));
}

}  // namespace wright::postgres
