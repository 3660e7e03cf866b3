// How much of a file figures read: what was long ago costs nothing.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/store_testing.h"

namespace wright::store {
namespace {

constexpr std::int64_t kDay = 24 * 60 * 60 * 1000;

// While it lives, what statements of connections that are opened meanwhile do is counted, in steps
// of SQLite's machine.
class StepWatch {
 public:
  StepWatch() {
    EXPECT_EQ(sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch_steps)), SQLITE_OK);
  }
  StepWatch(const StepWatch&) = delete;
  StepWatch& operator=(const StepWatch&) = delete;
  ~StepWatch() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(watch_steps)); }

  static int steps_of(const std::function<void()>& work) {
    steps_ = 0;
    work();
    return steps_;
  }

 private:
  static int watch_steps(sqlite3* connection, const char**, const sqlite3_api_routines*) {
    return sqlite3_trace_v2(
        connection, SQLITE_TRACE_PROFILE,
        [](unsigned, void*, void* statement, void*) {
          steps_ += sqlite3_stmt_status(static_cast<sqlite3_stmt*>(statement),
                                        SQLITE_STMTSTATUS_VM_STEP, 1);
          return 0;
        },
        nullptr);
  }

  static inline int steps_ = 0;
};

class SqliteFigures : public ::testing::Test {
 protected:
  // So many that have ended, each with two calls, and one that has not.
  void add_sessions(int count) {
    std::vector<Batch> batches;
    for (int i = 0; i <= count; ++i) {
      NewSession session = session_named("a");
      session.tenant = i % 2 == 0 ? "" : "shop";
      Batch batch{.create = session};
      batch.writes.emplace_back(AppendMessage{
          0, {Role::assistant, {ToolCall{"c", "read", "{}"}, ToolCall{"d", "read", "{}"}}}, 2});
      batches.push_back(std::move(batch));
    }
    std::vector<Batch> endings;
    for (const auto& made : store_->apply_all(batches)) {
      const BatchIds ids = value_of(made);
      if (static_cast<int>(endings.size()) == count) break;
      Batch ending;
      for (const CallId call : ids.calls) {
        ending.writes.emplace_back(
            UpdateCall{.call_id = call, .status = CallStatus::completed, .execution_time_ms = 3});
      }
      ending.writes.emplace_back(UpdateSession{.session_id = ids.session,
                                               .status = SessionStatus::completed,
                                               .usage = Usage{10, 1, 0, 0, 0, 0.5},
                                               .worked_ms = 40});
      endings.push_back(std::move(ending));
    }
    for (const auto& done : store_->apply_all(endings)) value_of(done);
  }
  int steps_of_day(HistoryFilter::By by, std::optional<std::string> tenant = {}) {
    const HistoryFilter filter{.by = by,
                               .tenant = std::move(tenant),
                               .since = now_ - kDay / 2,
                               .until = now_ + kDay / 2,
                               .step_ms = kDay};
    return StepWatch::steps_of([&] { value_of(store_->get_history(filter)); });
  }

  StepWatch watch_;
  TemporaryFolder folder_;
  std::int64_t now_ = 1'700'000'000'000;
  std::unique_ptr<Store> store_ =
      value_of(open_sqlite_store(folder_ / "store.db", {.clock = Clocks([this] { return now_; })}));
};

TEST_F(SqliteFigures, of_a_day_do_not_read_what_was_before_or_after) {
  add_sessions(20);
  const int sessions = steps_of_day(HistoryFilter::By::agent);
  const int of_a_tenant = steps_of_day(HistoryFilter::By::agent, "shop");
  const int calls = steps_of_day(HistoryFilter::By::tool);
  now_ -= 10 * kDay;
  add_sessions(400);
  now_ += 20 * kDay;
  add_sessions(400);
  now_ -= 10 * kDay;
  EXPECT_LT(steps_of_day(HistoryFilter::By::agent), sessions * 11 / 10);
  EXPECT_LT(steps_of_day(HistoryFilter::By::agent, "shop"), of_a_tenant * 11 / 10);
  EXPECT_LT(steps_of_day(HistoryFilter::By::tool), calls * 11 / 10);
}

TEST_F(SqliteFigures, of_what_has_not_ended_do_not_read_what_has) {
  const auto steps = [&] {
    return StepWatch::steps_of([&] { value_of(store_->get_counts(now_)); });
  };
  const auto queue = [&] {
    NewSession session = session_named("q");
    session.is_queued = true;
    value_of(store_->create_session(session));
  };
  queue();
  add_sessions(20);
  const int few = steps();
  add_sessions(2000);
  EXPECT_LT(steps(), few * 11 / 10 + 100);
  EXPECT_EQ(value_of(store_->get_counts(now_)).queued, 1);
}

TEST_F(SqliteFigures, since_a_moment_do_not_read_what_was_before) {
  add_sessions(20);
  const StatsFilter since{.started_since = now_};
  const auto steps = [&] {
    return StepWatch::steps_of([&] {
      const StoreStats stats = value_of(store_->get_stats(since));
      ASSERT_EQ(stats.runs.size(), 1U);
      EXPECT_EQ(stats.runs[0].count, 21);
      EXPECT_EQ(stats.runs[0].durations_ms, std::vector<std::int64_t>(20, 40));
      ASSERT_EQ(stats.calls.size(), 1U);
      EXPECT_EQ(stats.calls[0].count, 40);
    });
  };
  now_ -= 10 * kDay;
  add_sessions(400);  // by far most of them, now and later
  const int few = steps();
  add_sessions(4000);
  EXPECT_LT(steps(), few * 11 / 10);
}

// They are as good by the index of a session as by that of all calls.
TEST_F(SqliteFigures, are_the_same_however_calls_are_found) {
  add_sessions(20);
  const StatsFilter since{.started_since = now_};
  const StoreStats among_all = value_of(store_->get_stats(since));
  now_ -= kDay;
  add_sessions(400);
  const StoreStats of_each = value_of(store_->get_stats(since));
  ASSERT_EQ(of_each.calls.size(), among_all.calls.size());
  EXPECT_EQ(of_each.calls[0].count, among_all.calls[0].count);
  EXPECT_EQ(of_each.calls[0].durations_ms, among_all.calls[0].durations_ms);
  EXPECT_EQ(of_each.runs[0].usage, among_all.runs[0].usage);
  EXPECT_EQ(value_of(store_->get_stats({.started_since = now_, .tenant = "shop"})).calls[0].count,
            2 * (10 + 200));
}

// What a session writes with every turn would be written twice.
TEST_F(SqliteFigures, have_no_row_of_what_is_not_over) {
  add_sessions(0);
  Connection plain = connect_plainly(folder_ / "store.db");
  const auto rows_in = [&](const std::string& index, const std::string& table,
                           const std::string& condition) {
    return rows_of(plain.get(),
                   "SELECT count(*) FROM " + table + " INDEXED BY " + index + " WHERE " + condition)
        .at(0);
  };
  const auto sessions = [&] {
    return rows_in("idx_agent_sessions_figures", "agent_sessions", "ended_at IS NOT NULL");
  };
  EXPECT_EQ(sessions(), "0");
  EXPECT_EQ(rows_in("idx_agent_tool_calls_figures", "agent_tool_calls",
                    "status = 'completed' OR status = 'failed' OR status = 'unknown'"),
            "0");
  value_of(apply_one(*store_, UpdateSession{.session_id = 1, .status = SessionStatus::completed}));
  EXPECT_EQ(sessions(), "1");
  value_of(apply_one(*store_, UpdateSession{.session_id = 1, .status = SessionStatus::running}));
  EXPECT_EQ(sessions(), "0");
}

}  // namespace
}  // namespace wright::store
