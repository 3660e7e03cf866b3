// `${VAR}` and `${VAR:-default}` inside the strings of a TOML file.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright {

using ExpansionValues = std::map<std::string, std::string, std::less<>>;

// As in a shell, the default also stands in for a variable that is set to nothing. `$${` is a
// literal `${`. A variable that is not set and has no default, or a brace that never closes, is an
// error. A default may refer to variables, too: `${A:-${B:-c}}`. Values are inserted as they are and
// not expanded again.
Result<std::string> expand(std::string_view text, const ExpansionValues& variables);

}  // namespace wright
