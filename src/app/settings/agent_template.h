// The file that `wright agents new` makes.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wright::app {

// A commented file to start from, which can be read as it is.
std::string agent_definition_template(std::string_view name, std::span<const std::string> tools);

}  // namespace wright::app
