#include "tools/plan/plan.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/try.h"

namespace wright::tools {

struct PlanArguments {
  std::vector<PlanStep> plan;
  std::optional<std::string> explanation;
};
WRIGHT_DESCRIBE(PlanArguments,
                WRIGHT_FIELD(plan, "All steps in their order, done ones included").max_items(50),
                WRIGHT_FIELD(explanation, "Why the plan changed").max_length(1000))

namespace {

std::int64_t count_of(const std::vector<PlanStep>& plan, StepStatus status) {
  return std::ranges::count(plan, status, &PlanStep::status);
}

Result<Json> update_plan(const PlanArguments& arguments) {
  const std::int64_t under_way = count_of(arguments.plan, StepStatus::in_progress);
  if (under_way > 1) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} steps are in_progress; do one at a time", under_way));
  }
  const std::int64_t done = count_of(arguments.plan, StepStatus::completed);
  return JsonObject{
      {"steps", arguments.plan.size()}, {"completed", done}, {"shown_to_the_person", true}};
}

}  // namespace

Tool plan_tool() {
  return tool(
      std::string(kPlanTool),
      "Shows the person your plan: all steps with their status. Call it again whenever a step "
      "begins or is done, always with the whole list. For tasks of several steps only.",
      [](const PlanArguments& arguments) { return update_plan(arguments); },
      {.effect = Effect::read, .concurrency = Concurrency::serial});
}

std::optional<std::vector<PlanStep>> plan_of(const ToolCall& call) {
  if (call.name != kPlanTool) return std::nullopt;
  const auto json = parse_json(call.arguments);
  if (!json) return std::nullopt;
  auto arguments = decode<PlanArguments>(*json);
  if (!arguments || count_of(arguments->plan, StepStatus::in_progress) > 1) return std::nullopt;
  return std::move(arguments->plan);
}

}  // namespace wright::tools
