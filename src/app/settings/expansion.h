// `${VAR}` and `${VAR:-default}` inside the strings of a configuration file.
#pragma once

#include <string>
#include <string_view>

#include "app/settings/environment.h"
#include "wright/error.h"

namespace wright::app {

// As in a shell, the default also stands in for a variable that is set to nothing. `$${` is a
// literal `${`. A variable that is not set and has no default, or a brace that never closes, is an
// error. Values are inserted as they are and not expanded again.
Result<std::string> expand(std::string_view text, const Environment& environment);

}  // namespace wright::app
