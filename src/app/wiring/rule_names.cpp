#include "app/wiring/rule_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "app/wiring/shipped.h"
#include "core/nearest.h"
#include "core/text.h"
#include "tools/tool_aliases.h"

namespace wright::app {
namespace {

// What some agents have beside the tools that can be listed.
constexpr auto kOtherNames = std::to_array<std::string_view>({"update_plan", "skill"});

}  // namespace

RuleNames::RuleNames() : names_(tool_names()) {
  names_.insert(names_.end(), kOtherNames.begin(), kOtherNames.end());
  for (const tools::ToolAlias& each : tools::kToolAliases) names_.emplace_back(each.alias);
  for (const std::string_view agent : agent_names()) add_agent(agent);
}

void RuleNames::add(std::span<const Tool> tools) {
  for (const Tool& tool : tools) {
    names_.push_back(tool.spec.name);
    names_.insert(names_.end(), tool.spec.aliases.begin(), tool.spec.aliases.end());
  }
}

void RuleNames::add_agent(std::string_view name) {
  names_.emplace_back(name);
}

// As the rules are applied: what forbids or asks is not lost to a capital letter.
bool RuleNames::has(const intercept::PermissionRule& rule) const {
  const bool is_allowing = rule.permission == intercept::Permission::allow;
  return std::ranges::any_of(names_, [&](const std::string& name) {
    return name == rule.tool || (!is_allowing && lower(name) == lower(rule.tool));
  });
}

std::vector<std::string> RuleNames::notes_about(
    std::span<const intercept::PermissionRule> rules) const {
  const std::vector<std::string_view> known(names_.begin(), names_.end());
  std::vector<std::string> notes;
  for (const intercept::PermissionRule& rule : rules) {
    const bool is_pattern = rule.tool.find_first_of("*?") != std::string::npos;
    if (is_pattern || rule.tool.contains("__") || has(rule)) continue;
    const std::string near = did_you_mean(rule.tool, known);
    notes.push_back(
        fmt::format("The rule permissions.{} means no tool that there is{}", rule.tool,
                    near.empty() ? ", and has no effect: `wright tools` lists them." : near));
  }
  return notes;
}

}  // namespace wright::app
