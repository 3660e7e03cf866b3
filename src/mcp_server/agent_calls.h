// An agent, called by a client as a tool. Its session is stored as any other; what it waits for is
// put to the client's person, and can be answered from anywhere else as well.
#pragma once

#include "mcp/server.h"
#include "mcp_server/host.h"

namespace wright::mcp_server {

struct AgentSessions {
  Store& store;
  BegunSessions& begun;
  const Observer& observer;
  bool are_all_open = false;   // else those that began here
  std::string dashboard = {};  // see Offering
};

mcp::WorkOutcome call_agent(const OfferedAgent& offered, const AgentSessions& sessions,
                            const mcp::Work& work, const WorkControls& controls);

}  // namespace wright::mcp_server
