// The trace that a request belongs to: taken from its headers, kept with the session
// (runtime/stored_trace.h), and told to whoever records traces when the session begins.
#pragma once

#include "server/service.h"
#include "wright/driver.h"

namespace wright::server {

// Of its headers; what could be none is left out.
TraceContext trace_of(const http::Request& request);

// No trace changes nothing.
void take_trace(const ServiceOptions& service, const TraceContext& trace, RunOptions& options);

}  // namespace wright::server
