// A disk that is full or broken at every possible moment: each write to the file system fails in
// turn, and after each failure everything that was there before must still be there.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "sqlite/faulty_disk_testing.h"
#include "store/store_testing.h"
#include "store/unversioned_tables_testing.h"
#include "store/versioned_tables_testing.h"
#include "wright/store.h"

namespace wright::store {
namespace {

class FaultTest : public ::testing::TestWithParam<int> {
 protected:
  // Calls attempt() with the first, the second, … write failing until it succeeds without meeting
  // the fault; after each failure the disk is healed and check(error) called.
  template <class Attempt, class Check>
  void fail_everywhere(Attempt attempt, Check check) {
    constexpr int kBound = 5000;
    int failures = 0;
    for (int count = 0; count < kBound; ++count) {
      disk_.fail_after(count, GetParam());
      const Result<void> outcome = attempt();
      const bool has_failed = disk_.has_failed();
      disk_.heal();
      if (outcome) {
        if (!has_failed) {
          EXPECT_GT(failures, 0) << "no write was ever made to fail";
          return;
        }
        continue;  // SQLite may leave a checkpoint for later
      }
      ++failures;
      EXPECT_EQ(outcome.error().code, ErrorCode::storage) << outcome.error().message;
      check(outcome.error());
      if (HasFailure()) return;
    }
    FAIL() << "never succeeded";
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "store.db";
  sqlite::FaultyDisk disk_;
};

INSTANTIATE_TEST_SUITE_P(Disk, FaultTest, ::testing::Values(SQLITE_FULL, SQLITE_IOERR_WRITE),
                         [](const auto& info) {
                           return info.param == SQLITE_FULL ? "full" : "broken";
                         });

TEST_P(FaultTest, a_batch_that_cannot_be_written_leaves_nothing_behind) {
  auto store = value_of(open_sqlite_store(path_, {.durability = Durability::full}));
  ASSERT_NE(store, nullptr);
  const SessionId id = value_of(store->create_session(session_named("a")));
  const CallId call = value_of(store->create_tool_call(id, std::nullopt, {"c", "t", "{}"}));
  const std::vector<Write> writes{
      AppendMessage{id, {Role::assistant, {ToolCall{"d", "t", std::string(20'000, 'x')}}}},
      UpdateCall{.call_id = call, .status = CallStatus::executing},
      UpdateSession{.session_id = id, .iterations = 1}};
  fail_everywhere(
      [&]() -> Result<void> {
        const auto applied = store->apply(writes);
        if (!applied) return std::unexpected(applied.error());
        return {};
      },
      [&](const Error& error) {
        EXPECT_NE(error.message.find(path_.string()), std::string::npos) << error.message;
        if (*error.find("sqlite_code") == Json(13)) {  // SQLITE_FULL
          EXPECT_NE(error.message.find("disk is full"), std::string::npos) << error.message;
        }
        EXPECT_TRUE(value_of(store->get_messages(id)).empty());
        EXPECT_EQ(value_of(store->get_pending_tool_calls(id)).size(), 1U);
        EXPECT_EQ(value_of(store->get_session(id)).iterations, 0);
      });
  EXPECT_EQ(value_of(store->get_messages(id)).size(), 1U);
  EXPECT_EQ(value_of(store->get_tool_calls(id)).size(), 2U);
  store.reset();
  EXPECT_EQ(rows_of(connect_plainly(path_).get(), "PRAGMA integrity_check").front(), "ok");
}

TEST_P(FaultTest, of_many_batches_that_cannot_be_written_none_counts) {
  auto store = value_of(open_sqlite_store(path_, {.durability = Durability::full}));
  ASSERT_NE(store, nullptr);
  const std::vector<Batch> batches(
      3, {.create = session_named("a"),
          .writes = {AppendMessage{0, Message::user(std::string(20'000, 'x'))}}});
  fail_everywhere(
      [&]() -> Result<void> {
        const auto results = store->apply_all(batches);
        EXPECT_EQ(results.size(), batches.size());
        for (const auto& result : results) {
          EXPECT_EQ(result.has_value(), results.front().has_value());
        }
        if (!results.front()) return std::unexpected(results.front().error());
        return {};
      },
      [&](const Error&) { EXPECT_TRUE(value_of(store->list_sessions({})).empty()); });
  EXPECT_EQ(value_of(store->list_sessions({})).size(), batches.size());
}

TEST_P(FaultTest, of_batches_that_are_applied_alone_exactly_those_count_that_succeeded) {
  auto store = value_of(open_sqlite_store(path_, {.durability = Durability::full}));
  ASSERT_NE(store, nullptr);
  int attempts = 0;
  const auto named = [&](int attempt) { return fmt::format("attempt {}", attempt); };
  std::size_t succeeded = 0;
  fail_everywhere(
      [&]() -> Result<void> {
        ++attempts;
        std::vector<Batch> batches(
            4, {.create = session_named(named(attempts)),
                .writes = {AppendMessage{0, Message::user(std::string(9000, 'x'))}}});
        batches[1].writes.push_back(UpdateCall{.call_id = 4711});
        const auto results = store->apply_all(batches);
        succeeded = 0;
        Result<void> outcome;
        for (std::size_t i = 0; i < results.size(); ++i) {
          succeeded += results[i].has_value() ? 1 : 0;
          if (!results[i] && results[i].error().code != ErrorCode::not_found) {
            outcome = std::unexpected(results[i].error());
          }
        }
        EXPECT_FALSE(results[1].has_value());
        return outcome;
      },
      [&](const Error&) {
        const auto sessions = value_of(store->list_sessions({.agent_name = named(attempts)}));
        EXPECT_EQ(sessions.size(), succeeded);
        for (const Session& session : sessions) {
          EXPECT_EQ(value_of(store->get_messages(session.id)).size(), 1U);
        }
      });
  EXPECT_EQ(succeeded, 3U);
}

TEST_P(FaultTest, an_answer_that_cannot_be_written_leaves_the_wait_open) {
  auto store = value_of(open_sqlite_store(path_, {.durability = Durability::full}));
  ASSERT_NE(store, nullptr);
  const SessionId id = value_of(store->create_session(session_named("a")));
  const CallId call = value_of(store->create_tool_call(id, std::nullopt, {"c", "t", "{}"}));
  const std::vector<Write> writes{UpdateCall{.call_id = call, .status = CallStatus::waiting},
                                  OpenWait{id, call}};
  const WaitId wait = value_of(store->apply(writes)).waits.front();
  fail_everywhere(
      [&]() -> Result<void> {
        const auto answered = store->answer_wait(wait, {Json(std::string(20'000, 'x')), "ada"});
        if (!answered) return std::unexpected(answered.error());
        return {};
      },
      [&](const Error&) {
        EXPECT_EQ(value_of(store->get_waits({})).front().status, WaitStatus::open);
      });
  EXPECT_EQ(value_of(store->get_waits({})).front().answered_by, "ada");
}

TEST_P(FaultTest, a_fork_that_cannot_be_written_leaves_nothing_behind) {
  auto store = value_of(open_sqlite_store(path_, {.durability = Durability::full}));
  ASSERT_NE(store, nullptr);
  const SessionId id = value_of(store->create_session(session_named("a")));
  MessageId last = 0;
  for (int i = 0; i < 5; ++i) {
    last = value_of(store->create_message(id, Role::user, std::string(9000, 'x')));
  }
  fail_everywhere(
      [&]() -> Result<void> {
        const auto forked = store->fork_session(id, last);
        if (!forked) return std::unexpected(forked.error());
        return {};
      },
      [&](const Error&) {
        EXPECT_EQ(value_of(store->list_sessions({})).size(), 1U);
        EXPECT_EQ(value_of(store->get_messages(id)).size(), 5U);
      });
  EXPECT_EQ(value_of(store->list_sessions({})).size(), 2U);
}

TEST_P(FaultTest, a_lease_that_cannot_be_written_is_not_taken) {
  auto store = value_of(open_sqlite_store(path_, {.durability = Durability::full}));
  ASSERT_NE(store, nullptr);
  const SessionId id = value_of(store->create_session(session_named("a")));
  const RunnerId runner = value_of(store->register_runner("r", std::chrono::hours(1)));
  fail_everywhere(
      [&]() -> Result<void> {
        const auto taken = apply_one(*store, ClaimLease{id, runner});
        if (!taken) return std::unexpected(taken.error());
        return {};
      },
      [&](const Error&) {
        EXPECT_EQ(value_of(store->get_session(id)).runner_id, std::nullopt);
        EXPECT_EQ(value_of(store->get_session(id)).lease_epoch, 0);
      });
  EXPECT_EQ(value_of(store->get_session(id)).lease_epoch, 1);
}

TEST_P(FaultTest, a_new_database_that_cannot_be_written_can_be_opened_later) {
  fail_everywhere(
      [&]() -> Result<void> {
        std::filesystem::remove(path_);
        const auto opened = open_sqlite_store(path_);
        if (!opened) return std::unexpected(opened.error());
        return {};
      },
      [&](const Error& error) {
        EXPECT_NE(error.message.find(path_.string()), std::string::npos) << error.message;
        EXPECT_NE(value_of(open_sqlite_store(path_)), nullptr);
      });
}

TEST_P(FaultTest, an_upgrade_that_cannot_be_written_leaves_the_old_tables) {
  Connection connection = connect_plainly(path_);
  expect_ok(execute(connection.get(), kUnversionedTables));
  expect_ok(execute(connection.get(), kUnversionedRows));
  fail_everywhere([&] { return run_agent_migrations(connection.get()); },
                  [&](const Error&) {
                    const Connection other = connect_plainly(path_);
                    EXPECT_EQ(rows_of(other.get(), "SELECT started_at FROM agent_sessions"),
                              (std::vector<std::string>{"1700000000", "1700000100"}));
                    EXPECT_EQ(rows_of(other.get(), "SELECT count(*) FROM agent_tool_calls").front(),
                              "2");
                    EXPECT_EQ(rows_of(other.get(), "PRAGMA integrity_check").front(), "ok");
                  });
  EXPECT_EQ(rows_of(connection.get(), "SELECT started_at FROM agent_sessions").front(),
            "1700000000000");
}

TEST_P(FaultTest, an_upgrade_from_an_earlier_version_happens_whole_or_not_at_all) {
  Connection connection = connect_plainly(path_);
  expect_ok(execute(connection.get(), tables_of_version_1().c_str()));
  expect_ok(execute(connection.get(), kVersionedRows));
  constexpr const char* kTables = "SELECT name, sql FROM sqlite_master ORDER BY name";
  const auto before = rows_of(connection.get(), kTables);
  fail_everywhere([&] { return run_agent_migrations(connection.get()); },
                  [&](const Error&) {
                    const Connection other = connect_plainly(path_);
                    EXPECT_EQ(rows_of(other.get(), kTables), before);
                    EXPECT_EQ(rows_of(other.get(), "SELECT version FROM agent_schema").front(),
                              "1");
                    EXPECT_EQ(rows_of(other.get(), "PRAGMA integrity_check").front(), "ok");
                  });
  EXPECT_EQ(rows_of(connection.get(), "SELECT version FROM agent_schema").front(),
            std::to_string(kAgentSchemaVersion));
  EXPECT_EQ(rows_of(connection.get(), "SELECT status FROM agent_tool_calls").front(), "waiting");
}

TEST(FullDatabase, is_reported_as_a_full_disk) {
  const TemporaryFolder folder;
  const Connection connection = connect_plainly(folder / "small.db");
  expect_ok(execute(connection.get(), "PRAGMA max_page_count = 5"));
  const auto migrated = run_agent_migrations(connection.get());
  EXPECT_EQ(code_of(migrated), ErrorCode::storage);
  EXPECT_NE(migrated.error().message.find("disk is full"), std::string::npos);
  EXPECT_FALSE(value_of(has_agent_schema(connection.get())));
}

}  // namespace
}  // namespace wright::store
