#include "runtime/stored_trace.h"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

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

}  // namespace wright::runtime
