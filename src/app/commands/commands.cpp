// What all commands share, and the one that only prints.
#include "app/commands/commands.h"

#include "app/commands/help.h"

namespace wright::app {

ExitCode execute(const PrintCommand& command, Surroundings around) {
  if (command.code == ExitCode::ok) {
    around.console.print_fitted(decorated_help(command.text, around.console.output()));
  } else {
    around.console.note(decorated_help(command.text, around.console.error()));
  }
  return command.code;
}

std::optional<Settings> settings_or_complain(const SettingFlags& flags, Surroundings around) {
  auto settings = load_settings(flags, around.environment);
  if (settings) return std::move(*settings);
  around.console.complain(settings.error().message, "See `wright help config`.");
  return std::nullopt;
}

}  // namespace wright::app
