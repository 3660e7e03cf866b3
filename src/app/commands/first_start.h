// What a person is asked who starts a chat for the first time, and has chosen no model yet.
#pragma once

#include <optional>

#include "app/commands/command_line.h"
#include "app/settings/settings.h"
#include "app/terminal/command_context.h"
#include "wright/agent.h"

namespace wright::app {

struct ChatSettings {
  Settings settings;
  bool has_told_of_planner = false;  // in the question: once is enough
};

// The settings of a chat, or a complaint on standard error. Where somebody is at the terminal,
// nothing says which model is to be asked, and no session was ever kept here, they are asked
// whether they would choose one now, and do (`wright init`).
std::optional<ChatSettings> settings_of_chat(const ChatCommand& command, CommandContext context);

// Whoever has configured nothing has not chosen the planner.
void remark_on_planner(const Agent& agent, const Settings& settings, Console& console);

}  // namespace wright::app
