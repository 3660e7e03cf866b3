#include "server/request_trace.h"

#include <utility>

#include "runtime/stored_trace.h"

namespace wright::server {
namespace {

constexpr std::size_t kLongestTrace = 512;

}  // namespace

TraceContext trace_of(const http::Request& request) {
  const auto header = [&](std::string_view name) {
    const std::string_view value = request.header(name);
    return value.size() <= kLongestTrace && is_valid_utf8(value) ? std::string(value)
                                                                 : std::string();
  };
  return {header("traceparent"), header("tracestate")};
}

void take_trace(const ServiceOptions& service, TraceContext trace, RunOptions& options) {
  if (!trace.is_set()) return;
  options.config = runtime::with_trace(std::move(options.config), trace);
  if (!service.adopt_trace) return;
  options.observer = [adopt = service.adopt_trace, trace, others = std::move(options.observer)](
                         const Event& event, const EventOrigin& origin) {
    if (origin.depth == 0 && std::holds_alternative<SessionStarted>(event)) {
      adopt(origin.session_id, trace);
    }
    if (others) others(event, origin);
  };
}

}  // namespace wright::server
