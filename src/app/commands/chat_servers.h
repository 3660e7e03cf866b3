// The MCP servers of a chat's agent, beyond their tools: "@server:uri" in a message takes a
// resource along, "/server:prompt words" says one of its prompts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/chat_mentions.h"
#include "mcp_client/server_texts.h"

namespace wright::app {

class ChatServers {
 public:
  void use(std::vector<std::shared_ptr<mcp_client::Connection>> servers);

  // With the resources that the message mentions below it. Says, too, which of those that were
  // mentioned before have changed since.
  Mentions with_resources(Mentions mentions);

  // The prompt that the line names; absent where it names no server.
  std::optional<Result<std::string>> prompt_of(const std::string& line);

  // The lines that `typed` may become when its last word names a server. May ask it.
  std::vector<std::string> completions_of(std::string_view typed);

 private:
  struct Server {
    std::shared_ptr<mcp_client::Connection> connection;
    // Absent: not asked yet.
    std::optional<std::vector<mcp_client::ServerResource>> resources = {};
    std::optional<std::vector<mcp_client::ServerPrompt>> prompts = {};
  };

  Server* server_in(std::string_view name);
  const std::vector<mcp_client::ServerPrompt>& prompts_of(Server& server);
  const std::vector<mcp_client::ServerResource>& resources_of(Server& server);
  std::vector<std::string> uris_for(Server& server, std::string_view typed);
  std::vector<std::string> arguments_for(Server& server, std::string_view prompt,
                                         std::string_view typed);

  std::vector<Server> servers_;
};

}  // namespace wright::app
