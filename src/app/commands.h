// What each command does. One file a command; they print through the console and return the exit
// code.
#pragma once

#include "app/command_line.h"
#include "app/console.h"
#include "app/environment.h"

namespace wright::app {

// What a command may use beside its arguments.
struct Surroundings {
  Console& console;
  const Environment& environment;
};

ExitCode execute(const PrintCommand& command, Surroundings around);
ExitCode execute(const RunCommand& command, Surroundings around);
ExitCode execute(const ChatCommand& command, Surroundings around);
ExitCode execute(const ResumeCommand& command, Surroundings around);
ExitCode execute(const AnswerCommand& command, Surroundings around);
ExitCode execute(const WaitsCommand& command, Surroundings around);
ExitCode execute(const ListSessionsCommand& command, Surroundings around);
ExitCode execute(const ShowSessionCommand& command, Surroundings around);
ExitCode execute(const ExportSessionCommand& command, Surroundings around);
ExitCode execute(const ForkSessionCommand& command, Surroundings around);
ExitCode execute(const RemoveSessionsCommand& command, Surroundings around);
ExitCode execute(const PruneSessionsCommand& command, Surroundings around);
ExitCode execute(const ReplayCommand& command, Surroundings around);
ExitCode execute(const TestCommand& command, Surroundings around);
ExitCode execute(const FeedbackCommand& command, Surroundings around);
ExitCode execute(const StatsCommand& command, Surroundings around);
ExitCode execute(const ListAgentsCommand& command, Surroundings around);
ExitCode execute(const ShowAgentCommand& command, Surroundings around);
ExitCode execute(const NewAgentCommand& command, Surroundings around);
ExitCode execute(const TrustAgentCommand& command, Surroundings around);
ExitCode execute(const ListToolsCommand& command, Surroundings around);
ExitCode execute(const ShowToolCommand& command, Surroundings around);
ExitCode execute(const CallToolCommand& command, Surroundings around);
ExitCode execute(const ShowConfigCommand& command, Surroundings around);
ExitCode execute(const ConfigPathCommand& command, Surroundings around);
ExitCode execute(const InitConfigCommand& command, Surroundings around);
ExitCode execute(const ListModelsCommand& command, Surroundings around);
ExitCode execute(const DoctorCommand& command, Surroundings around);

// The settings for a command, or a complaint on standard error.
std::optional<Settings> settings_or_complain(const SettingFlags& flags, Surroundings around);

// Parses the arguments, runs the command, and gives the exit code of the process.
ExitCode run_program(std::span<const std::string> arguments, const Environment& environment);

}  // namespace wright::app
