// What the settings say about the tools fetch_url and web_search. Opens nothing.
#pragma once

#include <vector>

#include "app/settings/settings.h"
#include "wright/tool.h"

namespace wright::app {

// Those of the two that the settings turn on. The error names the key whose value is wrong.
Result<std::vector<Tool>> web_tools(const Settings& settings);

}  // namespace wright::app
