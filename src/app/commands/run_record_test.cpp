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

}  // namespace
}  // namespace wright::app
