// What the usual OTEL_* variables say. Pure: whoever reads the environment hands it in.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/otlp.h"
#include "telemetry/span.h"
#include "wright/model.h"

namespace wright::telemetry {

// Which traces are recorded.
struct Sampler {
  bool asks_parent = true;  // a trace that others have begun is recorded as they do
  double ratio = 1;         // of the others
};

struct TelemetrySettings {
  std::string url = {};  // of POST, whole
  std::vector<HttpHeader> headers = {};
  Encoding encoding = Encoding::protobuf;
  std::chrono::milliseconds timeout{10'000};  // of one request
  Resource resource = {};
  Sampler sampler = {};
  std::size_t most_waiting = 2'048;  // spans
  std::size_t most_at_once = 512;
  std::chrono::milliseconds delay{5'000};
  // For a batch with all its attempts, and for the last ones when the process ends.
  std::chrono::milliseconds export_timeout{30'000};
  bool has_content = false;                 // what models and tools said
  std::optional<TraceContext> parent = {};  // TRACEPARENT: who has started this process
};

struct FoundSettings {
  std::optional<TelemetrySettings> settings = {};  // absent: it is off
  std::vector<std::string> notes = {};             // what cannot be as it was said, a sentence each
};

using FindVariable = std::function<std::optional<std::string>(std::string_view name)>;

// On where an endpoint is named, or the exporter is: nobody who has neither expects traffic.
FoundSettings settings_from(const FindVariable& find);

}  // namespace wright::telemetry
