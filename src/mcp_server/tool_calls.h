// One of our own tools, called by a client: through the same pipeline as by an agent. What needs a
// person is put to the client's.
#pragma once

#include "mcp/elicitation.h"
#include "mcp/server.h"
#include "mcp_server/call_record.h"
#include "mcp_server/host.h"

namespace wright::mcp_server {

mcp::WorkOutcome call_own_tool(const Agent& caller, CallRecord& record, const mcp::Work& work,
                               const WorkControls& controls);

// What a wait asks of a person, as a request to the client. An error where it cannot be asked so.
Result<mcp::NeedsInput::Request> request_for(std::string key, WaitKind kind, std::string_view tool,
                                             const Json& shown, mcp::DecisionHolds holds);
// What came back for it, as answer_wait() takes it.
Result<Json> answer_from(const mcp::InputAnswer& answer, WaitKind kind);

}  // namespace wright::mcp_server
