// Shows a page in the browser of whoever sits in front of this machine.
#pragma once

#include <string>

#include "app/settings/environment.h"

namespace wright::app {

// Whether there is a screen to show it on.
bool has_screen(const Environment& environment);

// Begins to, and waits for nobody: false when the desktop's program for it cannot be started.
bool open_in_browser(const std::string& url);

}  // namespace wright::app
