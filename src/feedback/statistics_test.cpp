#include "feedback/statistics.h"

#include <gtest/gtest.h>

#include <limits>

namespace wright::feedback {
namespace {

TEST(Statistics, have_percentiles_by_nearest_rank) {
  CallSamples grep_samples{
      .tool_name = "grep", .agent_name = "a", .provider = "offline", .count = 100, .failed = 7};
  for (int i = 100; i >= 1; --i) grep_samples.durations_ms.push_back(i);
  const Statistics statistics = statistics_of(
      {.runs = {{.agent_name = "a", .provider = "offline", .model = "planner", .count = 1}},
       .calls = {grep_samples,
                 {.tool_name = "read_file", .count = 2, .failed = 1, .durations_ms = {3}},
                 {.tool_name = "report_tool_feedback", .count = 1, .durations_ms = {900}}}});
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
  const Usage usage{.input_tokens = 10, .output_tokens = 5, .cost_usd = 0.5};
  Usage twice = usage;
  twice += usage;
  const Statistics statistics = statistics_of({.runs = {{.agent_name = "one",
                                                         .provider = "openai",
                                                         .model = "gpt",
                                                         .count = 2,
                                                         .failed = 1,
                                                         .usage = twice,
                                                         .durations_ms = {2000, 4000}},
                                                        {.agent_name = "two",
                                                         .provider = "offline",
                                                         .model = "planner",
                                                         .count = 1,
                                                         .usage = usage}},
                                               .calls = {{.tool_name = "grep",
                                                          .agent_name = "one",
                                                          .provider = "openai",
                                                          .model = "gpt",
                                                          .count = 3,
                                                          .unknown = 1,
                                                          .durations_ms = {5, 5}}}});
  ASSERT_EQ(statistics.agents.size(), 2U);
  EXPECT_EQ(statistics.agents[0].name, "one");
  EXPECT_EQ(statistics.agents[0].runs.count, 2);
  EXPECT_EQ(statistics.agents[0].runs.failed, 1);
  EXPECT_DOUBLE_EQ(statistics.agents[0].runs.mean_ms, 3000);
  EXPECT_EQ(statistics.agents[0].calls.count, 3);
  EXPECT_DOUBLE_EQ(statistics.agents[0].usage.cost_usd, 1.0);
  ASSERT_EQ(statistics.models.size(), 2U);
  EXPECT_EQ(statistics.models[0].name, "openai:gpt");
  EXPECT_EQ(statistics.models[1].name, "offline");
  EXPECT_EQ(statistics.models[1].runs.timed, 0);
  const Json json = to_json(statistics);
  EXPECT_EQ(json.at("all").at("usage").at("input_tokens"), Json(30));
  EXPECT_TRUE(json.at("models").at(1).at("runs").at("p95_ms").is_null());
  EXPECT_EQ(to_text(json.at("tools")),
            R"([{"name":"grep","calls":{"count":3,"failed":0,"failure_rate":0,"mean_ms":5,)"
            R"("p50_ms":5,"p95_ms":5,"p99_ms":5,"unknown":1}}])");
}

TEST(Statistics, stop_at_the_largest_number) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const CallSamples many{.tool_name = "grep", .count = kMost, .failed = kMost, .unknown = kMost};
  const Statistics statistics = statistics_of({.calls = {many, many}});
  EXPECT_EQ(statistics.all.calls.count, kMost);
  EXPECT_EQ(statistics.all.calls.failed, kMost);
  EXPECT_EQ(statistics.all.calls.unknown, kMost);
}

TEST(Statistics, of_nothing_are_nothing) {
  const Statistics statistics = statistics_of({});
  EXPECT_EQ(statistics.all.runs.count, 0);
  EXPECT_DOUBLE_EQ(statistics.all.runs.failure_rate(), 0);
  EXPECT_TRUE(statistics.tools.empty());
}

}  // namespace
}  // namespace wright::feedback
