// Stored sessions as resources: wright://sessions/ID, a page of them at a time.
#pragma once

#include "mcp/server.h"
#include "wright/store.h"

namespace wright::mcp_server {

mcp::WorkOutcome list_sessions(Store& store, const JsonObject& params);
mcp::WorkOutcome list_session_templates();
mcp::WorkOutcome read_session(Store& store, const JsonObject& params);
// Ids that begin with what was typed.
mcp::WorkOutcome complete_session(Store& store, const JsonObject& params);

}  // namespace wright::mcp_server
