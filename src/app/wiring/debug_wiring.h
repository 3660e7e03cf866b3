// Debug mode as the program has it: what the settings and an agent's own file say about it, and
// which tools could be switched on.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/wiring/known_agents.h"
#include "wright/agent.h"

namespace wright::app {

// How an agent of that name gets a tool that it does not have; nothing for a tool that there never
// is. `tools` are those it has.
std::optional<AvailableTool> way_to_tool(std::string_view tool, std::string_view agent,
                                         const std::vector<Tool>& tools, const Settings& settings);

// What holds for a run of the agent. `query` is what was said about this run.
DebugOptions debug_of(const Agent& agent, const Settings& settings, std::optional<bool> query);

}  // namespace wright::app
