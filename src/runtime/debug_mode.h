// Debug mode of a session and of those below it: their agents are observed while they run, and what
// there is to say about each is stored with its end. The machine knows nothing of it but
// SessionPlan::conclude and SessionPlan::below.
#pragma once

#include <optional>

#include "session/session_machine.h"
#include "wright/feedback.h"

namespace wright::runtime {

// Observes the session where `query` says so, or else its agent's own options. A specialist that
// says nothing of its own is observed like the session above it.
session::SessionPlan in_debug_mode_if_wanted(session::SessionPlan plan, std::optional<bool> query);

}  // namespace wright::runtime
