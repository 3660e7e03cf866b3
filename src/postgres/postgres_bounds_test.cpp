// How long everything lasts at most, here and on the server, and what is said instead of waiting.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "postgres/errors.h"
#include "postgres/open.h"
#include "postgres/pool.h"
#include "postgres/schema.h"
#include "postgres/cluster_testing.h"
#include "store/store_testing.h"

namespace wright::postgres {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using store::code_of;
using store::session_named;
using store::value_of;

// A connection on which the test does by hand what another process might do.
class ByHand {
 public:
  Outcome run(std::string_view text, milliseconds time = kPatience) {
    const Sql sql{std::string(text)};
    const Request request{&sql, {}, [this](const Row& row) -> Result<void> {
                            seen_ = row.text(0);
                            return {};
                          }};
    return connection_.exchange({&request, 1}, steady_clock::now() + time, Preparing::every_time);
  }
  std::string value(std::string_view text) {
    const Outcome outcome = run(text);
    EXPECT_TRUE(outcome.is_done()) << text << ": " << outcome.message;
    return seen_;
  }
  Connection& connection() { return connection_; }

 private:
  Connection connection_ = Connection::open(TestCluster::instance().url()).value();
  std::string seen_;
};

// What the server says, until it says that; nothing here is measured.
bool comes_to(std::string_view sql, const std::string& wanted) {
  for (const auto until = steady_clock::now() + std::chrono::seconds(20);
       steady_clock::now() < until;) {
    if (TestCluster::instance().run(sql) == wanted + "\n") return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

std::string count_of_sleepers(std::string_view mark) {
  return fmt::format(
      "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg\\_sleep%' "
      "AND query LIKE '%{}%' AND pid <> pg_backend_pid()",
      mark);
}

TEST(PostgresBounds, are_held_by_the_server_too) {
  ByHand hand;
  const Outcome outcome = hand.run("SELECT pg_sleep(300), 'held'", milliseconds(500));
  EXPECT_FALSE(outcome.is_done());
  EXPECT_TRUE(comes_to(count_of_sleepers("held"), "0"));
  ByHand other;
  EXPECT_EQ(other.value("SELECT current_setting('statement_timeout') <> '0'"), "t");
  EXPECT_TRUE(other.run("BEGIN").is_done());
  EXPECT_EQ(other.value("SELECT current_setting('statement_timeout') <> '0'"), "t")
      << "it is that of the transaction";
  EXPECT_EQ(other.run("SELECT 1/0").state, kDivisionByZero);
  EXPECT_TRUE(other.run("ROLLBACK").is_done()) << "a transaction that failed can be ended";
  EXPECT_EQ(other.value("SELECT reset_val FROM pg_settings WHERE name = 'statement_timeout'"), "0")
      << "and of nothing else";
}

TEST(PostgresBounds, say_what_to_do) {
  ByHand hand;
  Outcome outcome = hand.run("SELECT pg_sleep(300), 'said'", milliseconds(3'000));
  EXPECT_TRUE(is_timeout(outcome)) << outcome.message;
  EXPECT_TRUE(error_of(outcome).message.contains("pg_stat_activity"));
  EXPECT_EQ(error_of(outcome).code, ErrorCode::unavailable);
  EXPECT_EQ(hand.value("SELECT 'goes on'"), "goes on");
}

TEST(PostgresBounds, do_not_loosen_those_of_the_database) {
  ByHand hand;
  EXPECT_TRUE(hand.run("SET statement_timeout = '1234ms'").is_done());
  EXPECT_EQ(hand.value("SELECT current_setting('statement_timeout')"), "1234ms");
}

TEST(PostgresBounds, are_cancelled_where_the_server_does_not_know_them) {
  ByHand hand;
  EXPECT_TRUE(hand.run("BEGIN").is_done());
  EXPECT_TRUE(hand.run("SET LOCAL statement_timeout = 0").is_done());
  const Outcome outcome = hand.run("SELECT pg_sleep(300), 'cancelled'", milliseconds(200));
  EXPECT_EQ(outcome.kind, Outcome::Kind::lost);
  EXPECT_TRUE(comes_to(count_of_sleepers("cancelled"), "0"));
}

TEST(PostgresBounds, let_nobody_wait_for_a_connection_for_ever) {
  Pool pool(TestCluster::instance().url(), TestCluster::new_schema(), 2, std::nullopt);
  const auto soon = [] { return steady_clock::now() + milliseconds(20); };
  auto reading = pool.take(Pool::Use::reading, soon());
  ASSERT_TRUE(reading);
  const auto second = pool.take(Pool::Use::reading, soon());
  ASSERT_FALSE(second) << "the last one is for those who write";
  EXPECT_EQ(second.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(second.error().message.contains("pg_stat_activity")) << second.error().message;
  const auto writing = pool.take(Pool::Use::writing, soon());
  EXPECT_TRUE(writing);
  EXPECT_FALSE(pool.take(Pool::Use::writing, soon()));
  reading = std::unexpected(Error{});
  EXPECT_FALSE(pool.take(Pool::Use::reading, soon()));
  EXPECT_TRUE(pool.take(Pool::Use::writing, soon()));
  Pool single(TestCluster::instance().url(), TestCluster::new_schema(), 1, std::nullopt);
  EXPECT_TRUE(single.take(Pool::Use::reading, soon())) << "of one, nothing is kept";
}

TEST(PostgresBounds, let_leases_be_renewed_while_those_who_read_are_stuck) {
  const std::string schema = TestCluster::new_schema();
  const auto store = value_of(
      open_postgres_store(TestCluster::instance().url(), {.schema = schema, .connections = 3}));
  const SessionId id = value_of(store->create_session(session_named("a")));
  const RunnerId runner = value_of(store->register_runner("r", std::chrono::minutes(1)));
  ByHand hand;
  EXPECT_TRUE(hand.run("BEGIN").is_done());
  EXPECT_TRUE(hand.run(fmt::format("LOCK TABLE {}.agent_sessions", schema)).is_done());
  constexpr int kReaders = 6;
  std::atomic<int> ended = 0;
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < kReaders; ++i) {
      readers.emplace_back([&] {
        EXPECT_TRUE(store->get_session(id));
        ++ended;
      });
    }
    EXPECT_TRUE(
        comes_to("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                 "AND application_name = 'wright'",
                 "2"));
    EXPECT_TRUE(store->renew_runner(runner, std::chrono::minutes(1)));
    EXPECT_EQ(ended, 0) << "it had to wait for those who read";
    EXPECT_TRUE(hand.run("ROLLBACK").is_done());
  }
  EXPECT_EQ(ended, kReaders);
}

TEST(PostgresPlace, is_not_repeated_in_what_is_said_about_it) {
  for (const char* place :
       {"postgresql://user:s3c%r3t@127.0.0.1:1/db", "postgresql://user:s3c/r3t@127.0.0.1:1/db",
        "postgresql://user:s3c@r3t@127.0.0.1:1/db", "postgresql://user:s3c%r3@127.0.0.1:1/db",
        "host=127.0.0.1 port=s3cr3t", "host=127.0.0.1 password=s3c r3t",
        "host=127.0.0.1 port=1 password='s3c\nr3t"}) {
    const auto opened = Connection::open(place);
    ASSERT_FALSE(opened) << place;
    const std::string& said = opened.error().message;
    EXPECT_FALSE(said.contains("s3c") || said.contains("r3t")) << place << ": " << said;
    EXPECT_TRUE(said.contains("~/.pgpass")) << said;
  }
  // A service is named in a file of the user's, and is no secret: what is wrong with it is said.
  const auto missing = Connection::open("service=nowhere password=s3cr3t");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().message.contains("\"nowhere\" not found"))
      << missing.error().message;
  EXPECT_FALSE(missing.error().message.contains("s3cr3t")) << missing.error().message;
  const auto refused = Connection::open("postgresql://user:s3cr3t@127.0.0.1:1/db");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("port 1 failed")) << refused.error().message;
  EXPECT_FALSE(refused.error().message.contains("s3cr3t")) << refused.error().message;
}

// A transaction that has taken the number of an event and is not committed yet.
TEST(PostgresEvents, are_not_said_to_be_none_while_somebody_still_writes) {
  const std::string schema = TestCluster::new_schema();
  const auto store =
      value_of(open_postgres_store(TestCluster::instance().url(), {.schema = schema}));
  const SessionId id = value_of(store->create_session(session_named("a")));
  const Statements statements(schema);
  ByHand hand;
  EXPECT_TRUE(hand.run("BEGIN").is_done());
  EXPECT_TRUE(hand.run(statements[Query::lock_events].text).is_done());
  EXPECT_TRUE(hand.run(fmt::format("INSERT INTO {}.agent_events (session_id, type, data, at) "
                                   "VALUES ({}, 'low', 'null', 1)",
                                   schema, id))
                  .is_done());
  value_of(store->apply_one(AppendEvents{id, {{"high", {}}}}));
  EXPECT_EQ(code_of(store->get_events({})), ErrorCode::unavailable);
  EXPECT_EQ(code_of(store->get_events({.session_id = id})), ErrorCode::unavailable);
  EXPECT_TRUE(hand.run("COMMIT").is_done());
  const auto events = value_of(store->get_events({}));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].type, "low");
  EXPECT_EQ(events[1].type, "high");
}

}  // namespace
}  // namespace wright::postgres
