// What becomes of lines that were typed into a chat, whether its agent is here or at a server.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/commands/chat_commands.h"
#include "app/commands/help.h"
#include "app/settings/settings.h"
#include "app/terminal/command_context.h"

namespace wright::app {

// What the agent is told with the next message: what the person's shell printed since the last one.
class ToldNext {
 public:
  // Runs the line in the base folder of the settings, and complains where that fails. What the
  // settings know as secret is not told.
  ExitCode run(const ShellLine& shell, const Settings& settings, CommandContext context,
               const std::stop_token& stop);
  // The message, behind what is to be told. It is kept until forget(): a message may not arrive.
  Message before(Message said) const;
  void forget() { text_.clear(); }

 private:
  std::string text_;
};

// The message that a command of the person or the project stands for, where the line names one.
std::optional<ChatMessage> message_of_command(std::string_view line, const Settings& settings);

ExitCode complain_about(const BadCommand& bad, Console& console);

// A row of /tools: of the description, the first line.
HelpRow row_of_tool(std::string_view name, std::string_view description);
void show_tools(const std::vector<HelpRow>& rows, Console& console);

// Where there is a screen to wipe.
void wipe_screen(const Console& console);

}  // namespace wright::app
