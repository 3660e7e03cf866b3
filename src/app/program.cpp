// From the arguments of the process to the command, and the outermost boundary for exceptions.
#include "app/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <new>

#include "app/commands/command.h"
#include "app/commands/confined.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/coding_settings.h"
#include "app/wiring/shared_paces.h"
#include "app/wiring/telemetry_wiring.h"

namespace wright::app {
namespace {

// What `wright` alone means where a person sits in front of it.
std::expected<Command, UsageError> chat_of_folder() {
  ChatCommand chat;
  chat.usual_agent = kCodingAgent;
  return chat;
}

// A descriptor of the three that is closed would become that of the next thing that is opened. One
// to write to stays one that cannot be written to.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDONLY);
  }
}

}  // namespace

ExitCode run_program(std::span<const std::string> arguments, const Environment& environment) {
  open_standard_streams();
  // A reader that goes away and a file that may not grow show as failed writes, which commands
  // survive. Caught, not ignored: the programs that are started get the usual signals back.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, [](int) {});
  if (!arguments.empty() && arguments.front() == kConfinedWord) {
    return static_cast<ExitCode>(run_confined(arguments.subspan(1), environment));
  }
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
    SharedPaces paces;
    auto telemetry = command->drives_sessions() ? make_telemetry(environment, console) : nullptr;
    const ExitCode code = command->run({console, environment, telemetry.get(), &paces});
    telemetry.reset();  // sends what is left
    return console.finish(code);
  } catch (const std::bad_alloc&) {
    console.note("wright: out of memory\n");
  } catch (const std::exception& error) {
    console.complain(fmt::format("internal error: {}", error.what()), "This is a bug in wright.");
  }
  return ExitCode::failed;
}

}  // namespace wright::app
