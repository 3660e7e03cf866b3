// The store in a SQLite file. Every batch is one IMMEDIATE transaction; a mutex lets one thread at
// a time use the connection, and SQLite's own locks do the same for processes.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "store/lease.h"
#include "store/sqlite_batch.h"
#include "store/sqlite_fork.h"
#include "store/sqlite_names.h"
#include "store/sqlite_open.h"
#include "store/sqlite_queries.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_waits.h"
#include "store/status.h"
#include "wright/store.h"

namespace wright {
namespace {

using store::Connection;
using store::Queries;
using store::Query;
using store::Row;
using store::SqliteBatch;
using store::Statement;

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
    const std::lock_guard lock(mutex_);
    auto ids = in_transaction([&] { return write(&session, writes); });
    if (!ids) return std::unexpected(std::move(ids).error());
    const SessionId id = ids->session;
    return std::pair{id, std::move(*ids)};
  }

  Result<BatchIds> apply(std::span<const Write> writes) override {
    const std::lock_guard lock(mutex_);
    if (writes.empty()) return BatchIds{};
    return in_transaction([&] { return write(nullptr, writes); });
  }

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    const std::lock_guard lock(mutex_);
    if (batches.size() > 1) {
      if (auto results = apply_together(batches)) return std::move(*results);
    }
    std::vector<Result<BatchIds>> results;
    results.reserve(batches.size());
    for (const Batch& batch : batches) {
      results.push_back(in_transaction([&] { return write(batch); }));
    }
    return results;
  }

  Result<void> delete_session(SessionId id) override {
    const std::lock_guard lock(mutex_);
    return in_transaction([&]() -> Result<void> {
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

  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override {
    const std::lock_guard lock(mutex_);
    auto waits = store::read_waits(connection_.get(), filter);
    if (!waits || !waits->empty() || !filter.session_id) return waits;
    if (auto session = read_session(*filter.session_id); !session) {
      return std::unexpected(std::move(session).error());
    }
    return waits;
  }

  Result<StoredWait> answer_wait(WaitId id, const WaitAnswer& answer) override {
    const std::lock_guard lock(mutex_);
    auto attempt = in_transaction(
        [&] { return store::answer_wait(connection_.get(), queries_, id, answer, clock_()); });
    if (!attempt) return std::unexpected(std::move(attempt).error());
    if (!attempt->has_won) return std::unexpected(store::not_open(attempt->wait));
    return std::move(attempt->wait);
  }

  Result<SessionId> fork_session(SessionId id, MessageId last) override {
    const std::lock_guard lock(mutex_);
    return in_transaction(
        [&] { return store::fork_session(connection_.get(), queries_, id, last, clock_()); });
  }

  Result<RunnerId> register_runner(std::string name, std::chrono::milliseconds time) override {
    const std::lock_guard lock(mutex_);
    return in_transaction([&]() -> Result<RunnerId> {
      auto inserted =
          queries_.run(Query::insert_runner, std::string_view(name), store::expiry(clock_(), time));
      if (!inserted) return std::unexpected(std::move(inserted).error());
      return sqlite3_last_insert_rowid(connection_.get());
    });
  }

  Result<void> renew_runner(RunnerId id, std::chrono::milliseconds time) override {
    const std::lock_guard lock(mutex_);
    return in_transaction([&]() -> Result<void> {
      auto renewed = queries_.run(Query::renew_runner, id, store::expiry(clock_(), time));
      if (!renewed || sqlite3_changes(connection_.get()) == 1) return renewed;
      return std::unexpected(store::no_runner(id));
    });
  }

  Result<void> end_runner(RunnerId id) override {
    const std::lock_guard lock(mutex_);
    return in_transaction([&] { return queries_.run(Query::delete_runner, id); });
  }

  Result<std::vector<Runner>> get_runners() override {
    const std::lock_guard lock(mutex_);
    return store::read_runners(queries_);
  }

 private:
  Result<BatchIds> write(const NewSession* create, std::span<const Write> writes) {
    SqliteBatch batch(connection_.get(), queries_, clock_());
    if (create != nullptr) {
      if (auto created = batch.create_session(*create); !created) {
        return std::unexpected(std::move(created).error());
      }
    }
    if (auto written = batch.write(writes); !written) {
      return std::unexpected(std::move(written).error());
    }
    return batch.take_ids();
  }
  Result<BatchIds> write(const Batch& batch) {
    return write(batch.create ? &*batch.create : nullptr, batch.writes);
  }

  // All in one transaction, or none and no results when one of them fails.
  std::optional<std::vector<Result<BatchIds>>> apply_together(std::span<const Batch> batches) {
    const auto all_fail = [&](const Error& error) {
      return std::vector<Result<BatchIds>>(batches.size(), std::unexpected(error));
    };
    if (auto begun = queries_.run(Query::begin); !begun) return all_fail(begun.error());
    const store::RollbackGuard guard(connection_.get());
    std::vector<Result<BatchIds>> results;
    results.reserve(batches.size());
    for (const Batch& batch : batches) {
      results.push_back(write(batch));
      if (!results.back()) return std::nullopt;
    }
    if (auto done = queries_.run(Query::commit); !done) return all_fail(done.error());
    return results;
  }

  // Runs work() in one transaction, which stands only when both work and commit succeed.
  template <class Work>
  auto in_transaction(Work work) -> std::invoke_result_t<Work> {
    if (auto begun = queries_.run(Query::begin); !begun) return std::unexpected(begun.error());
    const store::RollbackGuard guard(connection_.get());
    auto outcome = work();
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
  sql += filter.is_abandoned ? " AND status = 'running' AND NOT EXISTS (SELECT 1 "
                               "FROM agent_runners WHERE id = agent_sessions.runner_id "
                               "AND expires_at > ?7)"
                             : " AND ?7 IS NOT NULL";
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
                       filter.text, limit, clock_());
  if (!read) return std::unexpected(read.error());
  return sessions;
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const std::filesystem::path& path,
                                                 SqliteOptions options) {
  auto connection = store::open_database(path, options);
  if (!connection) return std::unexpected(std::move(connection).error());
  if (!options.clock) options.clock = system_clock_ms;
  return std::make_unique<SqliteStore>(std::move(*connection), std::move(options.clock));
}

}  // namespace wright
