// Where the log goes: standard error or a file, as the settings say.
#pragma once

#include <functional>
#include <string_view>

#include "app/settings.h"
#include "wright/log.h"

namespace wright::app {

// `write` puts a line on standard error; it is used when no file is named. Refuses unknown levels
// and formats, and a file that cannot be opened.
Result<Logger> make_logger(const Settings& settings, std::function<void(std::string_view)> write);

}  // namespace wright::app
