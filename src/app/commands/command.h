// Whichever command was typed, with what it does.
#pragma once

#include <any>
#include <concepts>
#include <expected>
#include <span>
#include <string>
#include <utility>

#include "app/commands/commands.h"

namespace wright::app {

// Those whose sessions are traced.
template <class C>
inline constexpr bool kDrivesSessions =
    std::same_as<C, RunCommand> || std::same_as<C, ChatCommand> || std::same_as<C, ResumeCommand> ||
    std::same_as<C, ServeCommand> || std::same_as<C, WorkerCommand> || std::same_as<C, AcpCommand>;

// One of the structs of command_line.h. A variant of all of them takes compilers longer than
// everything else in their files.
class Command {
 public:
  template <class C>
  requires(!std::same_as<C, Command>) && requires(const C& typed, CommandContext context) {
    { execute(typed, context) } -> std::same_as<ExitCode>;
  }
  Command(C typed)  // NOLINT(google-explicit-constructor): every struct is a command
      : typed_(std::move(typed)), execute_(execute_as<C>), drives_sessions_(kDrivesSessions<C>) {}

  // Null: it is another one.
  template <class C>
  const C* get_if() const {
    return std::any_cast<C>(&typed_);
  }
  bool drives_sessions() const { return drives_sessions_; }
  ExitCode run(CommandContext context) const { return execute_(typed_, context); }

 private:
  template <class C>
  static ExitCode execute_as(const std::any& typed, CommandContext context) {
    return execute(*std::any_cast<C>(&typed), context);
  }

  std::any typed_;
  ExitCode (*execute_)(const std::any& typed, CommandContext context);
  bool drives_sessions_;
};

struct UsageError {
  std::string message;
  std::string advice;
};

// `arguments` are those after the program's name.
std::expected<Command, UsageError> parse_command_line(std::span<const std::string> arguments);

}  // namespace wright::app
