#include "app/commands/run_record.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/unknown_outcome.h"

namespace wright::app {
namespace {

TEST(RunRecord, has_a_call_that_waited_once_and_tells_what_is_not_known) {
  const ToolCall first{"1", "pay", "{}"};
  const ToolCall second{"2", "look", "{}"};
  ToolOutcome waits;
  waits.waiting = Waiting{};
  ToolOutcome unknown;
  unknown.result.is_error = true;
  unknown.error = unknown_outcome(ErrorCode::unavailable, "Nobody knows");
  RunRecord record;
  record.observe(ToolEnded{first, waits});
  record.observe(ToolEnded{second, ToolOutcome{}});
  record.observe(ToolEnded{first, unknown});
  const Json json = record.json("completed", nullptr, nullptr);
  const JsonArray& calls = json.at("tool_calls").as_array();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].at("id"), Json("1"));
  EXPECT_EQ(calls[0].at("status"), Json("unknown"));
  EXPECT_EQ(calls[1].at("status"), Json("completed"));
}

TEST(RunRecord, counts_what_specialists_used) {
  RunRecord record;
  const Response own{.usage = {.input_tokens = 10, .output_tokens = 1}};
  const Response below{.usage = {.input_tokens = 20, .output_tokens = 2, .cost_usd = 0.5}};
  record.observe(ModelEnded{own, 1});
  record.observe_below(ModelEnded{below, 1});
  record.observe_below(RunEnded{Phase::done, "what the specialist said", nullptr});
  const Json json = record.json("completed", nullptr, nullptr);
  EXPECT_EQ(json.at("usage").at("input_tokens"), Json(30));
  EXPECT_EQ(json.at("usage").at("cost_usd"), Json(0.5));
  EXPECT_EQ(json.at("iterations"), Json(1)) << "turns are the agent's own";
  EXPECT_NE(record.summary(1).find("$0.5"), std::string::npos) << record.summary(1);
}

}  // namespace
}  // namespace wright::app
