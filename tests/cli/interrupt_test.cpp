// Ctrl-C: a run ends as `cancelled`, whatever it was doing.
//
// The tests make the program wait where they want it to: while another connection holds the write
// lock, a run cannot store its next step.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <csignal>

#include "process.h"

namespace wright::cli {
namespace {

constexpr const char* kFirstLine = "codebase-analysis  ";
constexpr const char* kEnding = "ending the run";

class WriteLock {
 public:
  explicit WriteLock(const std::filesystem::path& database) {
    EXPECT_EQ(sqlite3_open(database.c_str(), &connection_), SQLITE_OK);
    EXPECT_EQ(execute("BEGIN IMMEDIATE"), SQLITE_OK);
  }
  ~WriteLock() { sqlite3_close(connection_); }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

  void release() { EXPECT_EQ(execute("ROLLBACK"), SQLITE_OK); }

 private:
  int execute(const char* sql) { return sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr); }
  sqlite3* connection_ = nullptr;
};

class Interrupting : public testing::Test {
 protected:
  // The database is there already, so that it can be locked.
  Interrupting() { EXPECT_EQ(home_.wright({"run", "codebase-analysis", "hello"}).exit_code, 0); }

  Json last_session() const {
    return home_.wright({"sessions", "show", "last", "--json"}).json().at("session");
  }

  Home home_;
  const Arguments run_{"run", "codebase-analysis", "Where is alpha_function defined?", "--json"};
};

class InterruptingBy : public Interrupting, public testing::WithParamInterface<int> {};

TEST_P(InterruptingBy, ends_the_run_as_cancelled) {
  WriteLock lock(home_.database());
  Process process(run_, home_.environment, home_.project(), Streams::pipes);
  process.await(kFirstLine);
  process.send(GetParam());
  process.await(kEnding);
  lock.release();
  const Finished run = process.finish();
  EXPECT_EQ(run.exit_code, 130) << run.error;
  EXPECT_EQ(run.json().at("status").as_string(), "cancelled");
  EXPECT_EQ(last_session().at("id").as_int64(), 2);
  EXPECT_EQ(last_session().at("status").as_string(), "cancelled");
}

INSTANTIATE_TEST_SUITE_P(Signal, InterruptingBy, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(Interrupting, by_two_signals_for_one_wish_is_once) {
  WriteLock lock(home_.database());
  Process process(run_, home_.environment, home_.project(), Streams::pipes);
  process.await(kFirstLine);
  process.send(SIGINT);
  process.send(SIGTERM);
  process.await(kEnding);
  lock.release();
  EXPECT_EQ(process.finish().exit_code, 130);
  EXPECT_EQ(last_session().at("status").as_string(), "cancelled");
}

TEST_F(Interrupting, twice_quits_at_once) {
  const WriteLock lock(home_.database());
  Process process(run_, home_.environment, home_.project(), Streams::pipes);
  process.await(kFirstLine);
  process.send(SIGINT);
  process.await(kEnding);
  process.send(SIGINT);
  EXPECT_EQ(process.finish().exit_code, 130);
}

TEST_F(Interrupting, from_the_keyboard_of_a_terminal_is_the_same) {
  WriteLock lock(home_.database());
  Process process({"run", "codebase-analysis", "Where is alpha_function defined?"},
                  home_.environment, home_.project(), Streams::terminal);
  process.await("offline");
  process.write("\x03");
  process.await(kEnding);
  lock.release();
  EXPECT_EQ(process.finish().exit_code, 130);
  EXPECT_EQ(last_session().at("status").as_string(), "cancelled");
}

TEST_F(Interrupting, while_a_tool_is_at_work_leaves_no_call_behind) {
  for (int folder = 0; folder < 40; ++folder) {
    for (int file = 0; file < 50; ++file) {
      home_.write_file(std::to_string(folder) + "/" + std::to_string(file) + ".cpp",
                       std::string(20'000, 'a') + "\n");
    }
  }
  Process process(run_, home_.environment, home_.project(), Streams::pipes);
  process.await("  → ");
  process.send(SIGINT);
  const Finished run = process.finish();
  EXPECT_EQ(run.exit_code, 130) << run.error;
  const Json transcript = home_.wright({"sessions", "show", "last", "--json"}).json();
  EXPECT_EQ(transcript.at("session").at("status").as_string(), "cancelled");
  ASSERT_FALSE(transcript.at("tool_calls").as_array().empty());
  for (const Json& call : transcript.at("tool_calls").as_array()) {
    EXPECT_NE(call.at("status").as_string(), "pending");
    EXPECT_NE(call.at("status").as_string(), "executing");
  }
}

TEST_F(Interrupting, before_the_prompt_has_come_starts_nothing) {
  Process process({"run", "codebase-analysis"}, home_.environment, home_.project(), Streams::pipes);
  process.write("half a prompt");
  process.send(SIGINT);
  EXPECT_EQ(process.finish().signal, SIGINT);
  EXPECT_EQ(last_session().at("id").as_int64(), 1);
}

}  // namespace
}  // namespace wright::cli
