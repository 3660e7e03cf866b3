// From the MCP servers of the settings to connections, and to tools of agents.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "mcp_client/connection.h"
#include "mcp_client/server_tools.h"
#include "wright/agent.h"

namespace wright::app {

// A connection that is made when it is first used. Refused where the settings cannot work.
Result<std::shared_ptr<mcp_client::Connection>> make_connection(const McpServer& server,
                                                                const Settings& settings,
                                                                const Environment& environment,
                                                                const Logger& logger = {});
mcp_client::ServerToolsOptions tools_options(const McpServer& server);
// What must not be shown of what is said about it.
std::vector<std::string> hidden_for(const McpServer& server);

// The servers of the settings, each connected once for all agents of a command.
class McpServers {
 public:
  McpServers(const Settings& settings, const Environment& environment)
      : settings_(settings), environment_(environment) {}

  // Adds the tools of the servers that are for this agent. Says what it goes without, a sentence
  // each.
  std::vector<std::string> add_tools(Agent& agent);

 private:
  void connect(std::string_view agent);

  const Settings& settings_;
  const Environment& environment_;
  std::map<std::string, Result<mcp_client::ServerTools>, std::less<>> known_;
};

}  // namespace wright::app
