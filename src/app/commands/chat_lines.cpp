#include "app/commands/chat_lines.h"

#include <unistd.h>

#include <utility>

#include "app/commands/chat_programs.h"
#include "app/settings/file_output.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/project_files.h"
#include "app/wiring/stored_session.h"

namespace wright::app {

ExitCode ToldNext::run(const ShellLine& shell, const Settings& settings, CommandContext context,
                       const std::stop_token& stop) {
  const auto told =
      run_shell_line(shell.line, settings.base_path(), context, settings.redactor(), stop);
  if (!told) return app::complain_about(told.error(), context.console);
  text_ += *told + "\n";
  return ExitCode::ok;
}

Message ToldNext::before(Message said) const {
  if (!text_.empty()) said.parts.emplace(said.parts.begin(), Text{text_});
  return said;
}

std::optional<ChatMessage> message_of_command(std::string_view line, const Settings& settings) {
  const auto typed = typed_command(line);
  if (!typed) return std::nullopt;
  for (const auto& command : commands_for(settings).commands) {
    if (command.name == typed->word) {
      return ChatMessage{project::expanded(command, typed->argument), std::string(typed->argument)};
    }
  }
  return std::nullopt;
}

ExitCode complain_about(const BadCommand& bad, Console& console) {
  console.complain(bad.complaint);
  return ExitCode::usage;
}

HelpRow row_of_tool(std::string_view name, std::string_view description) {
  return {"Tools", on_one_line(name), on_one_line(description.substr(0, description.find('\n')))};
}

void show_tools(const std::vector<HelpRow>& rows, Console& console) {
  console.print_fitted(rows.empty() ? "  The agent has no tools.\n" : help_table(rows));
}

void wipe_screen(const Console& console) {
  if (!console.error().has_cursor) return;
  write_all(STDERR_FILENO, "\x1b[H\x1b[2J\x1b[3J");  // the console would show it
}

}  // namespace wright::app
