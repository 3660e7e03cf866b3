// Requests of MCP clients as spans, by OpenTelemetry's conventions for MCP, and the sessions that
// they begin below them.
#pragma once

#include <string_view>

#include "mcp_server/request_span.h"
#include "mcp_server/session_tracing.h"
#include "telemetry/telemetry.h"

namespace wright::app {

// A null stands for one that is off: then what a client says of its trace is passed on.
// `transport`: a literal, "tcp" or "pipe".
mcp_server::BeginSpan mcp_spans(telemetry::Telemetry* telemetry, std::string_view transport);
mcp_server::SessionTracing mcp_session_tracing(telemetry::Telemetry* telemetry);

}  // namespace wright::app
