// From the arguments of the process to the command, and the outermost boundary for exceptions.
#include "app/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <concepts>
#include <csignal>
#include <exception>
#include <new>

#include "app/commands/commands.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/coding_settings.h"
#include "app/wiring/telemetry_wiring.h"

namespace wright::app {
namespace {

// Those whose sessions are traced.
template <class Command>
constexpr bool kDrivesSessions =
    std::same_as<Command, RunCommand> || std::same_as<Command, ChatCommand> ||
    std::same_as<Command, ResumeCommand> || std::same_as<Command, ServeCommand> ||
    std::same_as<Command, WorkerCommand>;

// What `wright` alone means where a person sits in front of it.
std::expected<Command, UsageError> chat_of_folder() {
  ChatCommand chat;
  chat.usual_agent = kCodingAgent;
  return chat;
}

}  // namespace

ExitCode run_program(std::span<const std::string> arguments, const Environment& environment) {
  // A reader that goes away shows as a failed write, which commands survive.
  std::signal(SIGPIPE, SIG_IGN);
  Console console(STDOUT_FILENO, STDERR_FILENO, environment);
  try {
    const bool is_for_person =
        standard_input_is_terminal() && console.output().is_terminal && console.error().is_terminal;
    const auto command =
        arguments.empty() && is_for_person ? chat_of_folder() : parse_command_line(arguments);
    if (!command) {
      console.complain(command.error().message, command.error().advice);
      return ExitCode::usage;
    }
    const ExitCode code = std::visit(
        [&]<class Command>(const Command& chosen) {
          const auto telemetry =
              kDrivesSessions<Command> ? make_telemetry(environment, console) : nullptr;
          return execute(chosen, CommandContext{console, environment, telemetry.get()});
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
