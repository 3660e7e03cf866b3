// The explicit list of everything that is shipped: agents and tools. Adding one is one line in
// wiring.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/settings.h"
#include "wright/agent.h"

namespace wright::app {

std::vector<std::string_view> agent_names();

// `codebase_analysis`, `Codebase-Analysis` and `codebase-analysis` are one name.
std::string canonical_agent_name(std::string_view name);

// Refuses to run an agent that lacks something which only the caller can name. make_agent() makes
// it all the same, so that it can be listed.
Result<void> check_needs(std::string_view name, const Settings& settings);

// The agent with the folder and limits of `settings`. An unknown name is refused with the nearest
// known one.
Result<Agent> make_agent(std::string_view name, const Settings& settings, Model model);

// For a command that calls tools: the folder for output that is too long, so that the tools that
// are made afterwards can read it. Without one, such output is cut.
void make_output_folder(const Settings& settings);

// Every tool that some agent may use.
Result<std::vector<Tool>> make_tools(const Settings& settings);

// What to set so that make_tools() makes this tool as well; empty for one that there never is.
std::string_view how_to_turn_on(std::string_view tool);

}  // namespace wright::app
