#include "mcp_server/session_tracing.h"

#include <utility>
#include <variant>

#include "runtime/stored_trace.h"

namespace wright::mcp_server {

void stand_below(const TraceContext& asked_by, const SessionTracing& tracing, RunOptions& options) {
  options.find_trace = tracing.find;
  if (!asked_by.is_set()) return;
  options.config = runtime::with_trace(std::move(options.config), asked_by);
  if (!tracing.find) {
    options.find_trace = [asked_by](SessionId, std::string_view) { return asked_by; };
  }
  if (!tracing.adopt) return;
  options.observer = [adopt = tracing.adopt, asked_by, others = std::move(options.observer)](
                         const Event& event, const EventOrigin& origin) {
    if (origin.depth == 0 && std::holds_alternative<SessionStarted>(event)) {
      adopt(origin.session_id, asked_by);
    }
    if (others) others(event, origin);
  };
}

}  // namespace wright::mcp_server
