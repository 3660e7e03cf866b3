// What `wright mcp serve` offers, by the settings and the command line. The default is what does no
// harm: tools that only read, and agents, whose own rules hold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "app/terminal/command_context.h"
#include "mcp_server/host.h"

namespace wright::app {

struct McpOffer {
  // Patterns of names; absent: all that only read.
  std::optional<std::vector<std::string>> tools = {};
  // Names; absent: all that can run.
  std::optional<std::vector<std::string>> agents = {};
  bool has_sessions = false;
};

// The store must outlive it; so must the settings and the environment.
Result<mcp_server::Offering> make_offering(const McpOffer& offer, const Settings& settings,
                                           CommandContext context, const Logger& logger,
                                           Store& store);

}  // namespace wright::app
