// The trace that a session belongs to, as it is kept in the session's config: whoever goes on with
// the session goes on in the same trace.
#pragma once

#include "wright/json.h"
#include "wright/message.h"

namespace wright::runtime {

TraceContext trace_in(const Json& config);
// No trace changes nothing.
Json with_trace(Json config, const TraceContext& trace);

}  // namespace wright::runtime
