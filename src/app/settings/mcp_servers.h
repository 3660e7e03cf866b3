// The MCP servers that the configuration names:
//
//   [mcp.servers.files]
//   command = "npx"
//   args = ["-y", "@modelcontextprotocol/server-filesystem", "."]
//
//   [mcp.servers.docs]
//   url = "https://example.com/mcp"
//   headers = { Authorization = "Bearer ${DOCS_TOKEN}" }
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/settings/environment.h"
#include "wright/sandbox.h"
#include "wright/tool.h"

namespace toml {
inline namespace v3 {
class table;
}
}  // namespace toml

namespace wright {
class TomlProblems;
}

namespace wright::app {

enum class McpRevisions : std::uint8_t { automatic, legacy, modern };

// For servers that want to know who uses them; `wright mcp login` asks.
struct McpOAuth {
  std::string client_id = {};  // that was registered by hand; empty: as the server allows
  std::string client_secret = {};
  std::string client_metadata_url = {};  // an address that describes this program
  std::string scope = {};                // empty: what the server asks for
  int redirect_port = 0;                 // of this machine, for the browser; 0: any
};

struct McpServer {
  std::string name = {};
  std::vector<std::string> command = {};  // the program first; empty where there is a url
  Variables environment = {};
  std::string working_directory = {};  // empty: the base folder
  std::string url = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  McpOAuth oauth = {};
  std::vector<std::string> agents = {};  // empty: all
  std::vector<std::string> tools = {"*"};
  std::vector<std::pair<std::string, Effect>> effects = {};
  std::chrono::milliseconds timeout{300'000};
  std::chrono::milliseconds time_to_start{30'000};
  SandboxMode sandbox = SandboxMode::off;
  NetworkAccess network = NetworkAccess::off;  // in the sandbox
  McpRevisions revisions = McpRevisions::automatic;
  bool is_enabled = true;
  // As it stands in the configuration, for people: variables are not expanded, and a password in
  // the address is hidden.
  std::string shown = {};
  std::vector<std::string> shown_command = {};  // word by word; empty where there is a url
  // What is secret in it: tokens in headers and addresses, and variables with names like
  // API_TOKEN.
  std::vector<std::string> secrets = {};
  // The values of all variables in it but those that everybody has, such as HOME, and tokens that
  // are too simple to be looked for elsewhere. For what is said about the server itself.
  std::vector<std::string> expanded = {};

  bool is_for(std::string_view agent) const;
  // Its secrets that cannot be ordinary words: what people say is without them.
  std::vector<std::string> unmistakable_secrets() const;
};

// Adds what its address, headers and variables have that is secret to McpServer::secrets.
void note_secrets(McpServer& server);

// Those below [mcp]. What is wrong is reported.
std::vector<McpServer> mcp_servers_in(const toml::table& mcp, const Environment& environment,
                                      TomlProblems& problems);

// Letters, digits and -: what a tool's name may begin with.
bool is_server_name(std::string_view name);

}  // namespace wright::app
