// From the arguments of the process to the command, and the outermost boundary for exceptions.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>

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

ExitCode run_program(std::span<const std::string> arguments, const Environment& environment) {
  // A reader that goes away shows as a failed write, which commands survive.
  std::signal(SIGPIPE, SIG_IGN);
  Console console(STDOUT_FILENO, STDERR_FILENO, environment);
  try {
    const auto command = parse_command_line(arguments);
    if (!command) {
      console.complain(command.error().message, command.error().advice);
      return ExitCode::usage;
    }
    const ExitCode code = std::visit(
        [&](const auto& chosen) {
          return execute(chosen, Surroundings{console, environment});
        },
        *command);
    return console.finish(code);
  } catch (const std::bad_alloc&) {
    console.note("wright: out of memory\n");
  } catch (const std::exception& error) {
    console.complain(fmt::format("internal error: {}", error.what()), "This is a bug in wright.");
  }
  return ExitCode::failed;
}

}  // namespace wright::app
