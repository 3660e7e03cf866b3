#include "store/sqlite_batch.h"

#include <sqlite3.h>

#include "store/json_columns.h"
#include "store/message_codec.h"
#include "store/sqlite_rows.h"
#include "store/status.h"

namespace wright::store {
namespace {

// Foreign keys find out that a session does not exist; only the writer knows which one it was.
template <class Enum>
std::optional<std::string_view> word_for(std::optional<Enum> value) {
  return value ? std::optional(to_string(*value)) : std::nullopt;
}

Error refers_to(std::optional<SessionId> id, const Error& error) {
  return id && error.code == ErrorCode::not_found ? no_session(*id) : error;
}

// The rules of lease.h say why the statement that follows them refused.
template <class Ruling>
Result<void> explained(const Result<Ruling>& ruling) {
  if (!ruling) return std::unexpected(ruling.error());
  return fail(ErrorCode::internal, "The statement and the rules for leases differ");
}

}  // namespace

Result<void> SqliteBatch::create_session(const NewSession& session) {
  const auto config = config_column(session.config);
  if (!config) return std::unexpected(config.error());
  if (auto checked = check_parent(session); !checked) return checked;
  if (session.runner_id) {
    if (auto alive = check_runner(*session.runner_id); !alive) return alive;
  }
  auto inserted =
      queries_.run(Query::insert_session, session.agent_name, session.provider, session.model,
                   session.system_prompt, session.user_prompt, now_, session.parent_session_id,
                   *config, Session{}.format_version, session.parent_call_id, session.runner_id);
  if (!inserted) return std::unexpected(refers_to(session.parent_session_id, inserted.error()));
  ids_.session = sqlite3_last_insert_rowid(connection_);
  session_id_ = ids_.session;
  return {};
}

Result<void> SqliteBatch::write(std::span<const Write> writes) {
  for (const Write& write : writes) {
    auto written = std::visit([&](const auto& one) { return apply(one); }, write);
    if (!written) return written;
  }
  return {};
}

Result<void> SqliteBatch::apply(const AppendMessage& write) {
  const SessionId session_id = session_id_.value_or(write.session_id);
  const MessageColumns columns = to_columns(write.message);
  auto inserted = queries_.run(Query::insert_message, session_id, to_string(write.message.role),
                               columns.content, now_, columns.parts, columns.tool_call_id);
  if (!inserted) return std::unexpected(refers_to(session_id, inserted.error()));
  const MessageId message_id = sqlite3_last_insert_rowid(connection_);
  ids_.messages.push_back(message_id);
  std::size_t to_start = write.started_calls;
  for (const Part& part : write.message.parts) {
    const auto* call = std::get_if<ToolCall>(&part);
    if (call == nullptr) continue;
    const bool is_started = to_start > 0;
    const CallStatus status = is_started ? CallStatus::executing : CallStatus::pending;
    if (auto created = insert_call(session_id, message_id, *call, status); !created) {
      return created;
    }
    if (is_started) --to_start;
    if (is_started || !write.others) continue;
    UpdateCall update = *write.others;
    update.call_id = ids_.calls.back();
    if (auto updated = apply(update); !updated) return updated;
  }
  return {};
}

Result<void> SqliteBatch::apply(const CreateCall& write) {
  const SessionId session_id = session_id_.value_or(write.session_id);
  if (auto exists = check_session(session_id); !exists) return exists;
  if (write.message_id) {
    if (auto belongs = check_message(*write.message_id, session_id); !belongs) return belongs;
  }
  return insert_call(session_id, write.message_id, write.call, CallStatus::pending);
}

Result<void> SqliteBatch::apply(const UpdateCall& write) {
  const auto current = status_of(write.call_id);
  if (!current) return std::unexpected(current.error());
  if (!may_move(*current, write.status)) {
    return std::unexpected(illegal_move(write.call_id, *current, write.status));
  }
  const auto response = json_column(write.response);
  if (!response) return std::unexpected(response.error());
  std::optional<std::int64_t> completed_at;
  if (is_end(write.status)) completed_at = now_;
  return queries_.run(Query::update_call, write.call_id, to_string(write.status), completed_at,
                      *response, write.execution_time_ms, write.error_details,
                      result_column(write.result));
}

Result<void> SqliteBatch::apply(const UpdateSession& write) {
  const SessionId session_id = session_id_.value_or(write.session_id);
  const auto status = write.status ? std::optional(to_string(*write.status)) : std::nullopt;
  std::optional<std::int64_t> ended_at;
  if (write.status && is_end(*write.status)) ended_at = now_;
  const bool is_free = write.status && *write.status != SessionStatus::running;
  const auto feedback = json_column(write.feedback);
  if (!feedback) return std::unexpected(feedback.error());
  const auto context = json_column(write.context);
  if (!context) return std::unexpected(context.error());
  const auto tokens = [&](std::int64_t Usage::*count) {
    return write.usage ? std::optional((*write.usage).*count) : std::nullopt;
  };
  auto updated = queries_.run(
      Query::update_session, session_id, status, std::int64_t{status.has_value()}, ended_at,
      write.result, write.error, tokens(&Usage::input_tokens), tokens(&Usage::output_tokens),
      tokens(&Usage::cached_tokens), tokens(&Usage::reasoning_tokens), write.iterations,
      tokens(&Usage::cache_write_tokens),
      write.usage ? std::optional(write.usage->cost_usd) : std::nullopt, std::int64_t{is_free},
      write.agent_name, *feedback, *context, word_for(write.error_code), word_for(write.limit));
  if (!updated) return updated;
  if (sqlite3_changes(connection_) == 0) return std::unexpected(no_session(session_id));
  return {};
}

Result<void> SqliteBatch::apply(const OpenWait& write) {
  const SessionId session_id = session_id_.value_or(write.session_id);
  const auto status = status_in(session_id, write.call_id);
  if (!status) return std::unexpected(status.error());
  if (*status != CallStatus::waiting) {
    return std::unexpected(not_waiting(write.call_id, *status));
  }
  const auto shown = json_column(write.shown);
  if (!shown) return std::unexpected(shown.error());
  auto inserted = queries_.run(Query::insert_wait, session_id, write.call_id, to_string(write.kind),
                               *shown, now_, write.expires_at, covers_column(write.covers));
  if (!inserted) return inserted;
  if (sqlite3_changes(connection_) == 0) return std::unexpected(waits_already(write.call_id));
  ids_.waits.push_back(sqlite3_last_insert_rowid(connection_));
  return {};
}

Result<void> SqliteBatch::apply(const CloseWaits& write) {
  const SessionId session_id = session_id_.value_or(write.session_id);
  if (!may_close_as(write.status)) return std::unexpected(illegal_close(write.status));
  auto closed =
      queries_.run(Query::close_waits, session_id, write.call_id, to_string(write.status));
  if (!closed || sqlite3_changes(connection_) > 0) return closed;
  return check_session(session_id);
}

Result<void> SqliteBatch::apply(const TakeLease& write) {
  const SessionId session_id = session_id_.value_or(write.session_id);
  std::optional<int> epoch;
  const auto updated = queries_.each(
      Query::take_lease,
      [&](const Row& row) -> Result<void> {
        epoch = static_cast<int>(row.integer(0));
        return {};
      },
      session_id, write.runner_id, write.expected_epoch, now_);
  if (!updated) return updated;
  if (epoch) {
    ids_.epochs.push_back(*epoch);
    return {};
  }
  const auto lease = lease_of(session_id);
  if (!lease) return std::unexpected(lease.error());
  const auto runners = read_runners(queries_);
  if (!runners) return std::unexpected(runners.error());
  return explained(taken(*lease, write, *runners, now_));
}

Result<void> SqliteBatch::apply(const HoldLease& write) {
  const SessionId session_id = session_id_.value_or(write.session_id);
  bool is_held = false;
  const auto read = queries_.each(
      Query::hold_lease,
      [&](const Row&) -> Result<void> {
        is_held = true;
        return {};
      },
      session_id, write.runner_id, now_);
  if (!read || is_held) return read;
  const auto lease = lease_of(session_id);
  if (!lease) return std::unexpected(lease.error());
  const auto runners = read_runners(queries_);
  if (!runners) return std::unexpected(runners.error());
  return explained(check_held(*lease, write.runner_id, *runners, now_));
}

Result<void> SqliteBatch::apply(const FreeLease& write) {
  const SessionId session_id = session_id_.value_or(write.session_id);
  auto freed = queries_.run(Query::free_lease, session_id, write.runner_id);
  if (!freed || sqlite3_changes(connection_) > 0) return freed;
  return check_session(session_id);
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
  if (!read) return read;
  return check_alive(id, runner ? std::span<const Runner>(&*runner, 1) : std::span<const Runner>(),
                     now_);
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
  if (!read) return std::unexpected(read.error());
  return status;
}

Result<CallStatus> SqliteBatch::status_in(SessionId session_id, CallId id) {
  if (auto exists = check_session(session_id); !exists) return std::unexpected(exists.error());
  Result<CallStatus> status = std::unexpected(no_call(id, session_id));
  const auto read = queries_.each(
      Query::call_status_in_session,
      [&](const Row& row) -> Result<void> {
        status = call_status_from(row.text(0));
        return {};
      },
      id, session_id);
  if (!read) return std::unexpected(read.error());
  return status;
}

Result<Lease> SqliteBatch::lease_of(SessionId id) {
  Result<Lease> lease = std::unexpected(no_session(id));
  const auto read = queries_.each(
      Query::session,
      [&](const Row& row) -> Result<void> {
        const auto session = session_from(row);
        if (!session) return std::unexpected(session.error());
        lease = Lease{id, session->runner_id, session->lease_epoch};
        return {};
      },
      id);
  if (!read) return std::unexpected(read.error());
  return lease;
}

}  // namespace wright::store
