// The agents that stand in TOML files: a person's own, below the configuration folder, and those of
// the project, in .wright/agents below the base folder. A file that cannot be read is listed with
// what is wrong with it, and keeps no other from being read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent_definition.h"
#include "app/settings/environment.h"
#include "app/settings/settings.h"

namespace wright::app {

enum class AgentOrigin : std::uint8_t {
  user,
  project,  // runs only when it is trusted; see agent_trust.h
};

struct AgentFile {
  std::filesystem::path path;
  AgentOrigin origin = AgentOrigin::user;
  std::string name;
  Result<AgentDefinition> definition;
  std::string content;   // all that has to stay as it is to be trusted
  std::string obstacle;  // why it does not run; empty when it may
};

// Sorted by origin, then by name. `shipped` are names that no file may take.
std::vector<AgentFile> find_agent_files(const Settings& settings, const Environment& environment,
                                        std::span<const std::string> known_tools,
                                        std::span<const std::string_view> shipped);

}  // namespace wright::app
