#include "runtime/stored_trace.h"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace wright::runtime {
namespace {

constexpr std::string_view kTraceParent = "traceparent";
constexpr std::string_view kTraceState = "tracestate";

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

void start_in_trace(const TraceContext& trace, const AdoptTrace& adopt, RunOptions& options) {
  if (!trace.is_set()) return;
  options.config = with_trace(std::move(options.config), trace);
  if (!adopt) return;
  options.observer = [adopt, trace, others = std::move(options.observer)](
                         const Event& event, const EventOrigin& origin) {
    if (origin.depth == 0 && std::holds_alternative<SessionStarted>(event)) {
      adopt(origin.session_id, trace);
    }
    if (others) others(event, origin);
  };
}

}  // namespace wright::runtime
