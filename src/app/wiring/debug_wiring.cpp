#include "app/wiring/debug_wiring.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/wiring/shipped.h"
#include "wright/feedback.h"

namespace wright::app {
namespace {

std::string quoted_list(const std::vector<Tool>& tools, std::string_view one_more) {
  std::string list;
  for (const Tool& tool : tools) list += fmt::format("\"{}\", ", tool.spec.name);
  return fmt::format("{}\"{}\"", list, one_more);
}

}  // namespace

std::optional<AvailableTool> way_to_tool(std::string_view tool, std::string_view agent,
                                         const std::vector<Tool>& tools, const Settings& settings) {
  const auto names = tool_names();
  if (std::ranges::find(names, tool) == names.end()) return std::nullopt;
  const ToolSwitch* setting = find_switch(tool);
  const bool is_off = setting != nullptr && !setting->is_on(settings);
  // The shipped agents have what the settings allow.
  const bool comes_by_itself =
      tool == "search_session" ||
      (is_shipped(agent) &&
       (tool == "fetch_url" || tool == "web_search" ||
        (is_index_tool(tool) && (agent == "codebase-analysis" || agent == "coding"))));
  std::string change;
  std::string example;
  if (is_off) {
    change = fmt::format("Set {} to {}", setting->key, setting->value);
    example = setting->example;
  }
  if (comes_by_itself) {
    if (!is_off) return std::nullopt;
    return AvailableTool{std::string(tool), std::move(change), std::move(example)};
  }
  if (is_off) {
    change += ", and ";
    example += "\n\n# in the file of the agent\n";
  }
  change += is_shipped(agent) ? fmt::format("{} an agent of your own with {} (`wright agents new`)",
                                            is_off ? "make" : "Make", tool)
                              : fmt::format("{} {} to the tools in the file of the agent",
                                            is_off ? "add" : "Add", tool);
  example += fmt::format("tools = [{}]", quoted_list(tools, tool));
  return AvailableTool{std::string(tool), std::move(change), std::move(example)};
}

DebugOptions debug_of(const Agent& agent, const Settings& settings, std::optional<bool> query) {
  DebugOptions debug =
      effective_debug({.query = query, .agent = agent.debug.value_or(settings.debug(agent.name))});
  if (!debug.wants_feedback()) return debug;
  for (const std::string& name : tool_names()) {
    const bool has_it =
        std::ranges::any_of(agent.tools, [&](const Tool& tool) { return tool.spec.name == name; });
    if (has_it) continue;
    if (auto way = way_to_tool(name, agent.name, agent.tools, settings)) {
      debug.available.push_back(std::move(*way));
    }
  }
  return debug;
}

}  // namespace wright::app
