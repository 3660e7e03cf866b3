// Every statement that the PostgreSQL store keeps prepared, by name; those that depend on a filter
// are not among them.
//
// A statement that may find nothing to do where something must be done divides by the number of
// rows: PostgreSQL refuses the division by zero, and with it everything that was sent together. So
// conditions are part of the write, and nobody waits for an answer between two statements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "postgres/request.h"

namespace wright::postgres {

enum class Query : std::uint8_t {
  begin,
  limit_idleness,
  commit,
  rollback,
  savepoint,
  rollback_to_savepoint,
  server_time,
  begin_writer,
  end_writer,
  advance_writer,
  fence_writer,
  forget_writers,
  lock_events,
  insert_session,
  update_session,
  update_progress,
  delete_family,
  session,
  session_exists,
  must_exist,
  session_lease,
  prune,
  insert_message,
  messages,
  messages_backwards,
  message_exists,
  message_in_session,
  insert_call,
  insert_call_of_message,
  update_call,
  update_last_call,
  call_status,
  call_status_in_session,
  take_lease,
  hold_lease,
  free_lease,
  request_cancel,
  enqueue_session,
  limit_queue,
  limit_queue_of,
  runner_lives,
  release_due,
  claim,
  insert_wait,
  close_waits,
  cancel_waits,
  answer_wait,
  wait,
  insert_runner,
  renew_runner,
  delete_runner,
  runner,
  runners,
  fork_session,
  fork_messages,
  fork_calls,
  insert_events,
  insert_record,
  update_record,
  delete_records,
  spoken_to,
  last_event,
  event_writers,
  wanted_cancelled,
  answered_waits,
  make_pace,
  lock_pace,
  forget_slots,
  take_permits,
  spent_by_specialists,
};
inline constexpr std::size_t kQueryCount = static_cast<std::size_t>(Query::spent_by_specialists) + 1;

// That the runner is alive, as SQL: `runner` is an expression, the parameters from `first` on are a
// Moment's wall clock, boot id and boot clock.
std::string is_alive_sql(std::string_view runner, int first);

inline constexpr std::int64_t kFirstId = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kLastId = std::numeric_limits<std::int64_t>::max();
std::int64_t row_limit(std::size_t count);

// All of them for one schema.
class Statements {
 public:
  explicit Statements(std::string schema);

  const Sql& operator[](Query query) const { return sql_[static_cast<std::size_t>(query)]; }
  const std::string& schema() const { return schema_; }
  // A statement that depends on a filter.
  Sql make(std::string_view sql) const;

 private:
  std::string schema_;
  std::array<Sql, kQueryCount> sql_;
};

}  // namespace wright::postgres
