// The configuration file: TOML with the keys of config_keys.h. Knows nothing of flags or of what
// the values are for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/settings/config_keys.h"
#include "app/settings/environment.h"
#include "app/settings/mcp_servers.h"
#include "wright/error.h"
#include "wright/interceptors.h"
#include "wright/sandbox.h"

namespace wright::app {

struct ConfigValue {
  std::variant<std::string, bool, std::int64_t> value;
  int line = 0;
  bool is_expanded = false;  // something in it came from the environment
};

struct ConfigFile {
  std::filesystem::path path;
  // By full name: "agent.model", "agents.codebase-analysis.tool_execution.log_arguments".
  std::map<std::string, ConfigValue, std::less<>> values;
  std::vector<intercept::PermissionRule> permissions;  // in the order of the file
  std::string catalogue_rows;                          // the whole text, where it has any
  std::vector<CommandRule> command_rules;              // of [bash.rules], likewise
  std::vector<McpServer> mcp_servers;                  // of [mcp.servers.NAME]

  // Whether a key stands in the file itself, and not only as a ${VAR}.
  bool holds_secrets() const;
};

// Reads and checks the whole file. The error lists everything that is wrong, a line each, in the
// order of the file: "config.toml:7: agent.modle: unknown key; did you mean 'agent.model'?".
Result<ConfigFile> read_config(const std::filesystem::path& path, const Environment& environment);
Result<ConfigFile> parse_config(std::string_view toml, const std::filesystem::path& path,
                                const Environment& environment);

// A complete file of comments, for a person to fill in.
std::string config_template();

}  // namespace wright::app
