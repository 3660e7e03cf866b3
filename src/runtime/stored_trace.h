// The trace that a session belongs to, as it is kept in the session's config: whoever goes on with
// the session goes on in the same trace.
#pragma once

#include <functional>

#include "wright/driver.h"
#include "wright/json.h"
#include "wright/message.h"

namespace wright::runtime {

TraceContext trace_in(const Json& config);
// No trace changes nothing.
Json with_trace(Json config, const TraceContext& trace);

// A session that is started with these options belongs to the trace, and whoever follows traces is
// told when it begins. `adopt` may be empty.
using AdoptTrace = std::function<void(SessionId, const TraceContext&)>;
void start_in_trace(const TraceContext& trace, const AdoptTrace& adopt, RunOptions& options);

}  // namespace wright::runtime
