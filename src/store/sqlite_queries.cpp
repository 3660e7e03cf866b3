#include "store/sqlite_queries.h"

#include <fmt/format.h>

#include <string>

namespace wright::store {
namespace {

constexpr std::string_view kCallColumns =
    "id, session_id, message_id, tool_call_id, tool_name, request, response, status, created_at, "
    "completed_at, execution_time_ms, error_details, result";

std::string sql_of(Query query) {
  switch (query) {
    case Query::begin: return "BEGIN IMMEDIATE";
    case Query::commit: return "COMMIT";
    case Query::insert_session:
      return "INSERT INTO agent_sessions (agent_name, provider, model, system_prompt, user_prompt, "
             "started_at, parent_session_id, config, format_version, parent_call_id, runner_id, "
             "lease_epoch) "
             "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11 IS NOT NULL)";
    case Query::update_session:
      // ?3 says whether ended_at becomes ?4 or stays as it is, ?14 whether the runner is let go. No
      // IN: SQLite would build a table of its words for every turn of every session.
      return "UPDATE agent_sessions SET status = coalesce(?2, status), "
             "ended_at = CASE WHEN ?3 THEN ?4 ELSE ended_at END, "
             "result = coalesce(?5, result), "
             "error = CASE WHEN ?2 = 'running' OR ?2 = 'waiting' OR ?2 = 'completed' THEN ?6 "
             "ELSE coalesce(?6, error) END, "
             "input_tokens = coalesce(?7, input_tokens), "
             "output_tokens = coalesce(?8, output_tokens), "
             "cached_tokens = coalesce(?9, cached_tokens), "
             "reasoning_tokens = coalesce(?10, reasoning_tokens), "
             "iterations = coalesce(?11, iterations), "
             "cache_write_tokens = coalesce(?12, cache_write_tokens), "
             "cost_usd = coalesce(?13, cost_usd), "
             "runner_id = CASE WHEN ?14 THEN NULL ELSE runner_id END, "
             "agent_name = coalesce(?15, agent_name), "
             "feedback = coalesce(?16, feedback), "
             "context = coalesce(?17, context), "
             "error_code = CASE WHEN ?2 IS NOT NULL THEN ?18 "
             "ELSE coalesce(?18, error_code) END, "
             "limit_reached = CASE WHEN ?2 IS NOT NULL THEN ?19 "
             "ELSE coalesce(?19, limit_reached) END WHERE id = ?1";
    case Query::delete_session: return "DELETE FROM agent_sessions WHERE id = ?1";
    case Query::session:
      return fmt::format("SELECT {} FROM agent_sessions WHERE id = ?1", kSessionColumns);
    case Query::session_exists: return "SELECT 1 FROM agent_sessions WHERE id = ?1";
    case Query::session_family:
      return "WITH RECURSIVE family (id) AS ("
             "SELECT id FROM agent_sessions WHERE id = ?1 UNION "
             "SELECT child.id FROM agent_sessions child "
             "JOIN family ON child.parent_session_id = family.id) "
             "SELECT id FROM family ORDER BY id DESC";
    case Query::insert_message:
      return "INSERT INTO agent_messages (session_id, role, content, created_at, parts, "
             "tool_call_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    case Query::messages:
      // The inner query reads the index alone; the rows then come by id without being sorted.
      return "SELECT id, session_id, role, content, created_at, parts, tool_call_id "
             "FROM agent_messages "
             "WHERE id IN (SELECT id FROM agent_messages WHERE session_id = ?1) ORDER BY id";
    case Query::message_exists:
      return "SELECT 1 FROM agent_messages WHERE id = ?1 AND session_id = ?2";
    case Query::insert_call:
      return "INSERT INTO agent_tool_calls (session_id, message_id, tool_call_id, tool_name, "
             "request, created_at, status) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    case Query::update_call:
      return "UPDATE agent_tool_calls SET status = ?2, completed_at = ?3, "
             "response = coalesce(?4, response), "
             "execution_time_ms = coalesce(?5, execution_time_ms), "
             "error_details = coalesce(?6, error_details), "
             "result = coalesce(?7, result) WHERE id = ?1";
    case Query::call_status: return "SELECT status FROM agent_tool_calls WHERE id = ?1";
    case Query::call_status_in_session:
      return "SELECT status FROM agent_tool_calls WHERE id = ?1 AND session_id = ?2";
    case Query::calls:
      return fmt::format("SELECT {} FROM agent_tool_calls WHERE session_id = ?1 ORDER BY id",
                         kCallColumns);
    case Query::calls_with_status:
      return fmt::format(
          "SELECT {} FROM agent_tool_calls WHERE session_id = ?1 AND status = ?2 ORDER BY id",
          kCallColumns);
    case Query::take_lease:
      // A runner is alive while its expires_at lies behind ?4, which is now.
      return "UPDATE agent_sessions SET runner_id = ?2, "
             "lease_epoch = lease_epoch + (runner_id IS NOT ?2) "
             "WHERE id = ?1 AND (?3 IS NULL OR lease_epoch = ?3) "
             "AND EXISTS (SELECT 1 FROM agent_runners WHERE id = ?2 AND expires_at > ?4) "
             "AND (runner_id IS ?2 OR NOT EXISTS (SELECT 1 FROM agent_runners "
             "WHERE id = agent_sessions.runner_id AND expires_at > ?4)) "
             "RETURNING lease_epoch";
    case Query::hold_lease:
      return "SELECT 1 FROM agent_sessions JOIN agent_runners "
             "ON agent_runners.id = agent_sessions.runner_id "
             "WHERE agent_sessions.id = ?1 AND runner_id = ?2 AND expires_at > ?3";
    case Query::free_lease:
      return "UPDATE agent_sessions SET runner_id = NULL WHERE id = ?1 AND runner_id = ?2";
    case Query::insert_wait:
      return "INSERT INTO agent_waits (session_id, call_id, kind, shown, created_at, expires_at, "
             "covers) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";
    case Query::close_waits:
      return "UPDATE agent_waits SET status = ?3 WHERE session_id = ?1 AND status = 'open' "
             "AND (?2 IS NULL OR call_id = ?2)";
    case Query::answer_wait:
      return "UPDATE agent_waits SET status = 'answered', answered_at = ?2, answered_by = ?3, "
             "answer = ?4 WHERE id = ?1 AND status = 'open' "
             "AND (expires_at IS NULL OR expires_at > ?2)";
    case Query::expire_wait:
      return "UPDATE agent_waits SET status = 'expired' WHERE id = ?1 AND status = 'open'";
    case Query::wait: return fmt::format("SELECT {} FROM agent_waits WHERE id = ?1", kWaitColumns);
    case Query::insert_runner:
      return "INSERT INTO agent_runners (name, expires_at) VALUES (?1, ?2)";
    case Query::renew_runner: return "UPDATE agent_runners SET expires_at = ?2 WHERE id = ?1";
    case Query::delete_runner: return "DELETE FROM agent_runners WHERE id = ?1";
    case Query::runner: return "SELECT id, name, expires_at FROM agent_runners WHERE id = ?1";
    case Query::runners: return "SELECT id, name, expires_at FROM agent_runners ORDER BY id";
    case Query::fork_session:
      // ?3 says whether everything was copied, and with it what the session came to.
      return "INSERT INTO agent_sessions (agent_name, provider, model, system_prompt, user_prompt, "
             "status, started_at, ended_at, result, config, format_version, forked_from, feedback, "
             "context) SELECT agent_name, provider, model, system_prompt, user_prompt, "
             "'completed', ?2, ?2, "
             "iif(?3, result, NULL), config, format_version, id, iif(?3, feedback, NULL), "
             "iif(?3, context, NULL) "
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
  }
  return {};
}

}  // namespace

Result<Statement*> Queries::prepared(Query query) {
  auto& kept = statements_[static_cast<std::size_t>(query)];
  if (!kept) {
    auto statement = Statement::prepare(connection_, sql_of(query), Lifetime::kept);
    if (!statement) return std::unexpected(std::move(statement).error());
    kept = std::move(*statement);
  }
  return &*kept;
}

}  // namespace wright::store
