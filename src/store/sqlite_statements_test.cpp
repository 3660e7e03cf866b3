// How many statements the SQLite store executes for what happens all the time. Each costs time, and
// across a network a round trip.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "store/store_testing.h"

namespace wright::store {
namespace {

// While it lives, every statement of connections that are opened meanwhile is noted.
class StatementWatch {
 public:
  StatementWatch() {
    EXPECT_EQ(sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch)), SQLITE_OK);
  }
  StatementWatch(const StatementWatch&) = delete;
  StatementWatch& operator=(const StatementWatch&) = delete;
  ~StatementWatch() {
    sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(watch));
    statements_.clear();
  }

  // Since the last time.
  static std::vector<std::string> take() { return std::exchange(statements_, {}); }

 private:
  static int watch(sqlite3* connection, const char**, const sqlite3_api_routines*) {
    return sqlite3_trace_v2(
        connection, SQLITE_TRACE_STMT,
        [](unsigned, void*, void*, void* sql) {
          statements_.emplace_back(static_cast<const char*>(sql));
          return 0;
        },
        nullptr);
  }

  static inline std::vector<std::string> statements_;
};

class Statements : public ::testing::Test {
 protected:
  void SetUp() override {
    runner_ = value_of(store_->register_runner("r", std::chrono::hours(1)));
    NewSession session = session_named("a");
    session.runner_id = runner_;
    watch_.take();
    session_ = value_of(store_->create_session_with(
                            session, std::vector<Write>{AppendMessage{0, Message::user("Go")}}))
                   .first;
    EXPECT_LE(watch_.take().size(), 4U) << "begin, session, message, commit";
  }
  std::size_t statements_of(const std::vector<Write>& writes) {
    watch_.take();
    last_ = value_of(store_->apply(writes));
    return watch_.take().size();
  }

  StatementWatch watch_;
  TemporaryFolder folder_;
  std::unique_ptr<Store> store_ = value_of(open_sqlite_store(folder_ / "store.db"));
  RunnerId runner_ = 0;
  SessionId session_ = 0;
  BatchIds last_;
};

TEST_F(Statements, of_an_ordinary_turn_are_one_for_each_row) {
  const UpdateSession progress{.session_id = session_,
                               .usage = Usage{1, 2, 3, 4},
                               .iterations = 1,
                               .worked_ms = 5,
                               .turn_worked_ms = 5};
  EXPECT_LE(
      statements_of({HoldLease{session_, runner_, 1},
                     AppendMessage{session_, {Role::assistant, {ToolCall{"c", "t", "{}"}}}, 1},
                     progress}),
      5U)
      << "begin, session with its lease, message, call, commit";
  EXPECT_LE(
      statements_of({HoldLease{session_, runner_, 1},
                     UpdateCall{.call_id = last_.calls.at(0),
                                .status = CallStatus::completed,
                                .execution_time_ms = 1},
                     AppendMessage{session_, Message::tool({"c", "t", "ok", false})}, progress}),
      5U)
      << "begin, session with its lease, call, message, commit";
  EXPECT_LE(
      statements_of(
          {HoldLease{session_, runner_, 1}, AppendMessage{session_, Message::assistant("Done")},
           UpdateSession{
               .session_id = session_, .status = SessionStatus::completed, .result = "Done"}}),
      5U)
      << "begin, lease, message, session, commit";
}

TEST_F(Statements, of_many_batches_share_one_transaction) {
  const std::vector<Batch> batches(10,
                                   {.writes = {HoldLease{session_, runner_, 1},
                                               AppendMessage{session_, Message::assistant("x")}}});
  watch_.take();
  for (const auto& result : store_->apply_all(batches)) EXPECT_TRUE(result.has_value());
  const auto statements = watch_.take();
  EXPECT_EQ(statements.size(), 22U);
  EXPECT_EQ(std::ranges::count_if(statements,
                                  [](const auto& sql) { return sql.contains("agent_runners"); }),
            1)
      << "who lives is asked once";
}

TEST_F(Statements, of_asking_for_news_are_three) {
  watch_.take();
  value_of(store_->get_news(runner_));
  EXPECT_LE(watch_.take().size(), 3U);
  value_of(store_->spent_by_specialists(session_, 0));
  EXPECT_EQ(watch_.take().size(), 1U);
  value_of(store_->get_stats({}));
  EXPECT_EQ(watch_.take().size(), 6U)
      << "begin, forks, sessions that have ended and that have not, how many there are, calls";
  value_of(store_->list_sessions({.needs_driver = true}));
  EXPECT_EQ(watch_.take().size(), 1U);
}

// What is asked again and again must not become slower with every session that is stored.
TEST_F(Statements, that_are_asked_often_read_no_whole_table) {
  watch_.take();
  value_of(store_->get_news(runner_));
  value_of(store_->list_sessions({.needs_driver = true}));
  value_of(store_->apply_one(Claim{.runner_id = runner_}));
  for (int priority = 0; priority < 2; ++priority) {
    NewSession queued = session_named("q");
    queued.is_queued = true;
    value_of(store_->create_session(queued));
  }
  value_of(store_->apply_one(Claim{.runner_id = runner_}));
  const std::vector<std::string> asked = watch_.take();
  const Connection plain = connect_plainly(folder_ / "store.db");
  int planned = 0;
  bool jumps_from_line_to_line = false;
  for (const std::string& sql : asked) {
    if (!sql.starts_with("SELECT") && !sql.starts_with("WITH") && !sql.starts_with("UPDATE")) {
      continue;
    }
    for (const std::string& row : rows_of(plain.get(), "EXPLAIN QUERY PLAN " + sql)) {
      const std::string step = row.substr(row.find_last_of('|') + 1);
      jumps_from_line_to_line |= step.contains("lines (tenant=? AND agent_name>?)");
      for (const std::string table :
           {"agent_sessions", "agent_messages", "agent_tool_calls", "agent_waits"}) {
        // An index that holds only what is wanted may be read whole.
        const bool is_whole =
            step.starts_with("SCAN " + table) && step.find("INDEX idx_agent") == std::string::npos;
        EXPECT_FALSE(is_whole) << step << "\n" << sql;
      }
    }
    ++planned;
  }
  EXPECT_GE(planned, 8);
  EXPECT_TRUE(jumps_from_line_to_line) << "however many sessions a line has";
}

}  // namespace
}  // namespace wright::store
