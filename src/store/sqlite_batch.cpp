#include "store/sqlite_batch.h"

#include <sqlite3.h>

#include "store/json_columns.h"
#include "store/message_codec.h"
#include "store/status.h"

namespace wright::store {
namespace {

// Foreign keys find out that a session does not exist; only the writer knows which one it was.
Error refers_to(std::optional<SessionId> id, Error error) {
  return id && error.code == ErrorCode::not_found ? no_session(*id) : error;
}

}  // namespace

Result<SessionId> SqliteBatch::create_session(const NewSession& session) {
  const auto config = config_column(session.config);
  if (!config) return std::unexpected(config.error());
  auto inserted = queries_.run(Query::insert_session, session.agent_name, session.provider,
                               session.model, session.system_prompt, session.user_prompt, now_,
                               session.parent_session_id, *config, Session{}.format_version);
  if (!inserted) return std::unexpected(refers_to(session.parent_session_id, inserted.error()));
  return sqlite3_last_insert_rowid(connection_);
}

Result<void> SqliteBatch::write(const Write& write) {
  return std::visit([&](const auto& one) { return apply(one); }, write);
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
    if (auto created = insert_call(session_id, message_id, *call); !created) return created;
    if (to_start == 0) continue;
    --to_start;
    if (auto started = apply(UpdateCall{.call_id = ids_.calls.back()}); !started) return started;
  }
  return {};
}

Result<void> SqliteBatch::apply(const CreateCall& write) {
  const SessionId session_id = session_id_.value_or(write.session_id);
  if (auto exists = check_session(session_id); !exists) return exists;
  if (write.message_id) {
    if (auto belongs = check_message(*write.message_id, session_id); !belongs) return belongs;
  }
  return insert_call(session_id, write.message_id, write.call);
}

Result<void> SqliteBatch::apply(const UpdateCall& write) {
  const auto current = status_of(write.call_id);
  if (!current) return std::unexpected(current.error());
  if (!may_move(*current, write.status)) {
    return std::unexpected(illegal_move(write.call_id, *current, write.status));
  }
  const auto response = json_column(write.response);
  if (!response) return std::unexpected(response.error());
  const auto completed_at = is_end(write.status) ? std::optional(now_) : std::nullopt;
  return queries_.run(Query::update_call, write.call_id, to_string(write.status), completed_at,
                      *response, write.execution_time_ms, write.error_details);
}

Result<void> SqliteBatch::apply(const UpdateSession& write) {
  const SessionId session_id = session_id_.value_or(write.session_id);
  const auto status = write.status ? std::optional(to_string(*write.status)) : std::nullopt;
  const auto ended_at = write.status && is_end(*write.status) ? std::optional(now_) : std::nullopt;
  const auto tokens = [&](std::int64_t Usage::*count) {
    return write.usage ? std::optional((*write.usage).*count) : std::nullopt;
  };
  auto updated = queries_.run(Query::update_session, session_id, status,
                              std::int64_t{status.has_value()}, ended_at, write.result, write.error,
                              tokens(&Usage::input_tokens), tokens(&Usage::output_tokens),
                              tokens(&Usage::cached_tokens), tokens(&Usage::reasoning_tokens),
                              write.iterations, tokens(&Usage::cache_write_tokens),
                              write.usage ? std::optional(write.usage->cost_usd) : std::nullopt);
  if (!updated) return updated;
  if (sqlite3_changes(connection_) == 0) return std::unexpected(no_session(session_id));
  return {};
}

Result<void> SqliteBatch::insert_call(SessionId session_id, std::optional<MessageId> message_id,
                                      const ToolCall& call) {
  auto inserted = queries_.run(Query::insert_call, session_id, message_id, call.id, call.name,
                               request_column(call.arguments), now_);
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

}  // namespace wright::store
