// The agents that a server offers: made once from the settings, and those of stored sessions as
// they began. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "app/settings/settings.h"
#include "app/terminal/command_context.h"
#include "app/wiring/known_agents.h"
#include "app/wiring/mcp_wiring.h"
#include "server/service.h"
#include "wright/log.h"

namespace wright::app {

// Refers to its arguments, which must outlive it and its agents.
class ServedAgents {
 public:
  ServedAgents(const Settings& settings, const Models& models, CommandContext context,
               Logger logger);

  server::AgentSource source();

 private:
  Result<server::PreparedAgent> make(std::string_view name);
  Result<server::PreparedAgent> make_answering(std::string_view name, const Json& schema);
  Result<server::PreparedAgent> make_new(std::string_view name, const Json& schema);
  Result<AgentPointer> of_session(const Session& session);

  const Settings& settings_;
  const CommandContext context_;
  const Logger logger_;
  const KnownAgents agents_;
  std::mutex mutex_;
  McpServers servers_;
  std::map<std::string, server::PreparedAgent, std::less<>> prepared_;
};

}  // namespace wright::app
