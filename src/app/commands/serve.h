// What the commands about the server share.
#pragma once

#include <filesystem>

#include "app/commands/command_line.h"
#include "app/settings/environment.h"
#include "app/wiring/mcp_offering.h"

namespace wright::app {

// Where hashes of tokens are kept. Empty without a home folder.
std::filesystem::path tokens_file(const Environment& environment);

// What the flags of a command choose.
McpOffer offer_of(const OfferedOverMcp& offered);

}  // namespace wright::app
