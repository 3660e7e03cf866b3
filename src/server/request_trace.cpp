#include "server/request_trace.h"

#include <boost/json/object.hpp>

#include <utility>

namespace wright::server {
namespace {

constexpr std::string_view kTraceParent = "traceparent";
constexpr std::string_view kTraceState = "tracestate";
constexpr std::size_t kLongestTrace = 512;

std::string trace_text(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace

TraceContext trace_in(const Json& config) {
  const JsonObject* object = config.if_object();
  if (object == nullptr) return {};
  return {trace_text(*object, kTraceParent), trace_text(*object, kTraceState)};
}

Json with_trace(Json config, const TraceContext& trace) {
  if (!trace.is_set()) return config;
  if (!config.is_object()) config.emplace_object();
  JsonObject& object = config.get_object();
  object[kTraceParent] = trace.parent;
  object.erase(kTraceState);
  if (!trace.state.empty()) object[kTraceState] = trace.state;
  return config;
}

TraceContext trace_of(const http::Request& request) {
  const auto header = [&](std::string_view name) {
    const std::string_view value = request.header(name);
    return value.size() <= kLongestTrace && is_valid_utf8(value) ? std::string(value)
                                                                 : std::string();
  };
  return {header(kTraceParent), header(kTraceState)};
}

void take_trace(const ServiceOptions& service, TraceContext trace, RunOptions& options) {
  if (!trace.is_set()) return;
  options.config = with_trace(std::move(options.config), trace);
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
