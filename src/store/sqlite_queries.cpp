#include "store/sqlite_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "core/try.h"

namespace wright::store {
namespace {

// What both updates of a session set.
constexpr std::string_view kProgress =
    "result = coalesce(?2, result), "
    "input_tokens = coalesce(?6, input_tokens), output_tokens = coalesce(?7, output_tokens), "
    "cached_tokens = coalesce(?8, cached_tokens), "
    "reasoning_tokens = coalesce(?9, reasoning_tokens), "
    "cache_write_tokens = coalesce(?10, cache_write_tokens), "
    "cost_usd = coalesce(?11, cost_usd), iterations = coalesce(?12, iterations), "
    "agent_name = coalesce(?13, agent_name), feedback = coalesce(?14, feedback), "
    "context = coalesce(?15, context), worked_ms = coalesce(?19, worked_ms), "
    "turn_worked_ms = coalesce(?20, turn_worked_ms), provider = coalesce(?21, provider), "
    "model = coalesce(?22, model), config = CASE WHEN ?23 THEN ?24 ELSE config END";

// What an ordinary turn changes.
constexpr std::string_view kCountUsage =
    "UPDATE agent_sessions SET input_tokens = ?2, output_tokens = ?3, cached_tokens = ?4, "
    "reasoning_tokens = ?5, cache_write_tokens = ?6, cost_usd = ?7, "
    "iterations = coalesce(?8, iterations), worked_ms = coalesce(?9, worked_ms), "
    "turn_worked_ms = coalesce(?10, turn_worked_ms)";
// By the runner ?11 in the epoch ?12, if that is given, and nobody wants it cancelled.
constexpr std::string_view kIsHeldAndWanted =
    "id = ?1 AND runner_id = ?11 AND (?12 IS NULL OR lease_epoch = ?12) AND cancel_reason IS NULL";

constexpr std::string_view kHasEnded =
    "(status = 'completed' OR status = 'failed' OR status = 'cancelled')";

std::string sql_of(Query query) {
  switch (query) {
    case Query::begin: return "BEGIN IMMEDIATE";
    case Query::commit: return "COMMIT";
    case Query::insert_session:
      // Nothing is inserted for a runner that is not alive, or a call that is not the parent's.
      return fmt::format(
          "INSERT INTO agent_sessions (agent_name, provider, model, system_prompt, user_prompt, "
          "started_at, parent_session_id, config, format_version, parent_call_id, runner_id, "
          "lease_epoch, status, priority, ready_at, labels, tenant) "
          "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11 IS NOT NULL, ?12, ?13, ?14, "
          "?18, coalesce((SELECT tenant FROM agent_sessions WHERE id = ?7), ?19) "
          "WHERE (?11 IS NULL OR {}) AND (?10 IS NULL OR EXISTS (SELECT 1 FROM agent_tool_calls "
          "WHERE id = ?10 AND session_id = ?7))",
          is_alive_sql("?11", 15));
    case Query::update_session:
      // ?17 is the end, for statuses that are one; ?18 says whether the runner is let go. No IN:
      // SQLite would build a table of its words every time.
      return fmt::format(
          "UPDATE agent_sessions SET status = ?16, ended_at = ?17, "
          "error = CASE WHEN ?16 = 'failed' OR ?16 = 'cancelled' THEN coalesce(?3, error) "
          "ELSE ?3 END, "
          "error_code = ?4, limit_reached = ?5, "
          "runner_id = CASE WHEN ?18 THEN NULL ELSE runner_id END, "
          "cancel_reason = CASE WHEN ?17 IS NULL THEN cancel_reason END, {} WHERE id = ?1 "
          "RETURNING parent_call_id",
          kProgress);
    case Query::update_progress:
      // Touches no column of an index that the session is in.
      return fmt::format(
          "UPDATE agent_sessions SET error = coalesce(?3, error), "
          "error_code = coalesce(?4, error_code), limit_reached = coalesce(?5, limit_reached), "
          "{} WHERE id = ?1",
          kProgress);
    case Query::update_usage: return fmt::format("{} WHERE id = ?1", kCountUsage);
    case Query::hold_and_count:
      return fmt::format("{} WHERE {} AND {}", kCountUsage, kIsHeldAndWanted,
                         is_alive_sql("?11", 13));
    case Query::hold_and_count_of_living:
      return fmt::format("{} WHERE {}", kCountUsage, kIsHeldAndWanted);
    case Query::delete_session: return "DELETE FROM agent_sessions WHERE id = ?1";
    case Query::session:
      return fmt::format("SELECT {} FROM agent_sessions WHERE id = ?1", kSessionColumns);
    case Query::session_exists: return "SELECT 1 FROM agent_sessions WHERE id = ?1";
    case Query::session_lease:
      return "SELECT runner_id, lease_epoch, status, parent_session_id FROM agent_sessions "
             "WHERE id = ?1";
    case Query::session_family:
      return "WITH RECURSIVE family (id) AS ("
             "SELECT id FROM agent_sessions WHERE id = ?1 UNION "
             "SELECT child.id FROM agent_sessions child "
             "JOIN family ON child.parent_session_id = family.id) "
             "SELECT id FROM family ORDER BY id DESC";
    case Query::ended_sessions:
      // Without the ?2 youngest of all that have ended.
      return fmt::format(
          "SELECT id FROM agent_sessions WHERE parent_session_id IS NULL AND {0} "
          "AND coalesce(ended_at, started_at) < ?1 AND NOT {1} "
          "AND id NOT IN (SELECT id FROM agent_sessions WHERE parent_session_id IS NULL AND {0} "
          "ORDER BY id DESC LIMIT ?2) ORDER BY id LIMIT ?3",
          kHasEnded, is_alive_sql("agent_sessions.runner_id", 4));
    case Query::insert_message:
      return "INSERT INTO agent_messages (session_id, role, content, created_at, parts, "
             "tool_call_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    case Query::messages:
      // The inner query reads the index alone; the rows then come by id without being sorted.
      return fmt::format(
          "SELECT {} FROM agent_messages WHERE id IN (SELECT id FROM agent_messages "
          "WHERE session_id = ?1 AND id > ?2 AND id < ?3) ORDER BY id LIMIT ?4",
          kMessageColumns);
    case Query::message_exists:
      return "SELECT 1 FROM agent_messages WHERE id = ?1 AND session_id = ?2";
    case Query::insert_call:
      return "INSERT INTO agent_tool_calls (session_id, message_id, tool_call_id, tool_name, "
             "request, created_at, status) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    case Query::update_call:
      // ?8 are the statuses that it may have had; see may_move_to(). None is a part of another.
      return "UPDATE agent_tool_calls SET status = ?2, completed_at = ?3, "
             "response = coalesce(?4, response), "
             "execution_time_ms = coalesce(?5, execution_time_ms), "
             "error_details = coalesce(?6, error_details), "
             "result = coalesce(?7, result), has_news = 0 "
             "WHERE id = ?1 AND instr(?8, status) > 0";
    case Query::call_status: return "SELECT status FROM agent_tool_calls WHERE id = ?1";
    case Query::call_status_in_session:
      return "SELECT status FROM agent_tool_calls WHERE id = ?1 AND session_id = ?2";
    case Query::calls:
      return fmt::format(
          "SELECT {} FROM agent_tool_calls WHERE session_id = ?1 AND id > ?2 AND id < ?3 "
          "ORDER BY id LIMIT ?4",
          kCallColumns);
    case Query::take_lease:
      return fmt::format(
          "UPDATE agent_sessions SET runner_id = ?2, lease_epoch = lease_epoch + 1 "
          "WHERE id = ?1 AND (?3 IS NULL OR lease_epoch = ?3) AND {} "
          "AND ((?3 IS NOT NULL AND runner_id = ?2) OR NOT {}) "
          "RETURNING lease_epoch, cancel_reason",
          is_alive_sql("?2", 4), is_alive_sql("agent_sessions.runner_id", 4));
    case Query::hold_lease:
      return fmt::format(
          "SELECT cancel_reason FROM agent_sessions WHERE id = ?1 AND runner_id = ?2 "
          "AND (?3 IS NULL OR lease_epoch = ?3) AND {}",
          is_alive_sql("?2", 4));
    case Query::hold_lease_of_living:
      return "SELECT cancel_reason FROM agent_sessions WHERE id = ?1 AND runner_id = ?2 "
             "AND (?3 IS NULL OR lease_epoch = ?3)";
    case Query::free_lease:
      return "UPDATE agent_sessions SET runner_id = NULL WHERE id = ?1 AND runner_id = ?2 "
             "AND (?3 IS NULL OR lease_epoch = ?3)";
    case Query::request_cancel:
      return fmt::format(
          "UPDATE agent_sessions SET cancel_reason = coalesce(cancel_reason, ?2) "
          "WHERE id = ?1 AND NOT {}",
          kHasEnded);
    case Query::enqueue_session:
      return fmt::format(
          "UPDATE agent_sessions SET status = 'queued', ended_at = NULL, error = NULL, "
          "error_code = NULL, limit_reached = NULL, runner_id = NULL, turn_worked_ms = 0, "
          "iterations = 0, priority = ?2, ready_at = ?3 "
          "WHERE id = ?1 AND parent_session_id IS NULL AND {} AND NOT {}",
          kHasEnded, is_alive_sql("agent_sessions.runner_id", 4));
    case Query::is_queue_full:
      return "SELECT EXISTS (SELECT 1 FROM agent_sessions WHERE status = 'queued' "
             "ORDER BY tenant, agent_name LIMIT 1 OFFSET ?1)";
    case Query::is_queue_full_for:
      return "SELECT EXISTS (SELECT 1 FROM agent_sessions WHERE status = 'queued' AND tenant = ?2 "
             "LIMIT 1 OFFSET ?1)";
    case Query::queued_lines:
      // Jumps from line to line in the index, however many sessions each of them has.
      return "WITH RECURSIVE lines (id) AS ("
             "SELECT (SELECT id FROM agent_sessions WHERE status = 'queued' "
             "ORDER BY tenant, agent_name LIMIT 1) UNION ALL "
             // Not one comparison of both: SQLite would look for the first of them alone.
             "SELECT coalesce((SELECT id FROM agent_sessions WHERE status = 'queued' "
             "AND tenant = one.tenant AND agent_name > one.agent_name ORDER BY agent_name LIMIT "
             "1), "
             "(SELECT id FROM agent_sessions WHERE status = 'queued' AND tenant > one.tenant "
             "ORDER BY tenant, agent_name LIMIT 1)) "
             "FROM lines JOIN agent_sessions AS one ON one.id = lines.id) "
             "SELECT one.tenant, one.agent_name, coalesce(served, 0), coalesce((SELECT max(served) "
             "FROM agent_lines AS any WHERE any.tenant = one.tenant), 0) "
             "FROM lines JOIN agent_sessions AS one ON one.id = lines.id "
             "LEFT JOIN agent_lines AS line ON line.tenant = one.tenant "
             "AND line.agent_name = one.agent_name";
    case Query::queued_sessions:
      return fmt::format(
          "SELECT id, priority FROM agent_sessions WHERE status = 'queued' AND tenant = ?8 "
          "AND agent_name = ?1 "
          "AND parent_session_id IS NULL AND (ready_at IS NULL OR ready_at <= ?3) AND NOT {} "
          "AND (labels IS NULL OR NOT EXISTS (SELECT 1 FROM json_each('[\"' || "
          "replace(labels, ',', '\",\"') || '\"]') WHERE value NOT IN (SELECT value FROM "
          "json_each(?6)))) AND id NOT IN (SELECT value FROM json_each(?7)) "
          "AND provider NOT IN (SELECT value FROM json_each(?9)) "
          "AND provider || ':' || model NOT IN (SELECT value FROM json_each(?9)) "
          "ORDER BY priority DESC, id LIMIT ?2",
          is_alive_sql("agent_sessions.runner_id", 3));
    case Query::claim_session:
      return "UPDATE agent_sessions SET status = 'running', runner_id = ?2, "
             "lease_epoch = lease_epoch + 1 WHERE id = ?1 RETURNING lease_epoch, cancel_reason";
    case Query::last_served: return "SELECT coalesce(max(served), 0) FROM agent_lines";
    case Query::serve_line:
      return "INSERT INTO agent_lines (tenant, agent_name, served) VALUES (?1, ?2, ?3) "
             "ON CONFLICT (tenant, agent_name) DO UPDATE SET served = excluded.served";
    case Query::pace:
      return "SELECT requests_until, tokens_until, paused_until FROM agent_paces WHERE name = ?1";
    case Query::keep_pace:
      return "INSERT INTO agent_paces (name, requests_until, tokens_until, paused_until) "
             "VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name) DO UPDATE SET "
             "requests_until = excluded.requests_until, tokens_until = excluded.tokens_until, "
             "paused_until = excluded.paused_until";
    case Query::other_slots:
      return "SELECT slots, wanted FROM agent_slots WHERE name = ?1 AND runner_id <> ?2";
    case Query::keep_slots:
      return "INSERT INTO agent_slots (name, runner_id, slots, wanted) VALUES (?1, ?2, ?3, ?4) "
             "ON CONFLICT (name, runner_id) DO UPDATE SET slots = excluded.slots, "
             "wanted = excluded.wanted";
    case Query::forget_slots:
      return fmt::format("DELETE FROM agent_slots WHERE NOT {}",
                         is_alive_sql("agent_slots.runner_id", 1));
    case Query::insert_wait:
      return "INSERT INTO agent_waits (session_id, call_id, kind, shown, created_at, expires_at, "
             "covers, state) SELECT session_id, id, ?3, ?4, ?5, ?6, ?7, ?8 FROM agent_tool_calls "
             "WHERE id = ?2 AND session_id = ?1 AND status = 'waiting' ON CONFLICT DO NOTHING";
    case Query::close_waits:
      return "UPDATE agent_waits SET status = ?3 WHERE session_id = ?1 AND status = 'open' "
             "AND (?2 IS NULL OR call_id = ?2)";
    case Query::cancel_waits:  // of the session, and of all below it
      return "WITH RECURSIVE family (id) AS (SELECT ?1 UNION "
             "SELECT child.id FROM agent_sessions child "
             "JOIN family ON child.parent_session_id = family.id) "
             "UPDATE agent_waits SET status = 'cancelled' WHERE status = 'open' "
             "AND session_id IN (SELECT id FROM family)";
    case Query::answer_wait:
      return fmt::format(
          "UPDATE agent_waits SET status = 'answered', answered_at = ?2, answered_by = ?3, "
          "answer = ?4 WHERE id = ?1 AND status = 'open' "
          "AND (expires_at IS NULL OR expires_at > ?2) RETURNING {}",
          kWaitColumns);
    case Query::tell_of_news:
      return "UPDATE agent_tool_calls SET has_news = 1 WHERE id = ?1 AND status = 'waiting'";
    case Query::wait: return fmt::format("SELECT {} FROM agent_waits WHERE id = ?1", kWaitColumns);
    case Query::insert_runner:
      return "INSERT INTO agent_runners (name, expires_at, boot_id, boot_expires_at) "
             "VALUES (?1, ?2, ?3, ?4)";
    case Query::renew_runner:
      return "UPDATE agent_runners SET expires_at = ?2, boot_id = ?3, boot_expires_at = ?4 "
             "WHERE id = ?1";
    case Query::delete_runner: return "DELETE FROM agent_runners WHERE id = ?1";
    case Query::runner:
      return fmt::format("SELECT {} FROM agent_runners WHERE id = ?1", kRunnerColumns);
    case Query::runners:
      return fmt::format("SELECT {} FROM agent_runners ORDER BY id", kRunnerColumns);
    case Query::fork_session:
      // ?3 says whether everything was copied, and with it what the session came to.
      return "INSERT INTO agent_sessions (agent_name, provider, model, system_prompt, user_prompt, "
             "status, started_at, ended_at, result, config, format_version, forked_from, feedback, "
             "context, tenant, labels) SELECT agent_name, provider, model, system_prompt, "
             "user_prompt, "
             "'completed', ?2, ?2, "
             "iif(?3, result, NULL), config, format_version, id, iif(?3, feedback, NULL), "
             "iif(?3, context, NULL), tenant, labels "
             "FROM agent_sessions WHERE id = ?1";
    case Query::fork_message:
      return "INSERT INTO agent_messages (session_id, role, content, created_at, parts, "
             "tool_call_id) SELECT ?2, role, content, created_at, parts, tool_call_id "
             "FROM agent_messages WHERE id = ?1";
    case Query::fork_call:
      return "INSERT INTO agent_tool_calls (session_id, message_id, tool_call_id, tool_name, "
             "request, response, status, created_at, completed_at, execution_time_ms, "
             "error_details, result) SELECT ?2, ?3, tool_call_id, tool_name, request, response, "
             "status, created_at, completed_at, execution_time_ms, error_details, result "
             "FROM agent_tool_calls WHERE id = ?1";
    case Query::insert_event:
      return "INSERT INTO agent_events (session_id, type, data, at) VALUES (?1, ?2, ?3, ?4)";
    case Query::records_of_session:
      return fmt::format(
          "SELECT {} FROM agent_records WHERE kind = ?1 AND (?2 IS NULL OR key = ?2) "
          "AND (?3 IS NULL OR due_at < ?3) AND session_id = ?5 ORDER BY due_at, id LIMIT ?4",
          kRecordColumns);
    case Query::insert_record:
      return "INSERT INTO agent_records (kind, key, value, due_at, session_id) "
             "SELECT ?1, ?2, ?3, ?4, ?5 "
             "WHERE ?5 IS NULL OR EXISTS (SELECT 1 FROM agent_sessions WHERE id = ?5) "
             "ON CONFLICT (kind, key) DO NOTHING RETURNING 1";
    case Query::update_record:
      return "UPDATE agent_records SET value = ?3, due_at = ?4, version = version + 1 "
             "WHERE kind = ?1 AND key = ?2 AND version = ?5 RETURNING 1";
    case Query::delete_records:
      return "DELETE FROM agent_records WHERE kind = ?1 AND (?2 IS NULL OR key = ?2) "
             "AND (?3 IS NULL OR version = ?3) AND (?4 IS NULL OR due_at < ?4)";
    case Query::spoken_to:
      return "SELECT DISTINCT session_id FROM agent_records JOIN agent_sessions "
             "ON agent_sessions.id = session_id WHERE session_id IS NOT NULL AND kind = 'said' "
             "AND runner_id = ?1 ORDER BY session_id";
    case Query::wanted_cancelled:
      return "WITH RECURSIVE up (id, wanted) AS ("
             "SELECT id, id FROM agent_sessions WHERE cancel_reason IS NOT NULL UNION ALL "
             "SELECT parent_session_id, wanted FROM up JOIN agent_sessions USING (id) "
             "WHERE parent_session_id IS NOT NULL) "
             "SELECT id, cancel_reason FROM agent_sessions WHERE id IN (SELECT wanted FROM up "
             "JOIN agent_sessions USING (id) WHERE runner_id = ?1) ORDER BY id";
    case Query::answered_waits:
      // The last wait of a call counts.
      return fmt::format(
          "WITH RECURSIVE up (id, waiting) AS ("
          "SELECT session_id, session_id FROM agent_tool_calls WHERE has_news = 1 UNION "
          "SELECT parent_session_id, waiting FROM up JOIN agent_sessions USING (id) "
          "WHERE parent_session_id IS NOT NULL) "
          "SELECT {} FROM agent_waits WHERE status = 'answered' AND id IN ("
          "SELECT (SELECT max(id) FROM agent_waits WHERE call_id = agent_tool_calls.id) "
          "FROM agent_tool_calls WHERE has_news = 1 AND session_id IN (SELECT waiting FROM up "
          "JOIN agent_sessions USING (id) WHERE runner_id = ?1)) ORDER BY id",
          kWaitColumns);
    case Query::spent_by_specialists:
      // What was refused or given up before it began took no time.
      return "WITH RECURSIVE below (id) AS ("
             "SELECT id FROM agent_sessions WHERE parent_session_id = ?1 UNION "
             "SELECT child.id FROM agent_sessions child "
             "JOIN below ON child.parent_session_id = below.id) "
             "SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), "
             "coalesce(sum(cached_tokens), 0), coalesce(sum(reasoning_tokens), 0), "
             "coalesce(sum(cache_write_tokens), 0), coalesce(sum(cost_usd), 0), "
             "(SELECT count(*) FROM agent_tool_calls JOIN below ON session_id = below.id "
             "WHERE message_id > ?2 AND (status = 'executing' OR status = 'completed' "
             "OR status = 'waiting' OR status = 'unknown' OR (status <> 'pending' "
             "AND execution_time_ms IS NOT NULL))), "
             "EXISTS (SELECT 1 FROM agent_sessions WHERE id = ?1) "
             "FROM below JOIN agent_sessions USING (id)";
  }
  return {};
}

}  // namespace

std::int64_t row_limit(std::size_t count) {
  constexpr auto kMost = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  return static_cast<std::int64_t>(std::min<std::uint64_t>(count, kMost));
}

std::string is_alive_sql(std::string_view runner, int first) {
  return fmt::format(
      "EXISTS (SELECT 1 FROM agent_runners WHERE id = {} AND CASE WHEN boot_id = ?{} "
      "THEN boot_expires_at > ?{} ELSE expires_at > ?{} END)",
      runner, first + 1, first + 2, first);
}

Result<Statement*> Queries::prepared(Query query) {
  auto& kept = statements_[static_cast<std::size_t>(query)];
  if (!kept) {
    kept = TRY(Statement::prepare(connection_, sql_of(query), Lifetime::kept));
  }
  return &*kept;
}

}  // namespace wright::store
