#include "acp/meta.h"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace wright::acp {
namespace {

constexpr std::string_view kMeta = "_meta";
constexpr std::string_view kTraceParentKey = "traceparent";
constexpr std::string_view kTraceStateKey = "tracestate";
constexpr std::size_t kLongestTraceText = 512;

}  // namespace

TraceContext trace_in(const JsonObject& params) {
  const Json* meta = params.if_contains(kMeta);
  const JsonObject* object = meta != nullptr ? meta->if_object() : nullptr;
  if (object == nullptr) return {};
  const auto text = [&](std::string_view key) {
    const Json* value = object->if_contains(key);
    const bool is_text = value != nullptr && value->is_string() &&
                         value->get_string().size() <= kLongestTraceText &&
                         is_valid_utf8(value->get_string());
    return is_text ? std::string(value->get_string()) : std::string();
  };
  return {text(kTraceParentKey), text(kTraceStateKey)};
}

void add_trace(JsonObject& params, const TraceContext& trace) {
  if (!trace.is_set()) return;
  Json& meta = params[kMeta];
  if (!meta.is_object()) meta.emplace_object();
  meta.get_object()[kTraceParentKey] = trace.parent;
  if (!trace.state.empty()) meta.get_object()[kTraceStateKey] = trace.state;
}

}  // namespace wright::acp
