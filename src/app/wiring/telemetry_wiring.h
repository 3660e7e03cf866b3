// Traces of what a command drives: made from the environment, and tied to runs and sessions.
#pragma once

#include <memory>

#include "app/settings/environment.h"
#include "app/terminal/console.h"
#include "telemetry/telemetry.h"
#include "wright/driver.h"

namespace wright::app {

// Null where the environment asks for none. What it cannot follow is said.
std::unique_ptr<telemetry::Telemetry> make_telemetry(const Environment& environment,
                                                     Console& console);

// These take a null for one that is off.

// The observer of the options, and traces beside it.
void trace_with(telemetry::Telemetry* telemetry, RunOptions& options);
// The same for a run that somebody asked for who stands in a trace, which may be none: the run is
// part of it, and it is kept with the session.
void trace_as_asked(telemetry::Telemetry* telemetry, const TraceContext& asked_by,
                    RunOptions& options);
// For finished(): how the agent's model is asked is recorded, and where content is wanted, what it
// reads.
std::function<void(Agent& agent)> tell_content(telemetry::Telemetry* telemetry);

Logger traced(telemetry::Telemetry* telemetry, const Logger& logger);
// A stored session goes on in the trace that it was begun in.
void adopt_trace(telemetry::Telemetry* telemetry, const Session& session);

// What is kept with a session that begins now: who has started this process, if that is known.
Json config_with_trace(Json config, const Environment& environment);

}  // namespace wright::app
