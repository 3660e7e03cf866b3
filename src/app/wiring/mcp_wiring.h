// From the MCP servers of the settings to connections, and to tools of agents.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "mcp_client/authorizer.h"
#include "mcp_client/connection.h"
#include "mcp_client/live_tools.h"
#include "mcp_client/server_tools.h"
#include "mcp_client/stdio_channel.h"
#include "wright/agent.h"

namespace wright::app {

// A connection that is made when it is first used. Refused where the settings cannot work.
Result<std::shared_ptr<mcp_client::Connection>> make_connection(const McpServer& server,
                                                                const Settings& settings,
                                                                const Environment& environment,
                                                                const Logger& logger = {});
// What is started for a server that is a program, and what it may see.
mcp_client::ServerProgram program_of(const McpServer& server, const Settings& settings,
                                     const Environment& environment);
// Where tokens for the server's address are kept, and come from.
std::shared_ptr<mcp_client::Authorizer> make_authorizer(const McpServer& server,
                                                        const Settings& settings,
                                                        const Environment& environment,
                                                        std::optional<mcp_client::Browser> browser);
mcp_client::ServerToolsOptions tools_options(const McpServer& server);
// What must not be shown of what is said about it.
std::vector<std::string> hidden_for(const McpServer& server);

// The servers of the settings, each connected once for all agents of a command.
class McpServers {
 public:
  // The token ends attempts to connect.
  McpServers(const Settings& settings, const Environment& environment, std::stop_token stop = {})
      : settings_(settings), environment_(environment), stop_(std::move(stop)) {}

  // Adds the tools of the servers that are for this agent, which come and go as the servers say
  // (Agent::tools_now). Says what it goes without, a sentence each.
  std::vector<std::string> add_tools(Agent& agent);
  // Those that are connected and for this agent.
  std::vector<std::shared_ptr<mcp_client::Connection>> connections(std::string_view agent) const;
  // The tools of those that are connected, whoever they are for.
  std::vector<std::shared_ptr<mcp_client::LiveTools>> live() const;
  // What the servers may ask; whoever finishes an agent says which model it has.
  const std::shared_ptr<mcp_client::SamplingModels>& models() const { return models_; }

 private:
  void connect(std::string_view agent);

  const Settings& settings_;
  const Environment& environment_;
  const std::stop_token stop_;
  std::shared_ptr<mcp_client::SamplingModels> models_ =
      std::make_shared<mcp_client::SamplingModels>();
  struct Known {
    std::shared_ptr<mcp_client::Connection> connection = {};
    std::shared_ptr<mcp_client::LiveTools> live = {};
    Result<mcp_client::ServerTools> tools = fail(ErrorCode::unavailable, "not connected");
  };
  std::map<std::string, Known, std::less<>> known_;
};

}  // namespace wright::app
