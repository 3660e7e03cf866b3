// Debug mode of a session and of those below it: their agents are observed while they run, and what
// there is to say about each is stored and told at its end. The driver knows nothing of it but
// SessionPlan::conclude and SessionPlan::below.
#pragma once

#include "runtime/session_driver.h"
#include "wright/feedback.h"

namespace wright::runtime {

// Observes the session where `query` says so, or else its agent's own options. A specialist that
// says nothing of its own is observed like the session above it. `store` may be null: then nothing
// is kept. What goes wrong with the feedback is noted in it, and never changes how a session ends.
SessionPlan in_debug_mode_if_wanted(SessionPlan plan, std::optional<bool> query, Store* store);

}  // namespace wright::runtime
