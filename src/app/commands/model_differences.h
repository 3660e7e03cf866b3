// `wright models --compare`: where the catalogue differs from what vendors say themselves.
#pragma once

#include <string>
#include <vector>

#include "app/commands/commands.h"

namespace wright::app {

// Asks each of the vendors and prints the differences. Fails when one of them does not answer, and
// when there is none to ask.
ExitCode compare_models(const Settings& settings, const std::vector<std::string>& vendors,
                        OutputFormat output, CommandContext context);

}  // namespace wright::app
