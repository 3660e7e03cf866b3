#include "feedback/statistics.h"

#include <gtest/gtest.h>

namespace wright::feedback {
namespace {

StoredCall timed_call(std::string tool, CallStatus status, std::int64_t milliseconds) {
  return {.tool_name = std::move(tool), .status = status, .execution_time_ms = milliseconds};
}

TEST(Statistics, have_percentiles_by_nearest_rank) {
  StatisticsCollector collector;
  std::vector<StoredCall> calls;
  for (int i = 100; i >= 1; --i) {
    calls.push_back(timed_call("grep", i <= 7 ? CallStatus::failed : CallStatus::completed, i));
  }
  calls.push_back(timed_call("read_file", CallStatus::completed, 3));
  calls.push_back({.tool_name = "read_file", .status = CallStatus::failed});
  calls.push_back(timed_call("bash", CallStatus::cancelled, 900));
  calls.push_back(timed_call("report_tool_feedback", CallStatus::completed, 900));
  collector.add({.agent_name = "a", .provider = "offline", .model = "planner"}, calls);
  const Statistics statistics = std::move(collector).finish();
  ASSERT_EQ(statistics.tools.size(), 2U);
  const Timing& grep = statistics.tools[0].calls;
  EXPECT_EQ(statistics.tools[0].name, "grep");
  EXPECT_EQ(grep.count, 100);
  EXPECT_DOUBLE_EQ(grep.failure_rate(), 0.07);
  EXPECT_DOUBLE_EQ(grep.mean_ms, 50.5);
  EXPECT_DOUBLE_EQ(grep.p50_ms, 50);
  EXPECT_DOUBLE_EQ(grep.p95_ms, 95);
  EXPECT_DOUBLE_EQ(grep.p99_ms, 99);
  const Timing& read = statistics.tools[1].calls;
  EXPECT_EQ(read.count, 2);
  EXPECT_EQ(read.timed, 1);
  EXPECT_DOUBLE_EQ(read.p50_ms, 3);
  EXPECT_DOUBLE_EQ(read.p99_ms, 3);
  EXPECT_EQ(statistics.all.calls.count, 102);
}

TEST(Statistics, are_by_agent_and_by_model) {
  StatisticsCollector collector;
  const std::vector<StoredCall> calls{timed_call("grep", CallStatus::completed, 5)};
  Session session{.agent_name = "one",
                  .provider = "openai",
                  .model = "gpt",
                  .status = SessionStatus::completed,
                  .started_at = 1000,
                  .ended_at = 3000};
  session.usage = {.input_tokens = 10, .output_tokens = 5, .cost_usd = 0.5};
  collector.add(session, calls);
  session.status = SessionStatus::failed;
  session.ended_at = 5000;
  collector.add(session, calls);
  session.agent_name = "two";
  session.provider = "offline";
  session.status = SessionStatus::running;
  session.ended_at.reset();
  collector.add(session, {});
  const Statistics statistics = std::move(collector).finish();
  ASSERT_EQ(statistics.agents.size(), 2U);
  EXPECT_EQ(statistics.agents[0].name, "one");
  EXPECT_EQ(statistics.agents[0].runs.count, 2);
  EXPECT_EQ(statistics.agents[0].runs.failed, 1);
  EXPECT_DOUBLE_EQ(statistics.agents[0].runs.mean_ms, 3000);
  EXPECT_EQ(statistics.agents[0].calls.count, 2);
  EXPECT_DOUBLE_EQ(statistics.agents[0].usage.cost_usd, 1.0);
  ASSERT_EQ(statistics.models.size(), 2U);
  EXPECT_EQ(statistics.models[0].name, "openai:gpt");
  EXPECT_EQ(statistics.models[1].name, "offline");
  EXPECT_EQ(statistics.models[1].runs.timed, 0);
  const Json json = to_json(statistics);
  EXPECT_EQ(json.at("all").at("usage").at("input_tokens"), Json(30));
  EXPECT_TRUE(json.at("models").at(1).at("runs").at("p95_ms").is_null());
  EXPECT_EQ(to_text(json.at("tools")),
            R"([{"name":"grep","calls":{"count":2,"failed":0,"failure_rate":0,"mean_ms":5,)"
            R"("p50_ms":5,"p95_ms":5,"p99_ms":5}}])");
}

TEST(Statistics, of_nothing_are_nothing) {
  const Statistics statistics = StatisticsCollector().finish();
  EXPECT_EQ(statistics.all.runs.count, 0);
  EXPECT_DOUBLE_EQ(statistics.all.runs.failure_rate(), 0);
  EXPECT_TRUE(statistics.tools.empty());
}

}  // namespace
}  // namespace wright::feedback
