// The trace that a request belongs to: taken from its headers, kept with the session, and told to
// whoever records traces when the session begins.
#pragma once

#include "server/service.h"
#include "wright/driver.h"

namespace wright::server {

// Kept in the session's config.
TraceContext trace_in(const Json& config);
Json with_trace(Json config, const TraceContext& trace);

// Of its headers; what could be none is left out.
TraceContext trace_of(const http::Request& request);

// No trace changes nothing.
void take_trace(const ServiceOptions& service, TraceContext trace, RunOptions& options);

}  // namespace wright::server
