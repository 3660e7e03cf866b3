// The sessions that clients begin here, in the traces of the requests that began them.
#pragma once

#include <functional>

#include "runtime/stored_trace.h"
#include "wright/driver.h"
#include "wright/events.h"
#include "wright/store.h"

namespace wright::mcp_server {

// Who records traces. Both empty: nobody; then what clients say is passed on all the same.
struct SessionTracing {
  FindTrace find = {};
  // Before a session begins, or goes on: whose it is.
  runtime::AdoptTrace adopt = {};
};

// The run stands below `asked_by`, which may be none, and that is kept with the session.
void stand_below(const TraceContext& asked_by, const SessionTracing& tracing, RunOptions& options);

}  // namespace wright::mcp_server
