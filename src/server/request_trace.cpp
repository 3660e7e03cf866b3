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

void take_trace(const ServiceOptions& service, const TraceContext& trace, RunOptions& options) {
  runtime::start_in_trace(trace, service.adopt_trace, options);
}

}  // namespace wright::server
