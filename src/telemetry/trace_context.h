// W3C Trace Context: the headers traceparent and tracestate, and numbers for new spans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "telemetry/span.h"
#include "wright/message.h"

namespace wright::telemetry {

// Where a span stands, and whether anybody records it.
struct Place {
  TraceId trace = {};
  SpanId span = {};
  std::uint8_t flags = 1;  // 1: recorded
  std::string state = {};

  bool is_sampled() const { return (flags & 1) != 0; }
};

// Absent for whatever is no traceparent of a version that can be read; its tracestate goes with it.
std::optional<Place> place_from(const TraceContext& context);
TraceContext to_context(const Place& place);

std::int64_t now_ns();  // since 1970

// Not thread-safe.
class IdSource {
 public:
  IdSource();
  TraceId trace();
  SpanId span();

 private:
  template <class Id>
  Id next();
  std::mt19937_64 random_;
};

}  // namespace wright::telemetry
