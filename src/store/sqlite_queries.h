// Every statement that the SQLite store keeps prepared, by name. Statements are prepared when they
// are first needed. Those that depend on a filter are not among them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/try.h"
#include "store/columns.h"
#include "store/sqlite_names.h"

namespace wright::store {

enum class Query : std::uint8_t {
  begin,
  commit,
  insert_session,
  update_session,
  update_progress,
  update_usage,
  hold_and_count,
  hold_and_count_of_living,
  delete_session,
  session,
  session_exists,
  session_lease,
  session_family,
  ended_sessions,
  insert_message,
  messages,
  message_exists,
  insert_call,
  update_call,
  call_status,
  call_status_in_session,
  calls,
  take_lease,
  hold_lease,
  hold_lease_of_living,
  free_lease,
  request_cancel,
  enqueue_session,
  is_queue_full,
  is_queue_full_for,
  queued_lines,
  queued_sessions,
  claim_session,
  last_served,
  serve_line,
  insert_wait,
  close_waits,
  cancel_waits,
  answer_wait,
  tell_of_news,
  wait,
  insert_runner,
  renew_runner,
  delete_runner,
  runner,
  runners,
  fork_session,
  fork_message,
  fork_call,
  insert_event,
  records_of_session,
  insert_record,
  update_record,
  delete_records,
  spoken_to,
  pace,
  keep_pace,
  other_slots,
  keep_slots,
  forget_slots,
  wanted_cancelled,
  answered_waits,
  spent_by_specialists,
};
inline constexpr std::size_t kQueryCount = static_cast<std::size_t>(Query::spent_by_specialists) + 1;

// That the runner is alive, as SQL: `runner` is an expression, the parameters from `first` on are a
// Moment's wall clock, boot id and boot clock.
std::string is_alive_sql(std::string_view runner, int first);

// The ids that a list is between, and the limit, when it is to be whole.
inline constexpr std::int64_t kFirstId = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kLastId = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kAllRows = -1;
std::int64_t row_limit(std::size_t count);  // as SQLite takes it

class Queries {
 public:
  explicit Queries(sqlite3* connection) : connection_(connection) {}

  template <class... Values>
  Result<void> run(Query query, const Values&... values) {
    const auto statement = TRY(prepared(query));
    return statement->run(values...);
  }

  // Calls on_row(Row) -> Result<void> for each row.
  template <class OnRow, class... Values>
  Result<void> each(Query query, OnRow on_row, const Values&... values) {
    const auto statement = TRY(prepared(query));
    return statement->query(std::move(on_row), values...);
  }

 private:
  Result<Statement*> prepared(Query query);

  sqlite3* connection_;
  std::array<std::optional<Statement>, kQueryCount> statements_;
};

}  // namespace wright::store
