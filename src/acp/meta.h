// `_meta`, which every message of the protocol may carry: of it, the keys that are reserved for
// traces (W3C Trace Context) are read and written. All others are nobody's business here.
#pragma once

#include "wright/json.h"
#include "wright/message.h"

namespace wright::acp {

// Where the request stands in a trace, as its sender says; what could be none is left out.
TraceContext trace_in(const JsonObject& params);

// No trace changes nothing.
void add_trace(JsonObject& params, const TraceContext& trace);

}  // namespace wright::acp
