// Every statement that the SQLite store keeps prepared, by name. Statements are prepared when they
// are first needed. Those that depend on a filter are not among them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "store/sqlite_names.h"

namespace wright::store {

enum class Query : std::uint8_t {
  begin,
  commit,
  insert_session,
  update_session,
  delete_session,
  session,
  session_exists,
  session_family,
  insert_message,
  messages,
  message_exists,
  insert_call,
  update_call,
  call_status,
  call_status_in_session,
  calls,
  calls_with_status,
  take_lease,
  hold_lease,
  free_lease,
  insert_wait,
  close_waits,
  answer_wait,
  expire_wait,
  wait,
  insert_runner,
  renew_runner,
  delete_runner,
  runner,
  runners,
  fork_session,
  fork_message,
  fork_call,
};
inline constexpr std::size_t kQueryCount = static_cast<std::size_t>(Query::fork_call) + 1;

// The columns of agent_sessions in the order in which the store reads them.
inline constexpr std::string_view kSessionColumns =
    "id, agent_name, provider, model, system_prompt, user_prompt, status, started_at, ended_at, "
    "result, error, parent_session_id, input_tokens, output_tokens, cached_tokens, "
    "reasoning_tokens, cache_write_tokens, cost_usd, iterations, config, format_version, "
    "parent_call_id, forked_from, runner_id, lease_epoch, feedback, context, "
    "error_code, limit_reached";

// The same of agent_waits.
inline constexpr std::string_view kWaitColumns =
    "id, session_id, call_id, kind, shown, status, created_at, expires_at, answered_at, "
    "answered_by, answer, covers";

class Queries {
 public:
  explicit Queries(sqlite3* connection) : connection_(connection) {}

  template <class... Values>
  Result<void> run(Query query, const Values&... values) {
    const Result<Statement*> statement = prepared(query);
    if (!statement) return std::unexpected(statement.error());
    return (*statement)->run(values...);
  }

  // Calls on_row(Row) -> Result<void> for each row.
  template <class OnRow, class... Values>
  Result<void> each(Query query, OnRow on_row, const Values&... values) {
    const Result<Statement*> statement = prepared(query);
    if (!statement) return std::unexpected(statement.error());
    return (*statement)->query(std::move(on_row), values...);
  }

 private:
  Result<Statement*> prepared(Query query);

  sqlite3* connection_;
  std::array<std::optional<Statement>, kQueryCount> statements_;
};

}  // namespace wright::store
