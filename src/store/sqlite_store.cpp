// The store in a SQLite file. Every group of batches is one IMMEDIATE transaction; a mutex lets one
// thread at a time use the connection, and SQLite's own locks do the same for processes.
#include <fmt/format.h>
#include <sqlite3.h>

#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/try.h"
#include "store/lease.h"
#include "store/sqlite_batch.h"
#include "store/sqlite_names.h"
#include "store/sqlite_open.h"
#include "store/sqlite_queries.h"
#include "store/sqlite_reads.h"
#include "store/sqlite_rows.h"
#include "wright/store.h"

namespace wright {
namespace {

using store::Connection;
using store::Queries;
using store::Query;
using store::SqliteBatch;
using store::SqliteTransaction;

class SqliteStore final : public Store {
 public:
  SqliteStore(Connection connection, Clocks clocks)
      : connection_(std::move(connection)),
        queries_(connection_.get()),
        clocks_(std::move(clocks)) {}

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    const std::lock_guard lock(mutex_);
    if (batches.size() > 1) {
      if (auto results = apply_together(batches)) return std::move(*results);
    }
    std::vector<Result<BatchIds>> results;
    results.reserve(batches.size());
    for (const Batch& batch : batches) results.push_back(apply_alone(batch));
    return results;
  }

  Result<Session> get_session(SessionId id) override {
    const std::lock_guard lock(mutex_);
    return store::read_session(queries_, id);
  }

  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
    const std::lock_guard lock(mutex_);
    return store::read_sessions(connection_.get(), filter, store::moment_of(clocks_));
  }

  Result<std::vector<StoredMessage>> get_messages(SessionId id, const Page& page) override {
    const std::lock_guard lock(mutex_);
    return store::read_messages(connection_.get(), queries_, id, page);
  }

  Result<std::vector<StoredCall>> get_tool_calls(SessionId id, const CallFilter& filter) override {
    const std::lock_guard lock(mutex_);
    return store::read_calls(connection_.get(), queries_, id, filter);
  }

  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override {
    const std::lock_guard lock(mutex_);
    return store::read_waits(connection_.get(), queries_, filter);
  }

  Result<std::vector<StoredEvent>> get_events(const EventFilter& filter) override {
    const std::lock_guard lock(mutex_);
    return store::read_events(connection_.get(), queries_, filter);
  }

  Result<std::vector<Record>> get_records(const RecordFilter& filter) override {
    const std::lock_guard lock(mutex_);
    return store::read_records(connection_.get(), queries_, filter);
  }

  Result<std::vector<Runner>> get_runners() override {
    const std::lock_guard lock(mutex_);
    return store::read_runners(queries_);
  }

  Result<RunnerNews> get_news(RunnerId id) override {
    const std::lock_guard lock(mutex_);
    return store::read_news(queries_, id);
  }

  Result<SpentBySpecialists> spent_by_specialists(SessionId id, MessageId since) override {
    const std::lock_guard lock(mutex_);
    return store::read_spent(queries_, id, since);
  }

  Result<StoreStats> get_stats(const StatsFilter& filter) override {
    return read_apart([&](sqlite3* connection) { return store::read_stats(connection, filter); });
  }

  Result<StoreHistory> get_history(const HistoryFilter& filter) override {
    return read_apart([&](sqlite3* connection) { return store::read_history(connection, filter); });
  }

  Result<StoreCounts> get_counts(std::int64_t now) override {
    return read_apart([&](sqlite3* connection) { return store::read_counts(connection, now); });
  }

 private:
  // Figures over all sessions take long: they are read by a connection of their own, so that no
  // session waits for whoever looks at them.
  template <class Read>
  std::invoke_result_t<Read, sqlite3*> read_apart(const Read& read) {
    std::unique_lock lock(mutex_);
    const auto apart = store::open_for_reading(connection_.get());
    if (!apart || *apart == nullptr) return read(connection_.get());
    lock.unlock();
    TRY(store::execute(apart->get(), "BEGIN"));  // all of it at one moment; ends with the connection
    return read(apart->get());
  }

  Result<BatchIds> write(const Batch& group, SqliteTransaction& transaction) {
    SqliteBatch batch(connection_.get(), queries_, transaction);
    if (group.create) {
      TRY(batch.create_session(*group.create));
    }
    TRY(batch.write(group.writes));
    return batch.take_ids();
  }

  // All in one transaction, or none and no results when one of them fails.
  std::optional<std::vector<Result<BatchIds>>> apply_together(std::span<const Batch> batches) {
    const auto all_fail = [&](const Error& error) {
      return std::vector<Result<BatchIds>>(batches.size(), std::unexpected(error));
    };
    if (auto begun = begin(); !begun) return all_fail(begun.error());
    const store::RollbackGuard guard(connection_.get());
    SqliteTransaction transaction{.now = store::moment_of(clocks_)};
    std::vector<Result<BatchIds>> results;
    results.reserve(batches.size());
    for (const Batch& batch : batches) {
      results.push_back(write(batch, transaction));
      if (!results.back()) return std::nullopt;
    }
    if (auto done = commit(); !done) return all_fail(done.error());
    return results;
  }

  Result<BatchIds> apply_alone(const Batch& batch) {
    if (!batch.create && batch.writes.empty()) return BatchIds{};
    TRY(begin());
    const store::RollbackGuard guard(connection_.get());
    SqliteTransaction transaction{.now = store::moment_of(clocks_)};
    auto ids = TRY(write(batch, transaction));
    TRY(commit());
    return ids;
  }

  // A file of another name, or of none, takes writes as well as before, and nobody ever finds
  // them. Looking before the transaction keeps them out of a file that took its place, looking
  // after it keeps one from counting that was under way meanwhile.
  Result<void> begin() {
    TRY(store::check_file(connection_.get()));
    return queries_.run(Query::begin);
  }
  Result<void> commit() {
    TRY(queries_.run(Query::commit));
    return store::check_file(connection_.get());
  }

  std::mutex mutex_;
  Connection connection_;
  Queries queries_;  // finalised before the connection closes
  Clocks clocks_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const std::filesystem::path& path,
                                                 SqliteOptions options) {
  auto connection = TRY(store::open_database(path, options));
  return std::make_unique<SqliteStore>(std::move(connection),
                                       store::usable(std::move(options.clock)));
}

}  // namespace wright
