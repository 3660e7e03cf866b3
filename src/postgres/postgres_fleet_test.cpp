// A queue beside others: programs of the version before, and a reader that never ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "postgres/errors.h"
#include "postgres/figures.h"
#include "postgres/schema.h"
#include "postgres/cluster_testing.h"
#include "store/store_testing.h"
#include "wright/postgres.h"

namespace wright::postgres {
namespace {

using store::code_of;
using store::expect_ok;
using store::session_named;
using store::value_of;

Outcome said_on(Connection& connection, const std::string& text) {
  const Sql sql{text};
  const Request request{&sql};
  return connection.exchange({&request, 1}, std::chrono::steady_clock::now() + kPatience,
                             Preparing::every_time);
}

struct OwnSchema {
  std::string schema = TestCluster::new_schema();
  std::unique_ptr<Store> store =
      value_of(open_postgres_store(TestCluster::instance().url(), {.schema = schema}));

  SessionId queue(std::optional<std::int64_t> ready_at = {}) const {
    NewSession session = session_named("a");
    session.is_queued = true;
    session.ready_at = ready_at;
    return value_of(store->create_session(session));
  }
};

TEST(PostgresMigrations, leave_programs_of_the_version_before_their_tables) {
  const OwnSchema own;
  Connection connection = Connection::open(TestCluster::instance().url()).value();
  const auto steps = migrations();
  expect_ok(migrate(connection, own.schema, steps.first(3)));
  EXPECT_EQ(code_of(migrate(connection, own.schema, steps.first(1))), ErrorCode::unsupported);
  // What a program of version 8 writes and reads.
  own.queue();
  TestCluster& cluster = TestCluster::instance();
  cluster.run(
      fmt::format("INSERT INTO {}.agent_sessions (agent_name, provider, model, "
                  "user_prompt, started_at, status) VALUES ('b', 'p', 'm', 'Go', 1, "
                  "'queued')",
                  own.schema));
  cluster.run(
      fmt::format("INSERT INTO {}.agent_queues (agent_name, served) VALUES ('a', 1) "
                  "ON CONFLICT DO NOTHING",
                  own.schema));
  const RunnerId runner = value_of(own.store->register_runner("new", std::chrono::hours(1)));
  EXPECT_EQ(value_of(own.store->apply_one(Claim{.runner_id = runner, .most = 9})).claimed.size(),
            2U);
}

TEST(PostgresMigrations, bring_tables_of_the_version_before_along) {
  const std::string schema = TestCluster::new_schema();
  Connection connection = Connection::open(TestCluster::instance().url()).value();
  expect_ok(migrate(connection, schema, migrations().first(3)));
  TestCluster& cluster = TestCluster::instance();
  cluster.run(
      fmt::format("INSERT INTO {}.agent_sessions (agent_name, provider, model, "
                  "user_prompt, started_at, status, labels) VALUES ('b', 'p', 'm', 'Go', "
                  "1, 'queued', 'gpu')",
                  schema));
  cluster.run(fmt::format("INSERT INTO {}.agent_queues VALUES ('b', 7)", schema));
  cluster.run(
      fmt::format("INSERT INTO {}.agent_records (kind, key, value, due_at) VALUES "
                  "('webhook', 'k', 'v', 9)",
                  schema));
  const auto store =
      value_of(open_postgres_store(TestCluster::instance().url(), {.schema = schema}));
  EXPECT_EQ(value_of(store->get_session(1)).tenant, "");
  EXPECT_EQ(cluster.run(fmt::format("SELECT served FROM {}.agent_lines", schema)), "7\n");
  EXPECT_EQ(cluster.run(fmt::format("SELECT value FROM {}.agent_records", schema)), "v\n");
}

// Somebody reads a table for hours. Those who work go on, and the change comes when it can.
TEST(PostgresMigrations, let_others_through_while_a_table_is_in_use) {
  const std::string schema = TestCluster::new_schema();
  Connection connection = Connection::open(TestCluster::instance().url()).value();
  expect_ok(migrate(connection, schema, migrations().first(3)));
  Connection reader = Connection::open(TestCluster::instance().url()).value();
  ASSERT_TRUE(said_on(reader, "BEGIN").is_done());
  ASSERT_TRUE(
      said_on(reader, fmt::format("SELECT count(*) FROM {}.agent_sessions", schema)).is_done());
  Result<void> migrated;
  std::thread migrating([&] { migrated = migrate(connection, schema, migrations()); });
  TestCluster& cluster = TestCluster::instance();
  const std::string waiting = fmt::format(
      "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '{}.agent_sessions'::regclass",
      schema);
  for (int i = 0; i < 3'000 && cluster.run(waiting) == "0\n"; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  Connection worker = Connection::open(TestCluster::instance().url()).value();
  ASSERT_TRUE(said_on(worker, "SET statement_timeout = '60s'").is_done());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(said_on(worker, fmt::format("INSERT INTO {}.agent_sessions (agent_name, provider, "
                                            "model, user_prompt, started_at, status) VALUES ('b', "
                                            "'p', 'm', 'Go', 1, 'queued')",
                                            schema))
                    .is_done());
  }
  ASSERT_TRUE(said_on(reader, "ROLLBACK").is_done());
  migrating.join();
  expect_ok(migrated);
  const auto store =
      value_of(open_postgres_store(TestCluster::instance().url(), {.schema = schema}));
  EXPECT_EQ(value_of(store->list_sessions({})).size(), 3U);
}

TEST(PostgresQueue, goes_on_beside_a_transaction_that_stays_open) {
  const OwnSchema own;
  Connection reader = Connection::open(TestCluster::instance().url()).value();
  ASSERT_TRUE(said_on(reader, "BEGIN").is_done());
  // As long as it is open, so is what it saw.
  ASSERT_TRUE(
      said_on(reader,
              fmt::format("DECLARE held CURSOR FOR SELECT id FROM {}.agent_sessions", own.schema))
          .is_done());
  const RunnerId runner = value_of(own.store->register_runner("worker", std::chrono::hours(1)));
  for (int round = 0; round < 30; ++round) {
    std::vector<SessionId> ids;
    for (int i = 0; i < 3; ++i) ids.push_back(own.queue());
    const auto claimed = value_of(own.store->apply_one(Claim{.runner_id = runner, .most = 9}));
    ASSERT_EQ(claimed.claimed.size(), ids.size()) << round;
    for (const SessionId id : ids) expect_ok(own.store->complete_session(id, "Done"));
    expect_ok(own.store->renew_runner(runner, std::chrono::hours(1)));
  }
  const Figures figures = value_of(read_figures(TestCluster::instance().url(), own.schema));
  EXPECT_TRUE(figures.oldest_snapshot_ms.has_value()) << "and whoever looks after it can see it";
}

// Others' transactions are hidden from an ordinary role, and may be the ones that matter.
TEST(PostgresFigures, tell_what_they_cannot_see) {
  if (std::getenv("WRIGHT_TEST_POOLER") != nullptr) GTEST_SKIP() << "it knows one role alone";
  const OwnSchema own;
  TestCluster& cluster = TestCluster::instance();
  const std::string role = own.schema + "_looks";
  for (const std::string& statement :
       {fmt::format("CREATE ROLE {} LOGIN", role),
        fmt::format("GRANT USAGE ON SCHEMA {} TO {}", own.schema, role),
        fmt::format("GRANT SELECT ON ALL TABLES IN SCHEMA {} TO {}", own.schema, role)}) {
    cluster.run(statement);
  }
  Connection reader = Connection::open(cluster.url()).value();
  ASSERT_TRUE(said_on(reader, "BEGIN").is_done());
  ASSERT_TRUE(
      said_on(reader, fmt::format("DECLARE held CURSOR FOR SELECT id FROM {}.agent_sessions",
                                  own.schema))
          .is_done());
  const Figures own_role = value_of(read_figures(cluster.url(), own.schema));
  EXPECT_EQ(own_role.unseen, 0);
  EXPECT_TRUE(own_role.oldest_snapshot_ms.has_value());
  const Figures other_role =
      value_of(read_figures(cluster.url() + "&user=" + role, own.schema));
  EXPECT_GT(other_role.unseen, 0);
  EXPECT_EQ(other_role.oldest_snapshot_ms, std::nullopt);
}

TEST(PostgresFigures, tell_how_long_the_first_has_been_waiting) {
  const OwnSchema own;
  const auto now = [&] {
    return std::stoll(TestCluster::instance().run(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"));
  };
  own.queue(now() + 3'600'000);
  const auto read = [&] {
    return value_of(read_figures(TestCluster::instance().url(), own.schema));
  };
  EXPECT_EQ(read().oldest_ready_ms, std::nullopt) << "it is not ready yet";
  EXPECT_EQ(read().queued, 1);
  const SessionId delayed = own.queue(now() - 90'000);
  const std::string began_before = fmt::format(
      "UPDATE {}.agent_sessions SET started_at = started_at - 86400000 WHERE id = {}", own.schema,
      delayed);
  TestCluster::instance().run(began_before);
  EXPECT_GE(read().oldest_ready_ms.value_or(0), 90'000);
  EXPECT_LT(read().oldest_ready_ms.value_or(0), 86'400'000) << "it was delayed until then";
  // The next message of a session of yesterday has come now.
  ASSERT_TRUE(own.store->apply_one(
      UpdateSession{.session_id = delayed, .status = SessionStatus::completed}));
  ASSERT_TRUE(
      own.store->apply_one(Enqueue{.session_id = delayed, .message = Message::user("More")}));
  EXPECT_LT(read().oldest_ready_ms.value_or(86'400'000), 86'400'000);
  const std::string updated = fmt::format("UPDATE {0}.agent_sessions SET priority = 1", own.schema);
  TestCluster::instance().run(updated);
  // The server counts what is dead from time to time; ANALYZE makes it do so now.
  TestCluster::instance().run(fmt::format("ANALYZE {}.agent_sessions", own.schema));
  // Behind a pooler, connections live on, and their counts come later.
  if (std::getenv("WRIGHT_TEST_POOLER") == nullptr) EXPECT_GE(read().dead_rows, 2);
}

}  // namespace
}  // namespace wright::postgres
