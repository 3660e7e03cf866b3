#include "postgres/session_statements.h"

#include <fmt/format.h>

#include "store/columns.h"

namespace wright::postgres {
namespace {

// What both updates of a session set.
constexpr std::string_view kProgress =
    "result = coalesce($2::text, result), "
    "input_tokens = coalesce($6::bigint, input_tokens), "
    "output_tokens = coalesce($7::bigint, output_tokens), "
    "cached_tokens = coalesce($8::bigint, cached_tokens), "
    "reasoning_tokens = coalesce($9::bigint, reasoning_tokens), "
    "cache_write_tokens = coalesce($10::bigint, cache_write_tokens), "
    "cost_usd = coalesce($11::float8, cost_usd), iterations = coalesce($12::bigint, iterations), "
    "agent_name = coalesce($13::text, agent_name), feedback = coalesce($14::text, feedback), "
    "context = coalesce($15::text, context), worked_ms = coalesce($16::bigint, worked_ms), "
    "turn_worked_ms = coalesce($17::bigint, turn_worked_ms), "
    "provider = coalesce($18::text, provider), model = coalesce($19::text, model), "
    "config = CASE WHEN $20::bigint = 1 THEN $21::text ELSE config END";

constexpr std::string_view kHasEnded = "status IN ('completed', 'failed', 'cancelled')";

constexpr std::string_view kFamilies =
    "family (id) AS (SELECT id FROM roots UNION SELECT child.id FROM @agent_sessions child "
    "JOIN family ON child.parent_session_id = family.id), "
    "gone AS (DELETE FROM @agent_sessions WHERE id IN (SELECT id FROM family) RETURNING id) ";

// What may be claimed as far as the index knows; the words of idx_agent_sessions_ready.
constexpr std::string_view kReady =
    "status = 'queued' AND NOT is_delayed AND parent_session_id IS NULL";
constexpr std::string_view kLine = "tenant, agent_name, coalesce(labels, ''), provider, model";

// Locks what one claim may choose from and leaves what others are about to take. Jumps from line to
// line in the index, leaves those that are not for this runner, and reads no more of the others
// than it may take. Tenants take turns, and the agents of each: each row's place among those of its
// agent comes first, then whose turn it is.
std::string claim_sql() {
  return fmt::format(
      "WITH RECURSIVE lines (tenant, name, labels, provider, model) AS ("
      "(SELECT {1} FROM @agent_sessions WHERE {0} ORDER BY {1} LIMIT 1) UNION ALL "
      "SELECT next.* FROM lines CROSS JOIN LATERAL ("
      "SELECT {1} FROM @agent_sessions WHERE {0} "
      "AND ({1}) > (lines.tenant, lines.name, lines.labels, lines.provider, lines.model) "
      "ORDER BY {1} LIMIT 1) AS next), "
      "wanted AS (SELECT * FROM lines WHERE ($3::text[] IS NULL OR name = ANY ($3)) "
      "AND (labels = '' OR NOT EXISTS (SELECT 1 FROM unnest(string_to_array(labels, ',')) "
      "AS label WHERE NOT (label = ANY ($7::text[])))) "
      "AND NOT (provider = ANY ($9::text[])) AND NOT (provider || ':' || model = ANY ($9))), "
      "found AS MATERIALIZED (SELECT wanted.tenant, wanted.name, coalesce(served, 0) AS served, "
      "line.id, line.priority FROM wanted LEFT JOIN @agent_lines AS known "
      "ON known.tenant = wanted.tenant AND known.agent_name = wanted.name "
      "CROSS JOIN LATERAL (SELECT id, priority FROM @agent_sessions AS queued WHERE {0} "
      "AND queued.tenant = wanted.tenant AND queued.agent_name = wanted.name "
      "AND coalesce(queued.labels, '') = wanted.labels AND queued.provider = wanted.provider "
      "AND queued.model = wanted.model "
      "AND (ready_at IS NULL OR ready_at <= $4::bigint) AND NOT {2} "
      "AND NOT (id = ANY ($8::bigint[])) "
      "ORDER BY priority DESC, id LIMIT $2::bigint FOR NO KEY UPDATE SKIP LOCKED) AS line), "
      "placed AS (SELECT *, row_number() OVER (PARTITION BY tenant, name "
      "ORDER BY priority DESC, id) AS place FROM found), "
      "turns AS (SELECT tenant, name, row_number() OVER (PARTITION BY tenant "
      "ORDER BY served, priority DESC, id) AS turn FROM placed WHERE place = 1), "
      "rounds AS (SELECT id, tenant, name, priority, row_number() OVER (PARTITION BY tenant "
      "ORDER BY place, turn) AS round FROM placed JOIN turns USING (tenant, name)), "
      "tenants AS (SELECT tenant, row_number() OVER (ORDER BY (SELECT coalesce(max(served), 0) "
      "FROM @agent_lines AS any_line WHERE any_line.tenant = rounds.tenant), priority DESC, id) "
      "AS tenant_turn FROM rounds WHERE round = 1), "
      "chosen AS (SELECT id, tenant, name, row_number() OVER (ORDER BY round, tenant_turn) "
      "AS position FROM rounds JOIN tenants USING (tenant) ORDER BY round, tenant_turn LIMIT $2), "
      "claimed AS (UPDATE @agent_sessions AS session SET status = 'running', "
      "runner_id = $1::bigint, lease_epoch = lease_epoch + 1 FROM chosen "
      "WHERE session.id = chosen.id AND session.status = 'queued' "
      "RETURNING session.id, lease_epoch, cancel_reason, position), "
      "served AS (SELECT tenant, name, (SELECT coalesce(max(served), 0) FROM @agent_lines) "
      "+ max(position) AS served FROM chosen GROUP BY tenant, name), "
      "first_time AS (INSERT INTO @agent_lines (tenant, agent_name, served) "
      "SELECT tenant, name, served FROM served ORDER BY tenant, name ON CONFLICT DO NOTHING), "
      // Whoever serves the same line at this moment says so for both.
      "again AS (UPDATE @agent_lines AS line SET served = served.served FROM served, "
      "(SELECT tenant, agent_name FROM @agent_lines WHERE (tenant, agent_name) IN "
      "(SELECT tenant, name FROM served) FOR UPDATE SKIP LOCKED) AS free "
      "WHERE line.tenant = served.tenant AND line.agent_name = served.name "
      "AND free.tenant = served.tenant AND free.agent_name = served.name) "
      "SELECT id, lease_epoch, cancel_reason FROM claimed ORDER BY position",
      kReady, kLine, is_alive_sql("queued.runner_id", 4));
}

}  // namespace

std::string session_sql_of(Query query) {
  switch (query) {
    case Query::insert_session:
      // Nothing is inserted for a runner that is not alive, or a call that is not the parent's.
      return must_change(
          fmt::format(
              "INSERT INTO @agent_sessions (agent_name, provider, model, system_prompt, "
              "user_prompt, started_at, parent_session_id, config, format_version, "
              "parent_call_id, runner_id, lease_epoch, status, priority, ready_at, labels, "
              "tenant, is_delayed) "
              "SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::bigint, "
              "$7::bigint, $8::text, $9::bigint, $10::bigint, $11::bigint, "
              "CASE WHEN $11::bigint IS NULL THEN 0 ELSE 1 END, $12::text, $13::bigint, "
              "$14::bigint, $18::text, coalesce((SELECT tenant FROM @agent_sessions "
              "WHERE id = $7::bigint), $19::text), "
              "coalesce($14::bigint > $15::bigint, false) WHERE ($11::bigint IS NULL OR {}) AND "
              "($10::bigint "
              "IS NULL OR "
              "EXISTS (SELECT 1 FROM @agent_tool_calls WHERE id = $10 "
              "AND session_id = $7)) RETURNING id",
              is_alive_sql("$11::bigint", 15)),
          "id");
    case Query::update_session:
      // $23 is the end, for statuses that are one; a call of the session above may wait for it.
      return must_change(
          fmt::format("UPDATE @agent_sessions SET status = $22::text, ended_at = $23::bigint, "
                      "error = CASE WHEN $22 = 'failed' OR $22 = 'cancelled' "
                      "THEN coalesce($3::text, error) ELSE $3 END, "
                      "error_code = $4::text, limit_reached = $5::text, "
                      "runner_id = CASE WHEN $22 = 'running' THEN runner_id END, "
                      "cancel_reason = CASE WHEN $23 IS NULL THEN cancel_reason END, {} "
                      "WHERE id = {} RETURNING parent_call_id",
                      kProgress, kTarget),
          {},
          ", told AS (UPDATE @agent_tool_calls SET has_news = 1 WHERE $23 IS NOT NULL "
          "AND id = (SELECT parent_call_id FROM done) AND status = 'waiting')");
    case Query::update_progress:
      return must_change(fmt::format(
          "UPDATE @agent_sessions SET error = coalesce($3::text, error), "
          "error_code = coalesce($4::text, error_code), "
          "limit_reached = coalesce($5::text, limit_reached), {} WHERE id = {} RETURNING 1",
          kProgress, kTarget));
    case Query::delete_family:
      return fmt::format(
          "WITH RECURSIVE roots (id) AS (SELECT id FROM @agent_sessions AS session "
          "WHERE id = $1::bigint AND ($2::bigint = 0 OR (status <> 'running' AND NOT {})) "
          "FOR UPDATE OF session), {} SELECT 1 / (SELECT count(*) FROM roots)",
          is_alive_sql("session.runner_id", 3), kFamilies);
    case Query::prune:
      // Without the $2 youngest of all that have ended.
      return fmt::format(
          "WITH RECURSIVE roots (id) AS (SELECT id FROM @agent_sessions AS session "
          "WHERE parent_session_id IS NULL AND {0} "
          "AND coalesce(ended_at, started_at) < $1::bigint AND NOT {1} AND id NOT IN ("
          "SELECT id FROM @agent_sessions WHERE parent_session_id IS NULL AND {0} "
          "ORDER BY id DESC LIMIT $2::bigint) ORDER BY id LIMIT $3::bigint FOR UPDATE OF session "
          "SKIP LOCKED), "
          "{2} SELECT id FROM roots ORDER BY id",
          kHasEnded, is_alive_sql("session.runner_id", 4), kFamilies);
    case Query::take_lease:
      return must_change(
          fmt::format("UPDATE @agent_sessions AS session SET runner_id = $2::bigint, "
                      "lease_epoch = lease_epoch + 1 WHERE id = {} "
                      "AND ($3::bigint IS NULL OR lease_epoch = $3) AND {} "
                      "AND (($3 IS NOT NULL AND runner_id = $2) OR NOT {}) "
                      "RETURNING lease_epoch, cancel_reason, id",
                      kTarget, is_alive_sql("$2::bigint", 4), is_alive_sql("session.runner_id", 4)),
          "lease_epoch, cancel_reason, id");
    case Query::hold_lease:
      // Whoever wants to take the session waits until what is written now is committed.
      return must_change(
          fmt::format("SELECT cancel_reason, id FROM @agent_sessions AS session WHERE id = {} "
                      "AND runner_id = $2::bigint AND ($3::bigint IS NULL OR lease_epoch = $3) "
                      "AND {} FOR NO KEY UPDATE OF session",
                      kTarget, is_alive_sql("$2::bigint", 4)),
          "cancel_reason, id");
    case Query::free_lease:
      return fmt::format(
          "WITH done AS (UPDATE @agent_sessions SET runner_id = NULL WHERE id = {0} "
          "AND runner_id = $2::bigint AND ($3::bigint IS NULL OR lease_epoch = $3)) "
          "SELECT 1 / (SELECT count(*) FROM @agent_sessions WHERE id = {0})",
          kTarget);
    case Query::request_cancel:
      return must_change(fmt::format(
          "UPDATE @agent_sessions SET cancel_reason = coalesce(cancel_reason, $2::text) "
          "WHERE id = {} AND NOT {} RETURNING 1",
          kTarget, kHasEnded));
    case Query::enqueue_session:
      return must_change(fmt::format(
          "UPDATE @agent_sessions AS session SET status = 'queued', ended_at = NULL, "
          "error = NULL, error_code = NULL, limit_reached = NULL, runner_id = NULL, "
          "turn_worked_ms = 0, iterations = 0, priority = $2::bigint, ready_at = $3::bigint, "
          "is_delayed = coalesce($3::bigint > $4::bigint, false) "
          "WHERE id = {} AND parent_session_id IS NULL AND {} AND NOT {} RETURNING 1",
          kTarget, kHasEnded, is_alive_sql("session.runner_id", 4)));
    case Query::limit_queue:
      // The row behind the last that may be there; nothing is counted beyond it.
      return "SELECT 1 / (CASE WHEN EXISTS (SELECT 1 FROM @agent_sessions WHERE status = 'queued' "
             "OFFSET $1::bigint LIMIT 1) THEN 0 ELSE 1 END)";
    case Query::limit_queue_of:
      return "SELECT 1 / (CASE WHEN EXISTS (SELECT 1 FROM @agent_sessions WHERE status = 'queued' "
             "AND tenant = $2::text OFFSET $1::bigint LIMIT 1) THEN 0 ELSE 1 END)";
    case Query::runner_lives:
      return fmt::format("SELECT 1 / (CASE WHEN {} THEN 1 ELSE 0 END)",
                         is_alive_sql("$1::bigint", 2));
    case Query::release_due:
      // As many as come due in the time between two claims; more wait for the next.
      return "WITH due AS MATERIALIZED (SELECT id FROM @agent_sessions WHERE status = 'queued' "
             "AND is_delayed AND coalesce(ready_at, 0) <= $1::bigint "
             "ORDER BY coalesce(ready_at, 0) LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED) "
             "UPDATE @agent_sessions AS session SET is_delayed = false FROM due "
             "WHERE session.id = due.id";
    case Query::claim: return claim_sql();
    case Query::fork_session:
      // $3 says whether everything was copied, and with it what the session came to.
      return must_change(
          "INSERT INTO @agent_sessions (agent_name, provider, model, system_prompt, user_prompt, "
          "status, started_at, ended_at, result, config, format_version, forked_from, feedback, "
          "context, tenant, labels) SELECT agent_name, provider, model, system_prompt, "
          "user_prompt, "
          "'completed', "
          "$2::bigint, $2, CASE WHEN $3::bigint = 1 THEN result END, config, format_version, id, "
          "CASE WHEN $3 = 1 THEN feedback END, CASE WHEN $3 = 1 THEN context END, tenant, labels "
          "FROM @agent_sessions WHERE id = $1::bigint RETURNING id",
          "id");
    case Query::fork_messages:
      return "INSERT INTO @agent_messages (session_id, role, content, created_at, parts, "
             "tool_call_id) SELECT $2::bigint, role, content, created_at, parts, tool_call_id "
             "FROM @agent_messages WHERE session_id = $1::bigint AND id <= $3::bigint "
             "ORDER BY id RETURNING id";
    case Query::fork_calls:
      // The calls of messages $3, which were copied as $4.
      return "INSERT INTO @agent_tool_calls (session_id, message_id, tool_call_id, tool_name, "
             "request, response, status, created_at, completed_at, execution_time_ms, "
             "error_details, result) SELECT $2::bigint, copied.new, tool_call_id, tool_name, "
             "request, response, status, created_at, completed_at, execution_time_ms, "
             "error_details, result FROM @agent_tool_calls AS call "
             "JOIN unnest($3::bigint[], $4::bigint[]) AS copied (old, new) "
             "ON call.message_id = copied.old WHERE call.session_id = $1::bigint "
             "ORDER BY call.id";
    case Query::wanted_cancelled:
      return "WITH RECURSIVE up (id, wanted) AS ("
             "SELECT id, id FROM @agent_sessions WHERE cancel_reason IS NOT NULL UNION ALL "
             "SELECT parent_session_id, wanted FROM up JOIN @agent_sessions USING (id) "
             "WHERE parent_session_id IS NOT NULL) "
             "SELECT id, cancel_reason FROM @agent_sessions WHERE id IN (SELECT wanted FROM up "
             "JOIN @agent_sessions USING (id) WHERE runner_id = $1::bigint) ORDER BY id";
    case Query::answered_waits:
      // The last wait of a call counts.
      return fmt::format(
          "WITH RECURSIVE up (id, waiting) AS ("
          "SELECT session_id, session_id FROM @agent_tool_calls WHERE has_news = 1 UNION "
          "SELECT parent_session_id, waiting FROM up JOIN @agent_sessions USING (id) "
          "WHERE parent_session_id IS NOT NULL) "
          "SELECT {} FROM @agent_waits WHERE status = 'answered' AND id IN ("
          "SELECT (SELECT max(id) FROM @agent_waits WHERE call_id = call.id) "
          "FROM @agent_tool_calls AS call WHERE has_news = 1 AND session_id IN ("
          "SELECT waiting FROM up JOIN @agent_sessions USING (id) WHERE runner_id = $1::bigint)) "
          "ORDER BY id",
          store::kWaitColumns);
    case Query::spent_by_specialists:
      // What was refused or given up before it began took no time.
      return "WITH RECURSIVE below (id) AS ("
             "SELECT id FROM @agent_sessions WHERE parent_session_id = $1::bigint UNION "
             "SELECT child.id FROM @agent_sessions child "
             "JOIN below ON child.parent_session_id = below.id) "
             "SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), "
             "coalesce(sum(cached_tokens), 0), coalesce(sum(reasoning_tokens), 0), "
             "coalesce(sum(cache_write_tokens), 0), coalesce(sum(cost_usd), 0), "
             "(SELECT count(*) FROM @agent_tool_calls JOIN below ON session_id = below.id "
             "WHERE message_id > $2::bigint AND (status IN ('executing', 'completed', 'waiting', "
             "'unknown') OR (status <> 'pending' AND execution_time_ms IS NOT NULL))), "
             "(SELECT count(*) FROM @agent_sessions WHERE id = $1) "
             "FROM below JOIN @agent_sessions USING (id)";
    default: return permit_sql_of(query);
  }
}

}  // namespace wright::postgres
