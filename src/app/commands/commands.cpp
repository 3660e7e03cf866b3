// What all commands share, and the one that only prints.
#include "app/commands/commands.h"

#include "app/commands/help.h"

namespace wright::app {

ExitCode execute(const PrintCommand& command, CommandContext context) {
  if (command.code == ExitCode::ok) {
    context.console.print_fitted(decorated_help(command.text, context.console.output()));
  } else {
    context.console.note(decorated_help(command.text, context.console.error()));
  }
  return command.code;
}

std::optional<Settings> settings_or_complain(const SettingFlags& flags, CommandContext context) {
  auto settings = load_settings(flags, context.environment);
  if (settings) {
    if (settings->flag(keys::kTerminalPlain)) context.console.speak_plainly();
    context.console.notify_by(settings->text(keys::kTerminalNotify));
    return std::move(*settings);
  }
  context.console.complain(settings.error().message, "See `wright help config`.");
  return std::nullopt;
}

}  // namespace wright::app
