// Where the log goes: standard error or a file, as the settings say.
#pragma once

#include <functional>
#include <string_view>

#include "app/settings/settings.h"
#include "wright/log.h"

namespace wright::app {

// `write` puts a line on standard error; it is used when no file is named. `otherwise` is the level
// when nothing sets one. Refuses unknown levels and formats, and a file that cannot be opened.
Result<Logger> make_logger(const Settings& settings, std::function<void(std::string_view)> write,
                           LogLevel otherwise = LogLevel::off);

}  // namespace wright::app
