// What the settings say about the tool bash: its rules and its sandbox. Runs nothing.
#pragma once

#include "app/settings/settings.h"
#include "wright/tools.h"

namespace wright::app {

// The error names the key whose value is wrong.
Result<BashOptions> bash_options(const Settings& settings);

}  // namespace wright::app
