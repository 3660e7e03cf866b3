#include "server/request_trace.h"

#include <boost/json/object.hpp>

#include <utility>

namespace wright::server {
namespace {

constexpr std::string_view kTraceParent = "traceparent";
constexpr std::string_view kTraceState = "tracestate";
constexpr std::size_t kLongestTrace = 512;

std::string text_of(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace

TraceContext trace_in(const Json& config) {
  const JsonObject* object = config.if_object();
  if (object == nullptr) return {};
  return {text_of(*object, kTraceParent), text_of(*object, kTraceState)};
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

void take_trace(const ServiceOptions& service, const http::Request& request, RunOptions& options) {
  TraceContext trace{std::string(request.header(kTraceParent)),
                     std::string(request.header(kTraceState))};
  if (!trace.is_set() || trace.parent.size() > kLongestTrace || !is_valid_utf8(trace.parent)) {
    return;
  }
  if (trace.state.size() > kLongestTrace || !is_valid_utf8(trace.state)) trace.state.clear();
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
