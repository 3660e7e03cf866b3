// The tools of a server as ordinary tools: through the same pipeline as any other, checked against
// their schema, with the effect that their hints or the user say.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mcp_client/connection.h"
#include "mcp_client/remote_call.h"
#include "mcp_client/sampling.h"
#include "wright/tool.h"

namespace wright::mcp_client {

struct ServerToolsOptions {
  std::string name = {};                      // of the server; tools are called NAME__TOOL
  std::vector<std::string> patterns = {"*"};  // which of its tools, by their own names
  // What the user says of effects, by patterns; the first that fits counts. Else the hints do.
  std::vector<std::pair<std::string, Effect>> effects = {};
  std::chrono::milliseconds timeout{300'000};
  std::shared_ptr<SamplingModels> models = {};  // that it may ask; may be null
};

struct ServerTools {
  std::vector<Tool> tools = {};
  // Those that may destroy something, by their hints: all that write and do not say otherwise.
  std::unordered_set<std::string> destructive = {};
  std::vector<std::string> notes = {};  // what was left out, and why
};

// Connects and asks. The tools keep the connection.
Result<ServerTools> server_tools(const std::shared_ptr<Connection>& connection,
                                 const ServerToolsOptions& options,
                                 const std::stop_token& stop = {});

// Around every call of a tool that came with this definition (ToolSpec::definition): `run` makes
// it, and asks what it is given before it begins one anew. May be empty.
using AroundCall =
    std::function<Result<ToolReply>(const ToolSpec& spec, const Context& context,
                                    const std::function<Result<ToolReply>(const MayBegin&)>& run)>;

// The tools of what tools/list answered. Those of `before` that are the same are taken from there.
ServerTools tools_in(const JsonArray& listed, const std::shared_ptr<RemoteCalls>& calls,
                     const ServerToolsOptions& options, const AroundCall& around = {},
                     std::span<const Tool> before = {});

// Adds a tool that reads a resource by its URI, which others link to, where the server has
// resources and the user wants it (`read_resource`).
void add_resource_tool(const mcp::ServerView& server, const std::shared_ptr<RemoteCalls>& calls,
                       const ServerToolsOptions& options, ServerTools& made);

// What models may call it: letters, digits, _ and -, at most 64.
std::string tool_name(std::string_view server, std::string_view tool);

}  // namespace wright::mcp_client
