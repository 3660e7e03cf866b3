// Where a command stands in a trace, for programs that know of traces: the variables that
// OpenTelemetry's tools read.
#pragma once

#include "wright/message.h"
#include "wright/sandbox.h"

namespace wright {

inline void add_to(Variables& environment, const TraceContext& trace) {
  if (!trace.is_set()) return;
  environment.insert_or_assign("TRACEPARENT", trace.parent);
  if (!trace.state.empty()) environment.insert_or_assign("TRACESTATE", trace.state);
}

}  // namespace wright
