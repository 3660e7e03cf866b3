// What every call of an agent goes through, by the section [tool_execution] of the settings.
#pragma once

#include <string_view>
#include <vector>

#include "app/settings.h"
#include "wright/interceptors.h"

namespace wright::app {

// Outermost first. State such as a cache lives as long as the list and its copies.
std::vector<Interceptor> make_interceptors(std::string_view agent, const Settings& settings,
                                           const Logger& logger);

}  // namespace wright::app
