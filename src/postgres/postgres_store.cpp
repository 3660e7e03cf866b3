// The store in a schema of PostgreSQL.
#include <fmt/format.h>

#include <utility>

#include "core/try.h"
#include "postgres/errors.h"
#include "postgres/open.h"
#include "postgres/reads.h"
#include "postgres/schema.h"
#include "postgres/writing.h"
#include "wright/postgres.h"

namespace wright {
namespace postgres {
namespace {

class PostgresStore final : public Store {
 public:
  PostgresStore(std::unique_ptr<Pool> pool, Caution caution)
      : pool_(std::move(pool)), caution_(caution) {}

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    return write_batches(*pool_, batches, caution_);
  }
  Result<Session> get_session(SessionId id) override { return read_session(*pool_, id); }
  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
    return read_sessions(*pool_, filter);
  }
  Result<std::vector<StoredMessage>> get_messages(SessionId id, const Page& page) override {
    return read_messages(*pool_, id, page);
  }
  Result<std::vector<StoredCall>> get_tool_calls(SessionId id, const CallFilter& filter) override {
    return read_calls(*pool_, id, filter);
  }
  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override {
    return read_waits(*pool_, filter);
  }
  Result<std::vector<StoredEvent>> get_events(const EventFilter& filter) override {
    return read_events(*pool_, filter);
  }
  Result<std::vector<Record>> get_records(const RecordFilter& filter) override {
    return read_records(*pool_, filter);
  }
  Result<std::vector<Runner>> get_runners() override { return read_runners(*pool_); }
  Result<RunnerNews> get_news(RunnerId id) override { return read_news(*pool_, id); }
  Result<SpentBySpecialists> spent_by_specialists(SessionId id, MessageId since) override {
    return read_spent(*pool_, id, since);
  }
  Result<StoreStats> get_stats(const StatsFilter& filter) override {
    return read_stats(*pool_, filter);
  }
  Result<StoreHistory> get_history(const HistoryFilter& filter) override {
    return read_history(*pool_, filter);
  }
  Result<StoreCounts> get_counts(std::int64_t now) override { return read_counts(*pool_, now); }

 private:
  std::unique_ptr<Pool> pool_;
  Caution caution_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_store(const std::string& place, PostgresOptions options,
                                          Caution caution) {
  TRY(check_schema_name(options.schema));
  if (options.clock) options.clock = store::usable(std::move(*options.clock));
  auto pool = std::make_unique<Pool>(place, options.schema, options.connections,
                                     std::move(options.clock), std::move(options.logger));
  {
    Pool::Lease slot =
        TRY(pool->take(Pool::Use::writing, std::chrono::steady_clock::now() + kPatience));
    TRY(pool->connect_now(*slot));
    if (options.tables == TableMaking::refused) {
      const bool is_there = TRY(has_tables(*slot->connection, options.schema));
      if (!is_there) {
        return fail(ErrorCode::not_found,
                    fmt::format("There are no sessions in the schema {} yet", options.schema));
      }
    }
    TRY(migrate(*slot->connection, options.schema, migrations()));
    const Request forget{&pool->statements()[Query::forget_writers]};
    pool->exchange(*slot, {&forget, 1}, std::chrono::steady_clock::now() + std::chrono::seconds(5));
  }
  return std::make_unique<PostgresStore>(std::move(pool), caution);
}

}  // namespace postgres

Result<std::unique_ptr<Store>> open_postgres_store(const std::string& place,
                                                   PostgresOptions options) {
  return postgres::open_store(place, std::move(options), postgres::Caution::as_needed);
}

}  // namespace wright
