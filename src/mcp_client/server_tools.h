// The tools of a server as ordinary tools: through the same pipeline as any other, checked against
// their schema, with the effect that their hints or the user say.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mcp_client/connection.h"
#include "wright/tool.h"

namespace wright::mcp_client {

struct ServerToolsOptions {
  std::string name = {};                      // of the server; tools are called NAME__TOOL
  std::vector<std::string> patterns = {"*"};  // which of its tools, by their own names
  // What the user says of effects, by patterns; the first that fits counts. Else the hints do.
  std::vector<std::pair<std::string, Effect>> effects = {};
  std::chrono::milliseconds timeout{300'000};
};

struct ServerTools {
  std::vector<Tool> tools = {};
  std::vector<std::string> notes = {};  // what was left out, and why
};

// Connects and asks. The tools keep the connection.
Result<ServerTools> server_tools(const std::shared_ptr<Connection>& connection,
                                 const ServerToolsOptions& options,
                                 const std::stop_token& stop = {});

// What models may call it: letters, digits, _ and -, at most 64.
std::string tool_name(std::string_view server, std::string_view tool);

}  // namespace wright::mcp_client
