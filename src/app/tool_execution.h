// What every call of an agent goes through, by the section [tool_execution] of the settings.
#pragma once

#include <string_view>
#include <vector>

#include "app/settings.h"
#include "wright/interceptors.h"

namespace wright::app {

// Outermost first. State such as a cache lives as long as the list and its copies.
// `own_rules` are those of the agent's file; where they and the settings differ, the stricter
// counts.
std::vector<Interceptor> make_interceptors(std::string_view agent, const Settings& settings,
                                           const Logger& logger,
                                           std::vector<intercept::PermissionRule> own_rules = {});

}  // namespace wright::app
