// An agent that a command is about to run: chosen by name, checked, with the specialists below it.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/known_agents.h"
#include "wright/log.h"

namespace wright::app {

struct ReadyAgent {
  ChosenAgent chosen;
  std::vector<ReadyAgent> specialists = {};
};

// The agent of that name with everything it needs, or a complaint and the exit code.
std::expected<ReadyAgent, ExitCode> agent_or_complain(const std::string& name,
                                                      const Settings& settings,
                                                      const SettingFlags& flags,
                                                      Surroundings around);

// What runs: with the interceptors of the settings around every call, and with its specialists as
// tools.
Agent finished(ReadyAgent ready, const Settings& settings, const Logger& logger);

}  // namespace wright::app
