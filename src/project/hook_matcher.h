// Which tools a hook is about: names with `|` between them and `*` and `?` in them. Letter case
// does not count, `.*` is `*`, and the names that other coding agents give such tools are known, so
// that a hook written for one of them is not silently about nothing.
#pragma once

#include <string_view>

#include "wright/error.h"

namespace wright::project {

// Refuses what is no such list: other regular expressions, rules with arguments.
Result<void> check_matcher(std::string_view matcher);

// A blank one is about every tool.
bool is_about_tool(std::string_view matcher, std::string_view tool);

}  // namespace wright::project
