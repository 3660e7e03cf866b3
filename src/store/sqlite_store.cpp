// The store in a SQLite file. Every batch is one IMMEDIATE transaction; a mutex lets one thread at
// a time use the connection, and SQLite's own locks do the same for processes.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "store/json_columns.h"
#include "store/message_codec.h"
#include "store/sqlite_open.h"
#include "store/sqlite_queries.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_transaction.h"
#include "store/status.h"
#include "wright/store.h"

namespace wright {
namespace {

using store::Connection;
using store::Queries;
using store::Query;
using store::Row;
using store::Statement;

// The writes of one transaction that the caller has open.
class Batch {
 public:
  Batch(sqlite3* connection, Queries& queries, std::int64_t now)
      : connection_(connection), queries_(queries), now_(now) {}

  Result<SessionId> create_session(const NewSession& session) {
    const auto config = store::config_column(session.config);
    if (!config) return std::unexpected(config.error());
    auto inserted = queries_.run(Query::insert_session, session.agent_name, session.provider,
                                 session.model, session.system_prompt, session.user_prompt, now_,
                                 session.parent_session_id, *config, Session{}.format_version);
    if (!inserted) return std::unexpected(refers_to(session.parent_session_id, inserted.error()));
    return sqlite3_last_insert_rowid(connection_);
  }

  // Writes that follow go to `session_id`, whatever they say themselves.
  void redirect_to(SessionId session_id) { session_id_ = session_id; }

  Result<void> write(const Write& write) {
    return std::visit([&](const auto& one) { return apply(one); }, write);
  }

  BatchIds take_ids() { return std::move(ids_); }

 private:
  Result<void> apply(const AppendMessage& write) {
    const SessionId session_id = session_id_.value_or(write.session_id);
    const store::MessageColumns columns = store::to_columns(write.message);
    auto inserted = queries_.run(Query::insert_message, session_id, to_string(write.message.role),
                                 columns.content, now_, columns.parts, columns.tool_call_id);
    if (!inserted) return std::unexpected(refers_to(session_id, inserted.error()));
    const MessageId message_id = sqlite3_last_insert_rowid(connection_);
    ids_.messages.push_back(message_id);
    for (const Part& part : write.message.parts) {
      const auto* call = std::get_if<ToolCall>(&part);
      if (call == nullptr) continue;
      if (auto created = insert_call(session_id, message_id, *call); !created) return created;
    }
    return {};
  }

  Result<void> apply(const CreateCall& write) {
    const SessionId session_id = session_id_.value_or(write.session_id);
    if (auto exists = check_session(session_id); !exists) return exists;
    if (write.message_id) {
      auto belongs = check_message(*write.message_id, session_id);
      if (!belongs) return belongs;
    }
    return insert_call(session_id, write.message_id, write.call);
  }

  Result<void> apply(const UpdateCall& write) {
    std::optional<Result<CallStatus>> current;
    auto read = queries_.each(
        Query::call_status,
        [&](const Row& row) -> Result<void> {
          current = call_status_from(row.text(0));
          return {};
        },
        write.call_id);
    if (!read) return read;
    if (!current) return std::unexpected(store::no_call(write.call_id));
    if (!*current) return std::unexpected(current->error());
    if (!store::may_move(**current, write.status)) {
      return std::unexpected(store::illegal_move(write.call_id, **current, write.status));
    }
    const auto response = store::json_column(write.response);
    if (!response) return std::unexpected(response.error());
    const auto completed_at =
        store::is_end(write.status) ? std::optional(now_) : std::optional<std::int64_t>();
    return queries_.run(Query::update_call, write.call_id, to_string(write.status), completed_at,
                        *response, write.execution_time_ms, write.error_details);
  }

  Result<void> apply(const UpdateSession& write) {
    const SessionId session_id = session_id_.value_or(write.session_id);
    std::optional<std::string_view> status;
    std::optional<std::int64_t> ended_at;
    if (write.status) status = to_string(*write.status);
    if (write.status && store::is_end(*write.status)) ended_at = now_;
    const auto tokens = [&](std::int64_t Usage::*count) {
      return write.usage ? std::optional((*write.usage).*count) : std::nullopt;
    };
    auto updated = queries_.run(
        Query::update_session, session_id, status, std::int64_t{status.has_value()}, ended_at,
        write.result, write.error, tokens(&Usage::input_tokens), tokens(&Usage::output_tokens),
        tokens(&Usage::cached_tokens), tokens(&Usage::reasoning_tokens), write.iterations);
    if (!updated) return updated;
    if (sqlite3_changes(connection_) == 0) return std::unexpected(store::no_session(session_id));
    return {};
  }

  Result<void> insert_call(SessionId session_id, std::optional<MessageId> message_id,
                           const ToolCall& call) {
    auto inserted = queries_.run(Query::insert_call, session_id, message_id, call.id, call.name,
                                 store::request_column(call.arguments), now_);
    if (inserted) ids_.calls.push_back(sqlite3_last_insert_rowid(connection_));
    return inserted;
  }

  Result<void> check_session(SessionId id) {
    bool is_there = false;
    auto read = queries_.each(
        Query::session_exists,
        [&](const Row&) -> Result<void> {
          is_there = true;
          return {};
        },
        id);
    if (!read || is_there) return read;
    return std::unexpected(store::no_session(id));
  }

  Result<void> check_message(MessageId id, SessionId session_id) {
    std::optional<SessionId> owner;
    auto read = queries_.each(
        Query::message_session,
        [&](const Row& row) -> Result<void> {
          owner = row.integer(0);
          return {};
        },
        id);
    if (!read || owner == session_id) return read;
    return std::unexpected(store::no_message(id, session_id));
  }

  // Foreign keys find out that a session does not exist; only here is it known which one.
  static Error refers_to(std::optional<SessionId> id, Error error) {
    return id && error.code == ErrorCode::not_found ? store::no_session(*id) : error;
  }

  sqlite3* connection_;
  Queries& queries_;
  std::int64_t now_;
  std::optional<SessionId> session_id_;
  BatchIds ids_;
};

class SqliteStore final : public Store {
 public:
  SqliteStore(Connection connection, Clock clock)
      : connection_(std::move(connection)), queries_(connection_.get()), clock_(std::move(clock)) {}

  Result<SessionId> create_session(const NewSession& session) override {
    auto created = create_session_with(session, {});
    if (!created) return std::unexpected(std::move(created).error());
    return created->first;
  }

  Result<std::pair<SessionId, BatchIds>> create_session_with(
      const NewSession& session, std::span<const Write> writes) override {
    using Created = std::pair<SessionId, BatchIds>;
    return in_transaction([&](Batch& batch) -> Result<Created> {
      const auto id = batch.create_session(session);
      if (!id) return std::unexpected(id.error());
      batch.redirect_to(*id);
      for (const Write& write : writes) {
        if (auto written = batch.write(write); !written) return std::unexpected(written.error());
      }
      return Created{*id, batch.take_ids()};
    });
  }

  Result<BatchIds> apply(std::span<const Write> writes) override {
    if (writes.empty()) return BatchIds{};
    return in_transaction([&](Batch& batch) -> Result<BatchIds> {
      for (const Write& write : writes) {
        if (auto written = batch.write(write); !written) return std::unexpected(written.error());
      }
      return batch.take_ids();
    });
  }

  Result<void> delete_session(SessionId id) override {
    return in_transaction([&](Batch&) -> Result<void> {
      // Children before parents: cascading through generations would meet SQLite's depth limit.
      std::vector<SessionId> family;
      const auto read = queries_.each(
          Query::session_family,
          [&](const Row& row) -> Result<void> {
            family.push_back(row.integer(0));
            return {};
          },
          id);
      if (!read) return read;
      if (family.empty()) return std::unexpected(store::no_session(id));
      for (const SessionId member : family) {
        if (auto deleted = queries_.run(Query::delete_session, member); !deleted) return deleted;
      }
      return {};
    });
  }

  Result<Session> get_session(SessionId id) override {
    const std::lock_guard lock(mutex_);
    return read_session(id);
  }

  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override;

  Result<std::vector<StoredMessage>> get_messages(SessionId id) override {
    const std::lock_guard lock(mutex_);
    std::vector<StoredMessage> messages;
    const auto read = queries_.each(
        Query::messages, [&](const Row& row) { return append(messages, store::message_from(row)); },
        id);
    return rows_of(id, read, std::move(messages));
  }

  Result<std::vector<StoredCall>> get_tool_calls(SessionId id) override {
    const std::lock_guard lock(mutex_);
    std::vector<StoredCall> calls;
    const auto read = queries_.each(
        Query::calls, [&](const Row& row) { return append(calls, store::call_from(row)); }, id);
    return rows_of(id, read, std::move(calls));
  }

  Result<std::vector<StoredCall>> get_pending_tool_calls(SessionId id) override {
    const std::lock_guard lock(mutex_);
    std::vector<StoredCall> calls;
    const auto read = queries_.each(
        Query::calls_with_status,
        [&](const Row& row) { return append(calls, store::call_from(row)); }, id,
        to_string(CallStatus::pending));
    return rows_of(id, read, std::move(calls));
  }

 private:
  // Runs work(Batch&) in one transaction, which stands only when both work and commit succeed.
  template <class Work>
  auto in_transaction(Work work) -> std::invoke_result_t<Work, Batch&> {
    const std::lock_guard lock(mutex_);
    if (auto begun = queries_.run(Query::begin); !begun) return std::unexpected(begun.error());
    const store::RollbackGuard guard(connection_.get());
    Batch batch(connection_.get(), queries_, clock_());
    auto outcome = work(batch);
    if (!outcome) return outcome;
    if (auto done = queries_.run(Query::commit); !done) return std::unexpected(done.error());
    return outcome;
  }

  Result<Session> read_session(SessionId id) {
    Result<Session> session = std::unexpected(store::no_session(id));
    const auto read = queries_.each(
        Query::session,
        [&](const Row& row) -> Result<void> {
          session = store::session_from(row);
          return {};
        },
        id);
    if (!read) return std::unexpected(read.error());
    return session;
  }

  template <class Value>
  static Result<void> append(std::vector<Value>& values, Result<Value> value) {
    if (!value) return std::unexpected(std::move(value).error());
    values.push_back(std::move(*value));
    return {};
  }

  // An empty answer is one only for a session that exists.
  template <class Value>
  Result<std::vector<Value>> rows_of(SessionId id, const Result<void>& read,
                                     std::vector<Value> rows) {
    if (!read) return std::unexpected(read.error());
    if (rows.empty()) {
      if (auto session = read_session(id); !session) return std::unexpected(session.error());
    }
    return rows;
  }

  std::mutex mutex_;
  Connection connection_;
  Queries queries_;  // finalised before the connection closes
  Clock clock_;
};

Result<std::vector<Session>> SqliteStore::list_sessions(const SessionFilter& filter) {
  std::string sql =
      fmt::format("SELECT {} FROM agent_sessions WHERE started_at >= ?1", store::kSessionColumns);
  // Every parameter appears, so that what is bound does not depend on the filter.
  sql += filter.agent_name ? " AND agent_name = ?2" : " AND ?2 IS NULL";
  sql += filter.status ? " AND status = ?3" : " AND ?3 IS NULL";
  sql += filter.parent_session_id ? " AND parent_session_id = ?4" : " AND ?4 IS NULL";
  sql += filter.text.empty() ? " AND ?5 = ''"
                             : " AND (instr(lower(user_prompt), lower(?5)) > 0 "
                               "OR instr(lower(result), lower(?5)) > 0)";
  sql += " ORDER BY id DESC LIMIT ?6";
  std::optional<std::string_view> status;
  if (filter.status) status = to_string(*filter.status);
  const auto limit = static_cast<std::int64_t>(std::min<std::uint64_t>(
      filter.limit, std::uint64_t{std::numeric_limits<std::int64_t>::max()}));

  const std::lock_guard lock(mutex_);
  auto statement = Statement::prepare(connection_.get(), sql);
  if (!statement) return std::unexpected(statement.error());
  std::vector<Session> sessions;
  const auto read =
      statement->query([&](const Row& row) { return append(sessions, store::session_from(row)); },
                       filter.started_since, filter.agent_name, status, filter.parent_session_id,
                       filter.text, limit);
  if (!read) return std::unexpected(read.error());
  return sessions;
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const std::filesystem::path& path,
                                                 SqliteOptions options) {
  auto connection = store::open_database(path, options);
  if (!connection) return std::unexpected(std::move(connection).error());
  return std::make_unique<SqliteStore>(std::move(*connection), std::move(options.clock));
}

}  // namespace wright
