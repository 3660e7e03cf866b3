// Stored sessions as resources: wright://sessions/ID, a page of them at a time.
#pragma once

#include <vector>

#include "mcp/server.h"
#include "mcp_server/host.h"
#include "wright/store.h"

namespace wright::mcp_server {

mcp::WorkOutcome list_sessions(Store& store, const JsonObject& params);
mcp::WorkOutcome list_session_templates();
mcp::WorkOutcome read_session(Store& store, const JsonObject& params);
// Ids that begin with what was typed, for the template. The prompts of agents have nothing to
// complete. What there is not is refused.
mcp::WorkOutcome complete(Store& store, const std::vector<OfferedAgent>& agents,
                          const JsonObject& params);

}  // namespace wright::mcp_server
