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
  // `ask_person` may be empty: then nobody can be asked what a server asks before it answers.
  void use(const std::vector<std::shared_ptr<mcp_client::Connection>>& servers,
           mcp_client::AskPerson ask_person);

  // With the resources below it that the person's own words mention. Says, too, which of those that
  // were mentioned before have changed since.
  Mentions with_resources(std::string_view typed, Mentions mentions);

  // The prompt that the line names, with its images; absent where it names no server.
  std::optional<Result<Output>> prompt_of(const std::string& line);

  // The lines that `typed` may become when its last word names a server. May ask it.
  std::vector<std::string> completions_of(std::string_view typed);

 private:
  struct Server {
    std::shared_ptr<mcp_client::Connection> connection;
    std::unique_ptr<mcp_client::RemoteCalls> calls = {};
    // Absent: not asked yet. Beside each the number of changes that it is younger than.
    std::optional<std::vector<mcp_client::ServerResource>> resources = {};
    std::uint64_t resources_version = 0;
    std::optional<std::vector<mcp_client::ServerPrompt>> prompts = {};
    std::uint64_t prompts_version = 0;
  };

  Server* server_in(std::string_view name);
  const std::vector<mcp_client::ServerPrompt>& prompts_of(Server& server);
  const std::vector<mcp_client::ServerResource>& resources_of(Server& server);
  std::vector<std::string> uris_for(Server& server, std::string_view typed);
  std::vector<std::string> arguments_for(Server& server, std::string_view prompt,
                                         std::string_view typed);

  std::vector<Server> servers_;
  mcp_client::AskPerson ask_person_;
};

}  // namespace wright::app
