// What every call of an agent goes through, by the section [tool_execution] of the settings.
#pragma once

#include <vector>

#include "app/settings/settings.h"
#include "wright/interceptors.h"

namespace wright::app {

// Sets the agent's interceptors, how it checks arguments, how long its tools may take, and where
// long results are kept. `own_rules` are those of the agent's file; where they and the settings
// differ, the stricter counts.
void set_up_calls(Agent& agent, const Settings& settings, const Logger& logger,
                  std::vector<intercept::PermissionRule> own_rules = {});

}  // namespace wright::app
