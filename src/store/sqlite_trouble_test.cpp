// A database file that goes away under a running process, and one that somebody else has locked:
// what is written then never counts as written, and reading goes on where it can.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "store/damage.h"
#include "store/readable_waits.h"
#include "store/store_testing.h"

namespace wright::store {
namespace {

namespace fs = std::filesystem;

class TroubledFile : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(store_, nullptr);
    session_ = value_of(store_->create_session(session_named("a")));
  }
  Result<BatchIds> write() {
    return store_->apply_one(AppendMessage{session_, Message::user("x")});
  }
  void expect_refused() {
    for (int i = 0; i < 2; ++i) {
      const auto refused = write();
      EXPECT_EQ(code_of(refused), ErrorCode::storage);
      EXPECT_NE(refused.error().message.find("deleted or replaced"), std::string::npos)
          << refused.error().message;
      EXPECT_NE(refused.error().message.find(path_.string()), std::string::npos);
    }
    const std::vector<Batch> two(2, {.create = session_named("b")});
    for (const auto& result : store_->apply_all(two)) {
      EXPECT_EQ(code_of(result), ErrorCode::storage);
    }
  }

  TemporaryFolder folder_;
  fs::path path_ = folder_ / "store.db";
  std::unique_ptr<Store> store_ = value_of(open_sqlite_store(path_));
  SessionId session_ = 0;
};

TEST_F(TroubledFile, that_was_deleted_takes_no_more_writes) {
  value_of(write());
  for (const auto& file : fs::directory_iterator(folder_.path())) fs::remove(file.path());
  expect_refused();
  EXPECT_FALSE(fs::exists(path_)) << "nothing is made in its place";
}

TEST_F(TroubledFile, that_another_took_the_place_of_takes_no_more_writes) {
  value_of(open_sqlite_store(folder_ / "other.db"));
  fs::rename(folder_ / "other.db", path_);
  expect_refused();
  for (const std::string side : {"-wal", "-shm"}) fs::remove(path_.string() + side);
  EXPECT_EQ(rows_of(connect_plainly(path_).get(), "SELECT count(*) FROM agent_sessions").front(),
            "0")
      << "and nothing of ours is in the other file";
}

TEST_F(TroubledFile, that_was_moved_takes_writes_again_when_it_is_back) {
  fs::rename(path_, folder_ / "away.db");
  expect_refused();
  fs::rename(folder_ / "away.db", path_);
  value_of(write());
  EXPECT_EQ(value_of(store_->get_messages(session_)).size(), 1U);
}

TEST(LockedFile, refuses_a_write_as_unavailable_and_stores_nothing_of_it) {
  const TemporaryFolder folder;
  auto store = value_of(
      open_sqlite_store(folder / "store.db", {.busy_timeout = std::chrono::milliseconds(5)}));
  const SessionId id = value_of(store->create_session(session_named("a")));
  const Connection other = connect_plainly(folder / "store.db");
  expect_ok(execute(other.get(), "BEGIN IMMEDIATE"));
  const std::vector<Batch> batches(2, {.writes = {AppendMessage{id, Message::user("x")}}});
  for (const auto& result : store->apply_all(batches)) {
    EXPECT_EQ(code_of(result), ErrorCode::unavailable);
  }
  EXPECT_EQ(code_of(store->apply_one(AppendMessage{id, Message::user("x")})),
            ErrorCode::unavailable);
  expect_ok(execute(other.get(), "ROLLBACK"));
  EXPECT_TRUE(value_of(store->get_messages(id)).empty());
}

TEST(LockedFile, can_be_opened_and_read_while_a_process_rests_in_its_transaction) {
  const TemporaryFolder folder;
  const fs::path path = folder / "store.db";
  {
    auto store = value_of(open_sqlite_store(path));
    value_of(store->create_session(session_named("a", "Before")));
  }
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Connection connection = connect_plainly(path);
    const bool is_begun =
        execute(connection.get(), "BEGIN IMMEDIATE; UPDATE agent_sessions SET user_prompt = 'x'")
            .has_value();
    if (!is_begun || ::write(ready[1], "x", 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  ::close(ready[1]);
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  EXPECT_EQ(::kill(child, SIGSTOP), 0);

  const SqliteOptions hurried{.busy_timeout = std::chrono::milliseconds(5)};
  auto store = value_of(open_sqlite_store(path, hurried));
  if (store != nullptr) {
    EXPECT_EQ(value_of(store->get_session(1)).user_prompt, "Before");
    EXPECT_EQ(value_of(store->list_sessions({.needs_driver = true})).size(), 1U);
    EXPECT_EQ(code_of(store->request_cancel(1, "x")), ErrorCode::unavailable);
  }
  EXPECT_EQ(::kill(child, SIGKILL), 0);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  if (store != nullptr) expect_ok(store->request_cancel(1, "x"));
}

TEST_F(TroubledFile, with_a_damaged_row_lists_the_others_where_that_is_wanted) {
  const SessionId whole = value_of(store_->create_session(session_named("b")));
  for (const char* damage : {"config = '{broken'", "limit_reached = 'patience'"}) {
    rows_of(connect_plainly(path_).get(),
            "UPDATE agent_sessions SET config = NULL, limit_reached = NULL");
    rows_of(connect_plainly(path_).get(),
            std::string("UPDATE agent_sessions SET ") + damage + " WHERE agent_name = 'a'");
    EXPECT_EQ(code_of(store_->list_sessions({})), ErrorCode::storage);
    EXPECT_EQ(code_of(store_->get_session(session_)), ErrorCode::storage);
    const auto listed = value_of(store_->list_sessions({.keeps_damaged = true}));
    ASSERT_EQ(listed.size(), 2U);
    EXPECT_EQ(listed[0].id, whole);
    EXPECT_FALSE(is_damaged(listed[0]));
    EXPECT_EQ(listed[1].id, session_);
    EXPECT_TRUE(is_damaged(listed[1]));
    EXPECT_EQ(listed[1].agent_name, "a");
    EXPECT_EQ(listed[1].status, SessionStatus::failed);
    EXPECT_EQ(listed[1].error_code, ErrorCode::storage);
    EXPECT_NE(listed[1].error.value_or("").find("cannot be read"), std::string::npos);
  }
}

TEST_F(TroubledFile, with_damaged_waits_gives_the_others) {
  std::vector<WaitId> waits;
  for (int i = 0; i < 5; ++i) {
    const auto written = value_of(store_->apply(std::vector<Write>{AppendMessage{
        session_, {Role::assistant, {ToolCall{fmt::format("c{}", i), "ask", "{}"}}}}}));
    const auto opened = value_of(store_->apply(std::vector<Write>{
        UpdateCall{.call_id = written.calls.at(0), .status = CallStatus::waiting},
        OpenWait{.session_id = session_, .call_id = written.calls.at(0), .shown = {{"n", i}}}}));
    waits.push_back(opened.waits.at(0));
  }
  rows_of(connect_plainly(path_).get(), "UPDATE agent_waits SET shown = '{' WHERE id IN (2, 4)");
  EXPECT_EQ(code_of(store_->get_waits({})), ErrorCode::storage);
  const auto ids = [&](const WaitFilter& filter) {
    std::vector<WaitId> found;
    for (const StoredWait& each : value_of(readable_waits(*store_, filter)).waits) {
      found.push_back(each.id);
    }
    return found;
  };
  EXPECT_EQ(ids({}), (std::vector<WaitId>{1, 3, 5}));
  EXPECT_EQ(ids({.page = {.limit = 2}}), (std::vector<WaitId>{1, 3}));
  EXPECT_EQ(ids({.page = {.limit = 2, .keep = Page::Keep::last}}), (std::vector<WaitId>{3, 5}));
  EXPECT_EQ(ids({.id = 4}), std::vector<WaitId>{});
  const auto damaged = value_of(readable_waits(*store_, {})).damaged;
  ASSERT_EQ(damaged.size(), 2U);
  EXPECT_EQ(damaged[0].id, 2);
  EXPECT_EQ(damaged[1].id, 4);
  EXPECT_EQ(damaged[1].session_id, session_);
  EXPECT_TRUE(damaged[1].error.message.starts_with(
      fmt::format("The stored wait 4 of session {} cannot be read", session_)))
      << damaged[1].error.message;
}

}  // namespace
}  // namespace wright::store
