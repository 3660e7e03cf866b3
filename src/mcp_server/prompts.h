// The prompts that ship: one for every agent that is offered.
#pragma once

#include <vector>

#include "mcp/server.h"
#include "mcp_server/host.h"

namespace wright::mcp_server {

mcp::WorkOutcome list_prompts(const std::vector<OfferedAgent>& agents);
mcp::WorkOutcome get_prompt(const std::vector<OfferedAgent>& agents, const JsonObject& params);

}  // namespace wright::mcp_server
