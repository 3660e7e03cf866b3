// What every store promises about figures over time, and about lists that damaged rows stand in.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

using By = HistoryFilter::By;

class StoreHistories : public StoreSuite {
 protected:
  // A session that begins now and takes so long, with one call of `tool`.
  SessionId session_of(const std::string& agent, const std::string& model, std::int64_t took,
                       SessionStatus status = SessionStatus::completed,
                       const std::string& tenant = "") {
    NewSession wanted = session_named(agent);
    wanted.model = model;
    wanted.tenant = tenant;
    const SessionId id = value_of(store().create_session(wanted));
    value_of(store().apply_one(UpdateSession{.session_id = id,
                                             .status = status,
                                             .usage = Usage{took, 1, 0, 0, 0, 0.25},
                                             .worked_ms = took}));
    return id;
  }
  void call_of(SessionId id, const std::string& tool, CallStatus status, std::int64_t took) {
    const CallId call = value_of(store().create_tool_call(id, std::nullopt, {"c", tool, "{}"}));
    expect_ok(store().start_tool_call(call));
    value_of(store().apply_one(
        UpdateCall{.call_id = call, .status = status, .execution_time_ms = took}));
  }
  HistoryFilter since_began(By by, std::int64_t stretches = 3) const {
    return {.by = by, .since = began_, .until = began_ + stretches * 1000, .step_ms = 1000};
  }
  StoreHistory history(const HistoryFilter& filter) {
    return value_of(store().get_history(filter));
  }
  static std::vector<std::int64_t> counts(const HistorySeries& series) {
    std::vector<std::int64_t> list;
    for (const HistoryPoint& each : series.points) list.push_back(each.count);
    return list;
  }
  using Counts = std::vector<std::int64_t>;

  const std::int64_t began_ = now_;
};
INSTANTIATE_TEST_SUITE_P(Every, StoreHistories, kEveryStore, name_of_kind);

TEST_P(StoreHistories, count_sessions_by_when_they_began) {
  EXPECT_TRUE(history(since_began(By::all)).series.empty());
  for (std::int64_t i = 1; i <= 20; ++i) session_of("a", "m", i * 10);
  const SessionId stopped = session_of("b", "m", 7, SessionStatus::failed);
  value_of(store().apply_one(UpdateSession{.session_id = stopped, .limit = Limit::cost}));
  session_of("b", "m", 7, SessionStatus::running);
  now_ = began_ + 2999;
  session_of("b", "n", 400);
  now_ = began_ + 3000;
  session_of("b", "n", 400);  // it is too late

  const StoreHistory all = history(since_began(By::all));
  EXPECT_TRUE(all.is_complete);
  ASSERT_EQ(all.series.size(), 1U);
  EXPECT_EQ(all.series[0].name, "");
  EXPECT_FALSE(all.series[0].is_rest);
  EXPECT_EQ(all.series[0].count, 23);
  EXPECT_EQ(counts(all.series[0]), (Counts{22, 0, 1}));
  const HistoryPoint& first = all.series[0].points[0];
  EXPECT_EQ(first.failed, 1);
  EXPECT_EQ(first.limited, 1);
  EXPECT_EQ(first.usage, (Usage{2114, 22, 0, 0, 0, 5.5}));
  EXPECT_EQ(first.p50_ms, 100) << "of 21 that have ended";
  EXPECT_EQ(first.p95_ms, 190);
  EXPECT_EQ(all.series[0].points[1], HistoryPoint{});

  const StoreHistory agents = history(since_began(By::agent));
  ASSERT_EQ(agents.series.size(), 2U);
  EXPECT_EQ(agents.series[0].name, "a");
  EXPECT_EQ(counts(agents.series[0]), (Counts{20, 0, 0}));
  EXPECT_EQ(agents.series[1].name, "b");
  EXPECT_EQ(counts(agents.series[1]), (Counts{2, 0, 1}));
  EXPECT_EQ(agents.series[1].points[2].p95_ms, 400);

  const StoreHistory models = history(since_began(By::model));
  ASSERT_EQ(models.series.size(), 2U);
  EXPECT_EQ(models.series[0].name, "offline:m");
  EXPECT_EQ(models.series[1].name, "offline:n");

  HistoryFilter one = since_began(By::all);
  one.model = "offline:n";
  EXPECT_EQ(counts(history(one).series.at(0)), (Counts{0, 0, 1}));
  one.agent_name = "a";
  EXPECT_TRUE(history(one).series.empty());
}

TEST_P(StoreHistories, count_calls_by_when_they_were_asked_for) {
  const SessionId a = session_of("a", "m", 10);
  call_of(a, "read", CallStatus::completed, 5);
  call_of(a, "read", CallStatus::failed, 15);
  call_of(a, "write", CallStatus::unknown, 1);
  call_of(a, "write", CallStatus::waiting, 1);
  now_ = began_ + 1500;
  call_of(a, "read", CallStatus::completed, 25);
  call_of(session_of("b", "m", 10), "read", CallStatus::completed, 1);

  const StoreHistory tools = history(since_began(By::tool));
  ASSERT_EQ(tools.series.size(), 2U);
  EXPECT_EQ(tools.series[0].name, "read");
  EXPECT_EQ(counts(tools.series[0]), (Counts{2, 2, 0}));
  EXPECT_EQ(tools.series[0].points[0].failed, 1);
  EXPECT_EQ(tools.series[0].points[0].p50_ms, 5);
  EXPECT_EQ(tools.series[0].points[0].p95_ms, 15);
  EXPECT_EQ(tools.series[0].points[0].usage, Usage{});
  EXPECT_EQ(tools.series[1].name, "write");
  EXPECT_EQ(tools.series[1].points[0].unknown, 1);

  HistoryFilter read = since_began(By::agent);
  read.tool_name = "read";
  const StoreHistory agents = history(read);
  ASSERT_EQ(agents.series.size(), 2U);
  EXPECT_EQ(agents.series[0].name, "a");
  EXPECT_EQ(counts(agents.series[0]), (Counts{2, 1, 0}));
  EXPECT_EQ(counts(agents.series[1]), (Counts{0, 1, 0}));
}

TEST_P(StoreHistories, are_of_one_tenant_where_it_is_asked_for) {
  session_of("a", "m", 1, SessionStatus::completed, "shop");
  call_of(session_of("a", "m", 1), "read", CallStatus::completed, 1);
  HistoryFilter filter = since_began(By::agent);
  filter.tenant = "shop";
  EXPECT_EQ(history(filter).series.at(0).count, 1);
  filter.tenant = "";
  EXPECT_EQ(history(filter).series.at(0).count, 1);
  filter.by = By::tool;
  EXPECT_EQ(history(filter).series.at(0).count, 1);
  filter.tenant = "shop";
  EXPECT_TRUE(history(filter).series.empty());
}

TEST_P(StoreHistories, have_as_many_series_and_rows_as_are_asked_for) {
  for (int i = 0; i < 3; ++i) session_of("most", "m", 30);
  for (int i = 0; i < 2; ++i) session_of("some", "m", 20);
  session_of("few", "m", 10);
  session_of("lone", "m", 40, SessionStatus::failed);
  HistoryFilter filter = since_began(By::agent);
  filter.most_series = 2;
  const StoreHistory cut = history(filter);
  ASSERT_EQ(cut.series.size(), 3U);
  EXPECT_EQ(cut.series[0].name, "most");
  EXPECT_EQ(cut.series[1].name, "some");
  EXPECT_FALSE(cut.series[1].is_rest);
  EXPECT_TRUE(cut.series[2].is_rest);
  EXPECT_EQ(cut.series[2].name, "");
  EXPECT_EQ(cut.series[2].points[0].count, 2);
  EXPECT_EQ(cut.series[2].points[0].failed, 1);
  EXPECT_EQ(cut.series[2].points[0].p50_ms, 10);
  EXPECT_EQ(cut.series[2].points[0].p95_ms, 40);
  EXPECT_TRUE(cut.is_complete);

  filter.most_rows = 7;
  EXPECT_TRUE(history(filter).is_complete);
  filter.most_rows = 2;
  const StoreHistory newest = history(filter);
  EXPECT_FALSE(newest.is_complete);
  ASSERT_EQ(newest.series.size(), 2U);
  EXPECT_EQ(newest.series[0].name, "few");
  EXPECT_EQ(newest.series[1].name, "lone");

  // By when they began: a clock that was set back makes them older.
  now_ -= 500;
  filter.since -= 1000;
  session_of("late", "m", 1);
  const StoreHistory by_time = history(filter);
  ASSERT_EQ(by_time.series.size(), 2U);
  EXPECT_EQ(by_time.series[0].name, "few");
}

TEST_P(StoreHistories, need_a_time_and_stretches_that_are_not_too_many) {
  HistoryFilter filter = since_began(By::all);
  filter.until = filter.since;
  EXPECT_EQ(code_of(store().get_history(filter)), ErrorCode::invalid_argument);
  filter.until = filter.since + 1;
  filter.step_ms = 0;
  EXPECT_EQ(code_of(store().get_history(filter)), ErrorCode::invalid_argument);
  filter.step_ms = 1;
  filter.until = filter.since + kMostStretches + 1;
  EXPECT_EQ(code_of(store().get_history(filter)), ErrorCode::invalid_argument);
  filter.until = filter.since + kMostStretches;
  EXPECT_TRUE(store().get_history(filter));
}

TEST_P(StoreHistories, calls_are_found_by_the_id_that_the_model_gave_them) {
  const SessionId id = new_session();
  for (const char* name : {"a", "b", "a"}) {
    value_of(store().create_tool_call(id, std::nullopt, {name, "tool", "{}"}));
  }
  EXPECT_EQ(value_of(store().get_tool_calls(id, {.tool_call_id = "a"})).size(), 2U);
  const auto newest = value_of(store().get_tool_calls(
      id, {.page = {.limit = 1, .keep = Page::Keep::last}, .tool_call_id = "a"}));
  ASSERT_EQ(newest.size(), 1U);
  EXPECT_EQ(newest[0].id, value_of(store().get_tool_calls(id)).back().id);
  EXPECT_TRUE(value_of(store().get_tool_calls(id, {.tool_call_id = "c"})).empty());
}

}  // namespace
}  // namespace wright::store
