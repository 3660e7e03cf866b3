// Several processes on one file: nothing is lost, and a killed writer leaves whole batches only.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "store/store_testing.h"

namespace wright::store {
namespace {

// Runs `work` in a child process; its return value is the exit code. The parent must have no
// database open.
template <class Work>
pid_t in_child(Work work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  EXPECT_GT(child, 0);
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

void expect_success(pid_t child) {
  const int status = wait_for(child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// One batch: a message with a call, and the session's count of them.
std::vector<Write> turn(SessionId session, int number) {
  return {AppendMessage{
              session, {Role::assistant, {Text{std::to_string(number)}, ToolCall{"c", "t", "{}"}}}},
          UpdateSession{.session_id = session, .iterations = number}};
}

constexpr int kSessions = 25;
constexpr int kTurns = 20;

int write_sessions(const std::filesystem::path& path, const std::string& name) {
  auto store = open_sqlite_store(path);
  if (!store) return 1;
  for (int i = 0; i < kSessions; ++i) {
    const auto session = (*store)->create_session(session_named(name));
    if (!session) return 2;
    for (int number = 1; number <= kTurns; ++number) {
      if (!(*store)->apply(turn(*session, number))) return 3;
    }
  }
  return 0;
}

TEST(Processes, two_write_one_new_file_at_once_without_loss) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "store.db";
  const pid_t one = in_child([&] { return write_sessions(path, "one"); });
  const pid_t two = in_child([&] { return write_sessions(path, "two"); });
  expect_success(one);
  expect_success(two);

  auto store = value_of(open_sqlite_store(path));
  ASSERT_NE(store, nullptr);
  for (const std::string name : {"one", "two"}) {
    const auto sessions =
        value_of(store->list_sessions({.agent_name = name, .limit = kSessions + 1}));
    EXPECT_EQ(sessions.size(), std::size_t{kSessions});
    for (const Session& session : sessions) {
      EXPECT_EQ(session.iterations, kTurns);
      const auto messages = value_of(store->get_messages(session.id));
      ASSERT_EQ(messages.size(), std::size_t{kTurns});
      for (std::size_t i = 0; i < messages.size(); ++i) {
        EXPECT_EQ(messages[i].content, std::to_string(i + 1));
      }
      EXPECT_EQ(value_of(store->get_tool_calls(session.id)).size(), std::size_t{kTurns});
    }
  }
}

TEST(Processes, many_open_one_new_file_at_once) {
  const TemporaryFolder folder;
  for (int round = 0; round < 5; ++round) {
    const std::filesystem::path path = folder / std::to_string(round);
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i) {
      children.push_back(in_child([&] { return open_sqlite_store(path) ? 0 : 1; }));
    }
    for (const pid_t child : children) expect_success(child);
  }
}

TEST(Processes, a_killed_writer_leaves_whole_batches_only) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "store.db";
  constexpr int kRounds = 8;
  int last_seen = 0;
  for (int round = 1; round <= kRounds; ++round) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = in_child([&] {
      auto store = open_sqlite_store(path);
      if (!store) return 1;
      const auto session = (*store)->create_session(session_named("victim"));
      if (!session) return 2;
      constexpr int kMany = 1'000'000;
      for (int number = 1; number <= kMany; ++number) {
        if (!(*store)->apply(turn(*session, number))) return 3;
        if (number == 10 * round && ::write(ready[1], "x", 1) != 1) return 4;
      }
      return 5;
    });
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    const int status = wait_for(child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";

    auto store = value_of(open_sqlite_store(path));
    ASSERT_NE(store, nullptr);
    const auto sessions = value_of(store->list_sessions({}));
    ASSERT_EQ(sessions.size(), static_cast<std::size_t>(round));
    for (const Session& session : sessions) {
      const auto count = static_cast<std::size_t>(session.iterations);
      EXPECT_EQ(value_of(store->get_messages(session.id)).size(), count);
      EXPECT_EQ(value_of(store->get_pending_tool_calls(session.id)).size(), count);
    }
    last_seen = sessions.front().iterations;
    EXPECT_GE(last_seen, 10 * round) << "a batch that was acknowledged is gone";
    store.reset();
    EXPECT_EQ(rows_of(connect_plainly(path).get(), "PRAGMA integrity_check").front(), "ok");
  }
}

}  // namespace
}  // namespace wright::store
