// The explicit list of everything that is shipped: agents and tools. Adding one is one line in
// wiring.cpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings/agent_definition.h"
#include "app/settings/settings.h"
#include "wright/agent.h"
#include "wright/entities.h"
#include "wright/models.h"

namespace wright::app {

// The shipped ones.
std::vector<std::string_view> agent_names();

// Refuses to run an agent that lacks something which only the caller can name. make_agent() makes
// it all the same, so that it can be listed.
Result<void> check_needs(std::string_view name, const Settings& settings);

using IndexListener = std::function<void(const IndexProgress&)>;

// What the index of a code base gets beside the settings.
struct IndexWiring {
  IndexListener on_index = {};     // told while it is built
  const Models* models = nullptr;  // who makes vectors, where the settings name a model for that
};

// The agent with the folder and limits of `settings`. An unknown name is refused with the nearest
// known one.
Result<Agent> make_agent(std::string_view name, const Settings& settings, Model model,
                         const IndexWiring& index = {});

// For a command that calls tools: the folder for output that is too long, so that the tools that
// are made afterwards can read it. Without one, such output is cut.
void make_output_folder(const Settings& settings);

// Every tool that some agent may use, in the order of make_tools(), which leaves out those that are
// off.
std::vector<std::string> tool_names();

// Every tool that some agent may use with these settings.
Result<std::vector<Tool>> make_tools(const Settings& settings, const IndexWiring& index = {});

// Whether it is one of those that search the index of a code base.
bool is_index_tool(std::string_view tool);

// What to set so that make_tools() makes this tool as well; empty for one that there never is.
std::string_view how_to_turn_on(std::string_view tool);

}  // namespace wright::app
