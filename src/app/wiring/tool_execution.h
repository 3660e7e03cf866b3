// What every call of an agent goes through, by the section [tool_execution] of the settings.
#pragma once

#include "app/settings/settings.h"
#include "app/wiring/known_agents.h"
#include "wright/interceptors.h"

namespace wright::app {

// Sets the agent's interceptors, how it checks arguments, how long its tools may take, and where
// long results are kept. `own` is what the agent's file says.
void set_up_calls(Agent& agent, const Settings& settings, const Logger& logger,
                  const OwnSettings& own = {});

}  // namespace wright::app
