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
  Result<AgentPointer> of_session(const Session& session);

  const Settings& settings_;
  const CommandContext context_;
  const Logger logger_;
  const KnownAgents agents_;
  std::mutex mutex_;
  std::map<std::string, server::PreparedAgent, std::less<>> made_;
};

}  // namespace wright::app
