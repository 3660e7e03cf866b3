// What the commands about the server share.
#pragma once

#include "app/commands/command_line.h"
#include "app/wiring/mcp_offering.h"

namespace wright::app {

// What the flags of a command choose.
McpOffer offer_of(const OfferedOverMcp& offered);

}  // namespace wright::app
