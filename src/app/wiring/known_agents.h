// Every agent that can be named: the shipped ones and those of files. From a name to an agent that
// is ready to run, or to the reason why not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/settings/agent_files.h"
#include "app/settings/settings.h"
#include "app/wiring/shipped.h"
#include "wright/agent.h"
#include "wright/interceptors.h"
#include "wright/models.h"

namespace wright::app {

// Whose the sessions are that hold the calls of clients over MCP. No agent has this name.
inline constexpr std::string_view kMcpCaller = "wright mcp serve";

bool is_shipped(std::string_view name);

// Whom to talk with when nobody is named: the primary one of the files, if it may run.
std::string default_agent(const Settings& settings, const Environment& environment,
                          std::string otherwise = "codebase-analysis");

// What the agent's own file says about its calls.
struct OwnSettings {
  // They come on top of those of the settings, so the stricter counts.
  std::vector<intercept::PermissionRule> permissions = {};
  OwnValues values = {};
};

struct ChosenAgent {
  Agent agent;
  std::string model;  // its id
  OwnSettings own = {};
  std::vector<std::string> specialists = {};  // names
  std::vector<std::string> notes = {};        // what a person should know before it runs
};

// Refers to the settings and the models, which must outlive it.
class KnownAgents {
 public:
  // `on_index` is told while an agent builds an index of code; may be empty.
  KnownAgents(const Settings& settings, const Models& models, const Environment& environment,
              IndexListener on_index = {});

  const std::vector<AgentFile>& files() const { return files_; }
  // Null for shipped agents and unknown names.
  const AgentFile* find_file(std::string_view name) const;
  std::vector<std::string> names() const;

  // Refuses an unknown name with the nearest known one, and an agent that may not run.
  Result<ChosenAgent> choose(std::string_view name) const;

  // What a definition describes, whether it may run or not.
  Result<ChosenAgent> make(const AgentDefinition& definition) const;

 private:
  Result<std::vector<Tool>> tools_for(const AgentDefinition& definition) const;

  const Settings& settings_;
  const Models& models_;
  const IndexListener on_index_;
  std::vector<AgentFile> files_;
};

}  // namespace wright::app
