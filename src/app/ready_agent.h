// An agent that a command is about to run: chosen by name, checked, with the specialists below it.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/known_agents.h"
#include "wright/log.h"

namespace wright::app {

struct ReadyAgent {
  ChosenAgent chosen;
  std::vector<ReadyAgent> specialists = {};
  // What it and they tell while they build an index of code. Whoever shows progress sets it, and is
  // there only after the agent; null for specialists.
  std::shared_ptr<IndexListener> on_index = {};
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
