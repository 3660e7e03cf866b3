// update_plan: the steps of a task as an agent sees them, for the person who looks on. A plan is
// always told whole; the last one counts. Whoever shows a run reads it from the call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/schema.h"
#include "wright/tool.h"

namespace wright::tools {

inline constexpr std::string_view kPlanTool = "update_plan";

enum class StepStatus : std::uint8_t { pending, in_progress, completed };
WRIGHT_ENUM(StepStatus, pending, in_progress, completed)

enum class StepPriority : std::uint8_t { high, medium, low };
WRIGHT_ENUM(StepPriority, high, medium, low)

struct PlanStep {
  std::string step = {};
  StepStatus status = StepStatus::pending;
  StepPriority priority = StepPriority::medium;
  bool operator==(const PlanStep&) const = default;
};
WRIGHT_DESCRIBE(
    PlanStep,
    WRIGHT_FIELD(step, "What is to be done, in a few words").min_length(1).max_length(200),
    WRIGHT_FIELD(status, "How far it is; one step at most is in_progress"),
    WRIGHT_FIELD(priority, "How much depends on it").with_default())

// The tool `update_plan`. It changes nothing but what people see.
Tool plan_tool();

// The steps that a call of update_plan tells; nothing when it is no such call, or its arguments are
// not acceptable.
std::optional<std::vector<PlanStep>> plan_of(const ToolCall& call);

}  // namespace wright::tools
