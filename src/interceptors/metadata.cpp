// Stamps results that are objects with how, when and by whom they were made. Whatever the tool put
// there itself stays.
#include <chrono>
#include <cmath>
#include <utility>

#include "core/iso_time.h"
#include "interceptors/clocks.h"
#include "wright/interceptors.h"

namespace wright::intercept {
namespace {

constexpr std::string_view kKey = "_execution_metadata";

double two_decimals(double value) {
  return std::round(value * 100) / 100;
}

class Metadata {
 public:
  explicit Metadata(WallClock clock) : clock_(or_real(std::move(clock))) {}

  Result<Json> operator()(const ToolCall& call, Context& context, const Next& next) const {
    if (context.tool != nullptr && context.tool->spec.options.provides.metadata) {
      return next(call, context);
    }
    const auto began = std::chrono::steady_clock::now();
    Result<Json> result = next(call, context);
    if (!result || !result->is_object()) return result;
    if (!context.duration_ms) {
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - began;
      context.duration_ms = took.count();
    }
    stamp(result->get_object(), call, context);
    return result;
  }

 private:
  void stamp(JsonObject& object, const ToolCall& call, const Context& context) const {
    object.reserve(object.size() + 1);
    Json& place = object[kKey];
    if (place.is_null()) {
      place.emplace_object().reserve(context.notes.empty() ? 4 : 5);
    } else if (!place.is_object()) {
      return;  // the tool's own, in a shape of its own
    }
    JsonObject& stamped = place.get_object();
    stamped.emplace("duration_ms", two_decimals(*context.duration_ms));
    stamped.emplace("tool_name", call.name);
    stamped.emplace("timestamp", IsoTime(clock_()).text());
    stamped.emplace("agent_name", context.agent_name);
    if (!context.notes.empty()) {
      JsonArray notes(context.notes.begin(), context.notes.end());
      stamped.emplace("notes", std::move(notes));
    }
  }

  WallClock clock_;
};

}  // namespace

Interceptor metadata(WallClock clock) {
  return Metadata(std::move(clock));
}

}  // namespace wright::intercept
