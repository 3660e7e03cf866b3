#include "tools/plan/plan.h"

#include <gtest/gtest.h>

#include "wright/testing.h"

namespace wright::tools {
namespace {

ToolCall plan_call(std::string arguments) {
  return testing::call("update_plan", std::move(arguments));
}

TEST(Plan, is_read_from_the_call_that_tells_it) {
  const auto plan = plan_of(plan_call(
      R"({"plan": [{"step": "Read", "status": "completed"},
                   {"step": "Write", "status": "in_progress", "priority": "high"}]})"));
  ASSERT_TRUE(plan);
  EXPECT_EQ(*plan, (std::vector<PlanStep>{{"Read", StepStatus::completed, StepPriority::medium},
                                          {"Write", StepStatus::in_progress, StepPriority::high}}));
  EXPECT_FALSE(plan_of(testing::call("grep", R"({"plan": []})")));
  EXPECT_FALSE(plan_of(plan_call("{")));
  EXPECT_FALSE(plan_of(plan_call(R"({"plan": [{"step": "", "status": "pending"}]})")));
  EXPECT_FALSE(plan_of(plan_call(R"({"plan": [{"step": "a", "status": "begun"}]})")));
}

TEST(Plan, has_one_step_under_way_at_most) {
  const Json two = parse_json(R"({"plan": [{"step": "a", "status": "in_progress"},
                                           {"step": "b", "status": "in_progress"}]})")
                       .value();
  const auto refused = testing::answer_of(plan_tool(), two);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "2 steps are in_progress; do one at a time");
  EXPECT_FALSE(plan_of(plan_call(to_text(two))));
  const auto accepted = testing::answer_of(
      plan_tool(), parse_json(R"({"plan": [{"step": "a", "status": "completed"}]})").value());
  ASSERT_TRUE(accepted) << accepted.error().message;
  EXPECT_EQ(accepted->at("completed").to_number<int>(), 1);
}

}  // namespace
}  // namespace wright::tools
