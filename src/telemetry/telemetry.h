// Traces of a process: its one observer of events, and the way to the collector. Off unless the
// OTEL_* variables say otherwise (settings.h).
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "telemetry/exporter.h"
#include "telemetry/request_spans.h"
#include "telemetry/session_spans.h"
#include "telemetry/settings.h"
#include "wright/events.h"
#include "wright/log.h"

namespace wright::telemetry {

class Telemetry {
 public:
  Telemetry(const TelemetrySettings& settings, SendRequest send);
  // By HTTP, with a client of its own.
  explicit Telemetry(const TelemetrySettings& settings);
  ~Telemetry();  // sends what is left, for as long as the settings say, but some seconds at most

  // For observers of a RunOptions or a RuntimeOptions. Never blocks.
  void observe(const Event& event, const EventOrigin& origin) { spans_.observe(event, origin); }
  FindTrace find_trace();
  void adopt(std::int64_t session_id, const TraceContext& asked_by) {
    spans_.adopt(session_id, asked_by);
  }

  // The model as it is to be asked: how it is asked is recorded, and where content is wanted, what
  // it reads. The model must not be asked when this is gone.
  Model told(Model model);
  void describe(std::string_view agent, std::string_view description) {
    spans_.describe(agent, description);
  }

  // A request that somebody has sent here. The result must not outlive this.
  std::unique_ptr<RequestSpan> begin_request(RequestStart start) {
    return requests_.begin(std::move(start));
  }
  bool has_content() const { return has_content_; }

  // A logger whose records carry `trace_id` and `span_id` while one session is under way.
  Logger traced(const Logger& logger);

  void flush(std::chrono::milliseconds time) { exporter_.flush(time); }
  ExporterFigures figures() const { return exporter_.figures(); }

 private:
  const std::chrono::milliseconds last_patience_;
  const bool has_content_;
  Exporter exporter_;
  SessionSpans spans_;
  RequestSpans requests_;
};

}  // namespace wright::telemetry
