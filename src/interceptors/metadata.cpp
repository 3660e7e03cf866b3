// Adds to results that are objects how, when and by whom they were produced. What the tool put
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

  Result<ToolReply> operator()(const Invocation& invocation, const Context& context,
                               const Next& next) const {
    if (invocation.tool.spec.options.provides.metadata) return next(invocation, context);
    const auto began = std::chrono::steady_clock::now();
    Result<ToolReply> reply = next(invocation, context);
    Output* output = output_of(reply);
    if (output == nullptr || !output->value.is_object()) return reply;
    if (!output->duration_ms) {
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - began;
      output->duration_ms = took.count();
    }
    stamp(*output, invocation, context);
    return reply;
  }

 private:
  void stamp(Output& output, const Invocation& invocation, const Context& context) const {
    JsonObject& object = output.value.get_object();
    object.reserve(object.size() + 1);
    Json& place = object[kKey];
    const bool has_notes = !invocation.notes.empty() || !output.notes.empty();
    if (place.is_null()) {
      place.emplace_object().reserve(has_notes ? 5 : 4);
    } else if (!place.is_object()) {
      return;  // the tool's own, in a shape of its own
    }
    JsonObject& stamped = place.get_object();
    stamped.emplace("duration_ms", two_decimals(*output.duration_ms));
    stamped.emplace("tool_name", invocation.call.name);
    stamped.emplace("timestamp", IsoTime(clock_()).text());
    stamped.emplace("agent_name", context.agent_name);
    if (has_notes) {
      JsonArray notes(invocation.notes.begin(), invocation.notes.end());
      for (const std::string& note : output.notes) notes.emplace_back(note);
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
