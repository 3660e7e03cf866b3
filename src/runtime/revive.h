// Makes a driver of a stored session, with drivers for the specialists below it.
#pragma once

#include <memory>

#include "runtime/session_driver.h"
#include "session/stored_run.h"

namespace wright::runtime {

struct Revival {
  SessionId id = 0;
  Settlements settlements = {};
  std::optional<Message> said = {};  // the user's next message to a session that has ended
};

// The driver is not set going. `plan.agent` is the session's agent, or the one that handed it over.
// The session is taken by the runner of `around` first; refused when it cannot be, or when it has
// ended and nothing was said.
Result<std::shared_ptr<SessionDriver>> revive(const Surroundings& around, SessionPlan plan,
                                              Store& store, const Revival& revival);

}  // namespace wright::runtime
