// What only the store in PostgreSQL promises: lost connections and commits, other versions beside,
// events in order, names, and text that PostgreSQL does not take as it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>

#include "postgres/cluster_testing.h"
#include "postgres/errors.h"
#include "postgres/open.h"
#include "postgres/place.h"
#include "postgres/schema.h"
#include "store/store_testing.h"

namespace wright::postgres {
namespace {

using store::code_of;
using store::expect_ok;
using store::session_named;
using store::value_of;
using namespace std::string_literals;

struct Opened {
  std::string schema = TestCluster::new_schema();
  std::unique_ptr<Store> store = open();

  std::unique_ptr<Store> open() const {
    return value_of(open_postgres_store(TestCluster::instance().url(), {.schema = schema}));
  }
  std::string count(std::string_view table) const {
    return TestCluster::instance().run(fmt::format("SELECT count(*) FROM {}.{}", schema, table));
  }
};

TEST(PostgresText, comes_back_whatever_it_is) {
  for (const std::string& text :
       {""s, "plain"s, "nul\0byte"s, "\0"s, "\xF4\x8F\xBF\xBD"s, "\xF4\x8F\xBF\xBD"s + "0"s,
        "\xF4\x8F\xBF\xBD"s + "\0"s + "1"s, "é \"quoted\" \\ {a,b}"s}) {
    EXPECT_FALSE(to_column(text).contains('\0'));
    EXPECT_EQ(from_column(to_column(text)), text);
  }
  EXPECT_EQ(to_column("a\xFFz"), to_valid_utf8("a\xFFz"));
  EXPECT_EQ(array_literal({"a", "b\"c\\", ""}), R"({"a","b\"c\\",""})");
}

TEST(PostgresStore, refuses_names_of_schemas_that_would_need_quotes) {
  for (const char* name : {"", "1a", "a-b", "a\"b", "A", "a;drop"}) {
    EXPECT_EQ(code_of(open_postgres_store("postgresql:///x", {.schema = name})),
              ErrorCode::invalid_argument)
        << name;
  }
}

TEST(PostgresStore, says_what_is_wrong_when_nobody_is_there) {
  const auto nobody = open_postgres_store("postgresql://wright@/postgres?host=/nonexistent");
  EXPECT_EQ(code_of(nobody), ErrorCode::unavailable);
  EXPECT_TRUE(nobody.error().message.contains("/nonexistent")) << nobody.error().message;
  const auto broken = open_postgres_store("postgresql://[");
  EXPECT_FALSE(broken.has_value());
}

TEST(PostgresPlace, is_shown_without_its_passwords) {
  for (const auto& [place, shown] : std::vector<std::pair<std::string, std::string>>{
           {"postgresql://me:geheim@host/x", "postgresql://me:***@host/x"},
           {"postgres://me:ge%40heim@host:5432/x?a=b", "postgres://me:***@host:5432/x?a=b"},
           {"postgresql://host/x?user=a@b&password=geheim&c=d",
            "postgresql://host/x?user=a@b&password=***&c=d"},
           {"postgresql:///x?sslpassword=geheim", "postgresql:///x?sslpassword=***"},
           {"postgresql:///x?p%61ssword=geheim", "postgresql:///x?p%61ssword=***"},
           {"postgresql://me@host:5432/x", "postgresql://me@host:5432/x"},
           {"postgresql://a:geheim@[", "postgresql://a:***@["}}) {
    EXPECT_EQ(shown_place(place), shown);
    EXPECT_FALSE(without_passwords("no \"" + place + "\" here", place).contains("heim")) << place;
  }
}

TEST(PostgresPlace, hides_a_password_as_it_is_written_and_as_it_is_meant) {
  EXPECT_EQ(without_passwords("a%40b, a@b, a", "postgresql://me:a%40b@host/x"), "***, ***, a");
}

TEST(PostgresPlace, never_says_a_password_when_it_cannot_connect) {
  for (const char* place :
       {"postgresql://a:qxqzxz@[", "postgresql://a:qxqzxz@host:port/x",
        "postgresql://a:qxq%zzzxz@/", "postgresql://a:qxq@zxz@/x?host=/nonexistent",
        "postgresql://a:qxq/zxz@localhost/x", "postgresql://a:qxq?zxz@localhost/x",
        "postgresql:///x?password=qxqzxz&nonsense=1",
        "postgresql:///x?password=qxqzxz&host=/nonexistent"}) {
    const auto opened = open_postgres_store(place);
    ASSERT_FALSE(opened.has_value()) << place;
    EXPECT_FALSE(opened.error().message.contains("qxq")) << opened.error().message;
    EXPECT_FALSE(opened.error().message.contains("zxz")) << opened.error().message;
  }
}

TEST(PostgresStore, is_seen_by_all_who_open_it) {
  const Opened opened;
  const auto other = opened.open();
  const SessionId id = value_of(opened.store->create_session(session_named("a")));
  EXPECT_EQ(value_of(other->get_session(id)).agent_name, "a");
  EXPECT_NEAR(static_cast<double>(value_of(other->get_session(id)).started_at),
              static_cast<double>(system_clock_ms()), 60'000.0)
      << "by the clock of the server";
}

// As behind a pooler that mixes up connections: a kept statement is refused in the middle of a
// batch, when rows of those before it have come already.
TEST(PostgresStore, tells_every_number_once_when_a_kept_statement_is_refused) {
  const Opened opened;
  const SessionId id = value_of(opened.store->create_session(session_named("a")));
  const std::vector<Write> writes{RegisterRunner{"worker", std::chrono::minutes(1)},
                                  AppendMessage{id, Message::user("Hello")}};
  value_of(opened.store->apply(writes));
  TestCluster::instance().run(
      fmt::format("ALTER TABLE {}.agent_messages ALTER COLUMN id TYPE INTEGER", opened.schema));
  const BatchIds ids = value_of(opened.store->apply(writes));
  ASSERT_EQ(ids.runners.size(), 1U);
  EXPECT_EQ(ids.messages.size(), 1U);
  expect_ok(opened.store->renew_runner(ids.runners.front(), std::chrono::minutes(1)));
}

TEST(PostgresStore, opens_at_once_from_many_sides) {
  Opened opened{.store = nullptr};
  std::atomic<int> fine = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        if (opened.open()) ++fine;
      });
    }
  }
  EXPECT_EQ(fine, 8);
}

TEST(PostgresMigrations, run_beside_older_programs_until_these_are_shut_out) {
  const Opened opened;
  auto opened_connection = Connection::open(TestCluster::instance().url());
  ASSERT_TRUE(opened_connection.has_value());
  Connection& connection = *opened_connection;
  std::vector<Migration> steps(migrations().begin(), migrations().end());
  const int known = steps.back().version;
  steps.push_back({known + 1, known, "ALTER TABLE @agent_sessions ADD COLUMN later TEXT;\n"});
  expect_ok(migrate(connection, opened.schema, steps));
  expect_ok(migrate(connection, opened.schema, steps));
  const SessionId id = value_of(opened.store->create_session(session_named("a")));
  EXPECT_EQ(value_of(opened.store->get_session(id)).id, id) << "opened before";
  EXPECT_EQ(value_of(opened.open()->get_session(id)).id, id) << "opened after";

  steps.push_back({known + 2, known + 2, "CREATE INDEX later ON @agent_sessions (later);\n"});
  expect_ok(migrate(connection, opened.schema, steps));
  const auto shut_out =
      open_postgres_store(TestCluster::instance().url(), {.schema = opened.schema});
  EXPECT_EQ(code_of(shut_out), ErrorCode::unsupported);

  steps.push_back({known + 3, known + 3, "CREATE TABLE @more (id BIGINT);\nNONSENSE;\n"});
  EXPECT_FALSE(migrate(connection, opened.schema, steps));
  EXPECT_EQ(TestCluster::instance().run(
                fmt::format("SELECT version FROM {}.agent_schema", opened.schema)),
            fmt::format("{}\n", known + 2));
  EXPECT_EQ(TestCluster::instance().run(
                fmt::format("SELECT to_regclass('{}.more') IS NULL", opened.schema)),
            "t\n");
}

TEST(PostgresStore, goes_on_when_its_connections_are_cut) {
  const Opened opened;
  const SessionId id = value_of(opened.store->create_session(session_named("a")));
  constexpr int kAll = 100;
  for (int i = 0; i < 3; ++i) {
    TestCluster::instance().cut_connections(kAll);
    EXPECT_EQ(value_of(opened.store->get_session(id)).id, id);
    TestCluster::instance().cut_connections(kAll);
    value_of(opened.store->create_message(id, Role::user, fmt::format("{}", i)));
  }
  EXPECT_EQ(value_of(opened.store->get_messages(id)).size(), 3U);
}

// Connections are cut while several threads write. Every write that was told to have come through
// is there once, every other that was refused for certain is not.
TEST(PostgresStore, finds_out_what_became_of_a_commit_whose_answer_was_lost) {
  const Opened opened;
  constexpr int kThreads = 3;
  constexpr int kWrites = 40;
  std::vector<SessionId> sessions;
  for (int i = 0; i < kThreads; ++i) {
    sessions.push_back(value_of(opened.store->create_session(session_named("a"))));
  }
  std::atomic<int> at_work = kThreads;
  std::atomic<int> unclear = 0;
  std::atomic<int> writes = 0;
  {
    std::vector<std::jthread> threads;
    for (const SessionId id : sessions) {
      threads.emplace_back([&, id] {
        constexpr int kTries = 50;
        for (int i = 0, tried = 0; i < kWrites; ++i) {
          const auto written = opened.store->create_message(id, Role::user, fmt::format("{}", i));
          ++writes;
          writes.notify_all();
          if (written) continue;
          // Nothing was stored: it is written again, and must not be there twice then.
          if (written.error().code == ErrorCode::unavailable && ++tried < kTries) {
            --i;
            continue;
          }
          // Stored, but its id is not known.
          EXPECT_EQ(written.error().code, ErrorCode::storage) << written.error().message;
          ++unclear;
        }
        --at_work;
        ++writes;  // who waits for more looks whether there will be any
        writes.notify_all();
      });
    }
    // A cut every few writes: they must have a chance between two of them.
    for (int seen = 0; at_work > 0;) {
      constexpr int kWritesPerCut = 8;
      const int now = writes;
      if (now < seen + kWritesPerCut) {
        if (at_work > 0) writes.wait(now);
        continue;
      }
      seen = now;
      TestCluster::instance().cut_connections(1);
    }
  }
  for (const SessionId id : sessions) {
    std::vector<std::string> contents;
    for (const auto& message : value_of(opened.store->get_messages(id))) {
      contents.push_back(message.content);
    }
    ASSERT_EQ(contents.size(), std::size_t{kWrites}) << "each once";
    for (int i = 0; i < kWrites; ++i)
      EXPECT_EQ(contents[static_cast<std::size_t>(i)], fmt::format("{}", i));
  }
}

TEST(PostgresStore, survives_a_crash_of_the_server) {
  const Opened opened;
  const SessionId id = value_of(opened.store->create_session(session_named("a")));
  TestCluster::instance().tell("immediate");
  value_of(opened.store->create_message(id, Role::user, "after"));
  EXPECT_EQ(value_of(opened.store->get_messages(id)).size(), 1U);
}

// Readers that follow see every event although transactions commit in any order.
TEST(PostgresStore, shows_no_event_before_those_with_lower_numbers) {
  const Opened opened;
  constexpr int kThreads = 3;
  constexpr int kWrites = 40;
  std::vector<SessionId> sessions;
  for (int i = 0; i < kThreads; ++i) {
    sessions.push_back(value_of(opened.store->create_session(session_named("a"))));
  }
  std::atomic<int> at_work = kThreads;
  std::vector<EventSequence> seen;
  {
    std::vector<std::jthread> threads;
    for (const SessionId id : sessions) {
      threads.emplace_back([&, id] {
        for (int i = 0; i < kWrites; ++i) {
          value_of(opened.store->apply_one(AppendEvents{id, {{"one", Json(i)}, {"two", {}}}}));
        }
        --at_work;
      });
    }
    for (bool is_last = false; !is_last;) {
      is_last = at_work == 0;
      const EventSequence after = seen.empty() ? 0 : seen.back();
      for (const auto& event : value_of(opened.store->get_events({.after = after}))) {
        seen.push_back(event.sequence);
      }
    }
  }
  EXPECT_EQ(seen.size(), std::size_t{kThreads * kWrites * 2});
}

TEST(PostgresStore, does_without_kept_statements_where_a_pooler_mixes_them_up) {
  if (std::getenv("WRIGHT_TEST_POOLER") != nullptr) GTEST_SKIP() << "it has its own mixing up";
  const Opened opened;
  const SessionId id = value_of(opened.store->create_session(session_named("a")));
  // As if the next transaction met another connection of the server: it knows no statement.
  auto opened_connection = Connection::open(TestCluster::instance().url());
  ASSERT_TRUE(opened_connection.has_value());
  Connection& connection = *opened_connection;
  const Sql one("SELECT 1");
  const Sql forget("DEALLOCATE ALL");
  const auto run = [&](const Sql& sql, Preparing preparing) {
    const Request request{&sql};
    return connection.exchange({&request, 1}, std::chrono::steady_clock::now() + kPatience,
                               preparing);
  };
  EXPECT_TRUE(run(one, Preparing::kept).is_done());
  EXPECT_TRUE(run(forget, Preparing::every_time).is_done());
  const Outcome refused = run(one, Preparing::kept);
  EXPECT_TRUE(is_about_preparing(refused)) << refused.state;
  EXPECT_TRUE(run(one, Preparing::every_time).is_done());
  EXPECT_EQ(value_of(opened.store->get_session(id)).id, id);
}

TEST(PostgresStore, leaves_few_rows_behind_that_tell_of_commits) {
  const Opened opened;
  for (int i = 0; i < 20; ++i) value_of(opened.store->create_session(session_named("a")));
  EXPECT_EQ(opened.count("agent_writers"), "1\n");
}

}  // namespace
}  // namespace wright::postgres
