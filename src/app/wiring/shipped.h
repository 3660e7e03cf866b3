// The explicit list of everything that is shipped: agents and tools. Adding one is one line in
// shipped.cpp.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/agent_definition.h"
#include "app/settings/settings.h"
#include "wright/agent.h"
#include "wright/models.h"
#include "wright/tools.h"

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

// A shipped agent, and what comes with it.
struct ShippedAgent {
  Agent agent;
  std::vector<std::string> specialists = {};  // names
  std::vector<std::string> notes = {};        // what a person should know before it runs

  ShippedAgent(Agent made) : agent(std::move(made)) {}
};

// The agent with the folder and limits of `settings`. An unknown name is refused with the nearest
// known one.
Result<ShippedAgent> make_agent(std::string_view name, const Settings& settings, Model model,
                                const IndexWiring& index = {});

// What the tools for files may read and write with these settings.
FileAccess file_access(const Settings& settings);

// Where output goes that is too long for a model. What commands printed in one project is not for
// agents in another to read. Empty without a home.
std::filesystem::path output_of_project(const Settings& settings);

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

// What has to be set so that make_tools() makes these tools as well.
struct ToolSwitch {
  std::span<const std::string_view> tools;
  std::string_view key;
  std::string_view value;           // in words
  std::string_view example;         // as it stands in the configuration
  std::string_view how_to_turn_on;  // for a person who wants one of them
  bool (*is_on)(const Settings& settings);
};
// Null for a tool that is always there, or that there never is.
const ToolSwitch* find_switch(std::string_view tool);

}  // namespace wright::app
