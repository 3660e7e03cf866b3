// The tool by which a model finds what its requests leave out, and who gets it.
#pragma once

#include "app/settings/settings.h"
#include "wright/agent.h"

namespace wright::app {

// Opens the store of the settings a second time, when it is first called.
Tool stored_session_tool(const Settings& settings);

// Gives the agent the tool where sessions.search says so: "auto" means agents whose model reads so
// little that a conversation is soon cut. Not where sessions end with the process.
void add_session_search(Agent& agent, const Settings& settings);

}  // namespace wright::app
