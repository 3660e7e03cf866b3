#include "store/sqlite_batch.h"

#include <sqlite3.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/try.h"
#include "store/json_columns.h"
#include "store/labels.h"
#include "store/message_codec.h"
#include "store/sqlite_rows.h"
#include "store/status.h"

namespace wright::store {
namespace {

template <class Enum>
std::optional<std::string_view> word_for(std::optional<Enum> value) {
  return value ? std::optional(to_string(*value)) : std::nullopt;
}

// Foreign keys find out that a session does not exist; only the writer knows which one it was.
Error refers_to(std::optional<SessionId> id, const Error& error) {
  return id && error.code == ErrorCode::not_found ? no_session(*id) : error;
}

// The same session with nothing but what update_usage writes.
bool is_usage_alone(const UpdateSession& write) {
  if (!write.usage) return false;
  const bool has_more = write.status || write.result || write.error || write.error_code ||
                        write.limit || write.agent_name || write.feedback || write.context ||
                        write.config || write.provider || write.model;
  return !has_more;
}

// Then it does not matter whether a session is written before or after it.
bool leaves_sessions_alone(const Write& write) {
  return std::holds_alternative<AppendMessage>(write) || std::holds_alternative<UpdateCall>(write);
}

}  // namespace

Result<void> SqliteBatch::create_session(const NewSession& session) {
  const auto config = TRY(config_column(session.config));
  const auto labels = TRY(labels_column(session.labels));
  TRY(check_tenant(session.tenant));
  if (session.is_queued && session.runner_id) return std::unexpected(queued_with_runner());
  if (session.is_queued && session.parent_session_id) return std::unexpected(queued_child());
  if (session.parent_call_id && !session.parent_session_id) {
    return std::unexpected(call_without_parent());
  }
  const SessionStatus status = session.is_queued ? SessionStatus::queued : SessionStatus::running;
  auto inserted =
      queries_.run(Query::insert_session, session.agent_name, session.provider, session.model,
                   session.system_prompt, session.user_prompt, now_, session.parent_session_id,
                   config, Session{}.format_version, session.parent_call_id, session.runner_id,
                   to_string(status), session.priority, session.ready_at, moment_.wall,
                   moment_.boot_id, moment_.boot, labels, session.tenant);
  if (!inserted) return std::unexpected(refers_to(session.parent_session_id, inserted.error()));
  if (sqlite3_changes(connection_) == 0) {
    TRY(check_parent(session));
    return check_runner(session.runner_id.value_or(0));
  }
  ids_.session = sqlite3_last_insert_rowid(connection_);
  ids_.epoch = session.runner_id ? 1 : 0;
  return {};
}

Result<bool> SqliteBatch::hold_and_count(std::span<const Write> writes) {
  if (writes.size() < 2) return false;
  const auto* lease = std::get_if<HoldLease>(&writes.front());
  const auto* update = std::get_if<UpdateSession>(&writes.back());
  if (lease == nullptr || update == nullptr || !is_usage_alone(*update)) return false;
  const SessionId session_id = target(lease->session_id);
  if (target(update->session_id) != session_id) return false;
  const auto between = writes.subspan(1, writes.size() - 2);
  if (!std::ranges::all_of(between, leaves_sessions_alone)) return false;
  const Usage& usage = *update->usage;
  const auto run = [&](Query query, const auto&... values) {
    return queries_.run(query, session_id, usage.input_tokens, usage.output_tokens,
                        usage.cached_tokens, usage.reasoning_tokens, usage.cache_write_tokens,
                        usage.cost_usd, update->iterations, update->worked_ms,
                        update->turn_worked_ms, lease->runner_id, lease->epoch, values...);
  };
  if (transaction_.living == lease->runner_id) {
    TRY(run(Query::hold_and_count_of_living));
  } else {
    TRY(run(Query::hold_and_count, moment_.wall, moment_.boot_id, moment_.boot));
  }
  if (sqlite3_changes(connection_) == 0) return false;
  transaction_.living = lease->runner_id;
  return true;
}

Result<void> SqliteBatch::write(std::span<const Write> writes) {
  const bool is_held_and_counted = TRY(hold_and_count(writes));
  if (is_held_and_counted) writes = writes.subspan(1, writes.size() - 2);
  for (const Write& write : writes) {
    TRY(std::visit([&](const auto& one) { return apply(one); }, write));
  }
  return {};
}

Result<void> SqliteBatch::apply(const AppendMessage& write) {
  const SessionId session_id = target(write.session_id);
  const MessageColumns columns = to_columns(write.message);
  auto inserted = queries_.run(Query::insert_message, session_id, to_string(write.message.role),
                               columns.content, now_, columns.parts, columns.tool_call_id);
  if (!inserted) return std::unexpected(refers_to(session_id, inserted.error()));
  const MessageId message_id = sqlite3_last_insert_rowid(connection_);
  ids_.messages.push_back(message_id);
  if (write.is_told) return {};
  std::size_t to_start = write.started_calls;
  for (const Part& part : write.message.parts) {
    const auto* call = std::get_if<ToolCall>(&part);
    if (call == nullptr) continue;
    const bool is_started = to_start > 0;
    const CallStatus status = is_started ? CallStatus::executing : CallStatus::pending;
    TRY(insert_call(session_id, message_id, *call, status));
    if (is_started) --to_start;
    if (is_started || !write.others) continue;
    UpdateCall update = *write.others;
    update.call_id = ids_.calls.back();
    TRY(apply(update));
  }
  return {};
}

Result<void> SqliteBatch::apply(const CreateCall& write) {
  const SessionId session_id = target(write.session_id);
  TRY(check_session(session_id));
  if (write.message_id) {
    TRY(check_message(*write.message_id, session_id));
  }
  return insert_call(session_id, write.message_id, write.call, CallStatus::pending);
}

Result<void> SqliteBatch::apply(const UpdateCall& write) {
  const auto response = json_column(write.response);
  if (!response) {
    // What is wrong with the call comes first.
    const auto current = TRY(status_of(write.call_id));
    if (!may_move(current, write.status)) {
      return std::unexpected(illegal_move(write.call_id, current, write.status));
    }
    return std::unexpected(response.error());
  }
  std::optional<std::int64_t> completed_at;
  if (is_end(write.status)) completed_at = now_;
  auto updated = queries_.run(Query::update_call, write.call_id, to_string(write.status),
                              completed_at, *response, write.execution_time_ms, write.error_details,
                              result_column(write.result), may_move_to(write.status));
  if (!updated || sqlite3_changes(connection_) > 0) return updated;
  const auto current = TRY(status_of(write.call_id));
  return std::unexpected(illegal_move(write.call_id, current, write.status));
}

Result<void> SqliteBatch::apply(const UpdateSession& write) {
  const SessionId session_id = target(write.session_id);
  if (is_usage_alone(write)) {
    const Usage& usage = *write.usage;
    TRY(queries_.run(Query::update_usage, session_id, usage.input_tokens, usage.output_tokens,
                     usage.cached_tokens, usage.reasoning_tokens, usage.cache_write_tokens,
                     usage.cost_usd, write.iterations, write.worked_ms, write.turn_worked_ms));
    if (sqlite3_changes(connection_) == 0) return std::unexpected(no_session(session_id));
    return {};
  }
  const bool has_end = write.status && is_end(*write.status);
  const bool is_free = write.status && *write.status != SessionStatus::running;
  const auto feedback = TRY(json_column(write.feedback));
  const auto context = TRY(json_column(write.context));
  const auto config = TRY(config_column(write.config.value_or(Json())));
  const auto tokens = [&](std::int64_t Usage::*count) {
    return write.usage ? std::optional((*write.usage).*count) : std::nullopt;
  };
  std::optional<CallId> waiting_above;
  const auto note_call_above = [&](const Row& row) -> Result<void> {
    if (!row.is_null(0)) waiting_above = row.integer(0);
    return {};
  };
  TRY(queries_.each(write.status ? Query::update_session : Query::update_progress, note_call_above,
                    session_id, write.result, write.error, word_for(write.error_code),
                    word_for(write.limit), tokens(&Usage::input_tokens),
                    tokens(&Usage::output_tokens), tokens(&Usage::cached_tokens),
                    tokens(&Usage::reasoning_tokens), tokens(&Usage::cache_write_tokens),
                    write.usage ? std::optional(write.usage->cost_usd) : std::nullopt,
                    write.iterations, write.agent_name, feedback, context, word_for(write.status),
                    has_end ? std::optional(now_) : std::nullopt, std::int64_t{is_free},
                    write.worked_ms, write.turn_worked_ms, write.provider, write.model,
                    std::int64_t{write.config.has_value()}, config));
  if (sqlite3_changes(connection_) == 0) return std::unexpected(no_session(session_id));
  if (!has_end) return {};
  std::erase_if(ids_.cancelled,
                [&](const CancelWish& wish) { return wish.session_id == session_id; });
  // A specialist's session is what a call of the session above waits for.
  return waiting_above ? queries_.run(Query::tell_of_news, *waiting_above) : Result<void>();
}

Result<void> SqliteBatch::apply(const OpenWait& write) {
  const SessionId session_id = target(write.session_id);
  const auto state = TRY(state_column(write.state));
  const auto shown = json_column(write.shown);
  if (shown) {
    TRY(queries_.run(Query::insert_wait, session_id, write.call_id, to_string(write.kind), *shown,
                     now_, write.expires_at, covers_column(write.covers), state));
    if (sqlite3_changes(connection_) > 0) {
      ids_.waits.push_back(sqlite3_last_insert_rowid(connection_));
      return {};
    }
  }
  const auto status = TRY(status_in(session_id, write.call_id));
  if (status != CallStatus::waiting) {
    return std::unexpected(not_waiting(write.call_id, status));
  }
  return std::unexpected(shown ? waits_already(write.call_id) : shown.error());
}

Result<void> SqliteBatch::apply(const CloseWaits& write) {
  const SessionId session_id = target(write.session_id);
  if (!may_close_as(write.status)) return std::unexpected(illegal_close(write.status));
  auto closed =
      queries_.run(Query::close_waits, session_id, write.call_id, to_string(write.status));
  if (!closed) return closed;
  if (sqlite3_changes(connection_) == 0) return check_session(session_id);
  if (write.status != WaitStatus::expired || !write.call_id) return {};
  return queries_.run(Query::tell_of_news, *write.call_id);
}

Result<void> SqliteBatch::apply(const AnswerWait& write) {
  const auto answer = TRY(json_column(write.answer));
  std::optional<Result<StoredWait>> wait;
  const auto keep = [&](const Row& row) -> Result<void> {
    wait = wait_from(row);
    return {};
  };
  TRY(queries_.each(Query::answer_wait, keep, write.wait_id, now_, write.answered_by, answer));
  const bool has_won = wait.has_value();
  if (!has_won) {
    TRY(queries_.each(Query::wait, keep, write.wait_id));
    if (!wait) return std::unexpected(no_wait(write.wait_id));
  }
  if (!*wait) return std::unexpected(wait->error());
  if (!has_won) return std::unexpected(not_open(**wait));
  TRY(queries_.run(Query::tell_of_news, (*wait)->call_id));
  ids_.answered.push_back(std::move(**wait));
  return {};
}

Result<void> SqliteBatch::apply(const AppendEvents& write) {
  const SessionId session_id = target(write.session_id);
  if (write.events.empty()) return check_session(session_id);
  for (const NewEvent& event : write.events) {
    const auto data = TRY(json_column(event.data));
    auto inserted =
        queries_.run(Query::insert_event, session_id, event.type, data, event.at.value_or(now_));
    if (!inserted) return std::unexpected(refers_to(session_id, inserted.error()));
    ids_.events.push_back(sqlite3_last_insert_rowid(connection_));
  }
  return {};
}

Result<void> SqliteBatch::apply(const PutRecord& write) {
  const auto value = TRY(json_column(write.value));
  bool is_done = false;
  const auto note = [&](const Row&) -> Result<void> {
    is_done = true;
    return {};
  };
  if (write.version) {
    TRY(queries_.each(Query::update_record, note, write.kind, write.key, value, write.due_at,
                      *write.version));
  } else {
    TRY(queries_.each(Query::insert_record, note, write.kind, write.key, value, write.due_at,
                      write.session_id));
  }
  if (is_done) return {};
  if (write.session_id && !write.version) {
    TRY(standing_of(*write.session_id));
  }
  return std::unexpected(write.version ? record_changed(write.kind, write.key)
                                       : record_exists(write.kind, write.key));
}

Result<void> SqliteBatch::apply(const RemoveRecords& write) {
  return queries_.run(Query::delete_records, write.kind, write.key, write.version,
                      write.due_before);
}

Result<void> SqliteBatch::insert_call(SessionId session_id, std::optional<MessageId> message_id,
                                      const ToolCall& call, CallStatus status) {
  auto inserted = queries_.run(Query::insert_call, session_id, message_id, call.id, call.name,
                               request_column(call.arguments), now_, to_string(status));
  if (inserted) ids_.calls.push_back(sqlite3_last_insert_rowid(connection_));
  return inserted;
}

Result<void> SqliteBatch::check_session(SessionId id) {
  Result<void> found = std::unexpected(no_session(id));
  const auto read = queries_.each(
      Query::session_exists, [&](const Row&) { return found = Result<void>(); }, id);
  return read ? found : read;
}

Result<void> SqliteBatch::check_message(MessageId id, SessionId session_id) {
  Result<void> found = std::unexpected(no_message(id, session_id));
  const auto read = queries_.each(
      Query::message_exists, [&](const Row&) { return found = Result<void>(); }, id, session_id);
  return read ? found : read;
}

Result<void> SqliteBatch::check_runner(RunnerId id) {
  std::optional<Runner> runner;
  const auto read = queries_.each(
      Query::runner,
      [&](const Row& row) -> Result<void> {
        runner = runner_from(row);
        return {};
      },
      id);
  TRY(read);
  return check_alive(id, runner ? std::span<const Runner>(&*runner, 1) : std::span<const Runner>(),
                     moment_);
}

Result<void> SqliteBatch::check_parent(const NewSession& session) {
  if (!session.parent_call_id) return {};
  if (!session.parent_session_id) return std::unexpected(call_without_parent());
  const auto status = status_in(*session.parent_session_id, *session.parent_call_id);
  if (!status) return std::unexpected(status.error());
  return {};
}

Result<CallStatus> SqliteBatch::status_of(CallId id) {
  Result<CallStatus> status = std::unexpected(no_call(id));
  const auto read = queries_.each(
      Query::call_status,
      [&](const Row& row) -> Result<void> {
        status = call_status_from(row.text(0));
        return {};
      },
      id);
  TRY(read);
  return status;
}

Result<CallStatus> SqliteBatch::status_in(SessionId session_id, CallId id) {
  TRY(check_session(session_id));
  Result<CallStatus> status = std::unexpected(no_call(id, session_id));
  const auto read = queries_.each(
      Query::call_status_in_session,
      [&](const Row& row) -> Result<void> {
        status = call_status_from(row.text(0));
        return {};
      },
      id, session_id);
  TRY(read);
  return status;
}

Result<SqliteBatch::Standing> SqliteBatch::standing_of(SessionId id) {
  Result<Standing> standing = std::unexpected(no_session(id));
  const auto read = queries_.each(
      Query::session_lease,
      [&](const Row& row) -> Result<void> {
        const auto status = TRY(session_status_from(row.text(2)));
        standing =
            Standing{.lease = {id, row.optional_integer(0), static_cast<int>(row.integer(1))},
                     .status = status,
                     .is_child = !row.is_null(3)};
        return {};
      },
      id);
  TRY(read);
  return standing;
}

}  // namespace wright::store
