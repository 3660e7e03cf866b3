// Debug mode of a session: its agent is observed while it runs, and what there is to say is stored
// and told at the end. The driver knows nothing of it but SessionPlan::conclude.
#pragma once

#include "runtime/session_driver.h"
#include "wright/feedback.h"

namespace wright::runtime {

// `store` may be null: then nothing is kept. What goes wrong with the feedback is noted in it, and
// never changes how the session ends.
SessionPlan in_debug_mode(SessionPlan plan, const DebugOptions& debug, Store* store);

}  // namespace wright::runtime
