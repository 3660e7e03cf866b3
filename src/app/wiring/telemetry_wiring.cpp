#include "app/wiring/telemetry_wiring.h"

#include <utility>

#include "runtime/stored_trace.h"
#include "telemetry/trace_context.h"

namespace wright::app {

std::unique_ptr<telemetry::Telemetry> make_telemetry(const Environment& environment,
                                                     Console& console) {
  const auto found = telemetry::settings_from(
      [&](std::string_view name) { return environment.find_non_empty(name); });
  for (const std::string& note : found.notes) console.remark(note);
  if (!found.settings) return nullptr;
  return std::make_unique<telemetry::Telemetry>(*found.settings);
}

void trace_with(telemetry::Telemetry* telemetry, RunOptions& options) {
  if (telemetry == nullptr) return;
  options.observer = [telemetry, others = std::move(options.observer)](const Event& event,
                                                                       const EventOrigin& origin) {
    telemetry->observe(event, origin);
    if (others) others(event, origin);
  };
  options.find_trace = telemetry->find_trace();
}

void trace_as_asked(telemetry::Telemetry* telemetry, const TraceContext& asked_by,
                    RunOptions& options) {
  trace_with(telemetry, options);
  const auto place = telemetry::place_from(asked_by);
  if (!place) return;
  TraceContext trace = telemetry::to_context(*place);
  options.config = runtime::with_trace(std::move(options.config), trace);
  if (telemetry == nullptr) {
    // Whoever records nothing hands on what it was given.
    options.find_trace = [trace](std::int64_t, std::string_view) { return trace; };
    return;
  }
  options.observer = [telemetry, trace, others = std::move(options.observer)](
                         const Event& event, const EventOrigin& origin) {
    if (origin.depth == 0 && std::holds_alternative<SessionStarted>(event)) {
      telemetry->adopt(origin.session_id, trace);
    }
    others(event, origin);
  };
}

std::function<void(Agent& agent)> tell_content(telemetry::Telemetry* telemetry) {
  if (telemetry == nullptr) return {};
  return [telemetry](Agent& agent) {
    telemetry->describe(agent.name, agent.description);
    agent.model = telemetry->told(std::move(agent.model));
  };
}

Logger traced(telemetry::Telemetry* telemetry, const Logger& logger) {
  return telemetry == nullptr ? logger : telemetry->traced(logger);
}

void adopt_trace(telemetry::Telemetry* telemetry, const Session& session) {
  if (telemetry != nullptr) telemetry->adopt(session.id, runtime::trace_in(session.config));
}

Json config_with_trace(Json config, const Environment& environment) {
  const TraceContext trace{environment.find_non_empty("TRACEPARENT").value_or(""),
                           environment.find_non_empty("TRACESTATE").value_or("")};
  const auto place = telemetry::place_from(trace);
  return place ? runtime::with_trace(std::move(config), telemetry::to_context(*place)) : config;
}

}  // namespace wright::app
