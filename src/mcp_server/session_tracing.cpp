#include "mcp_server/session_tracing.h"

#include <string_view>

#include "runtime/stored_trace.h"

namespace wright::mcp_server {

void stand_below(const TraceContext& asked_by, const SessionTracing& tracing, RunOptions& options) {
  options.find_trace = tracing.find;
  if (!asked_by.is_set()) return;
  if (!tracing.find) {
    options.find_trace = [asked_by](SessionId, std::string_view) { return asked_by; };
  }
  runtime::start_in_trace(asked_by, tracing.adopt, options);
}

}  // namespace wright::mcp_server
