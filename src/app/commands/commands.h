// What each command does. One file a command; they print through the console and return the exit
// code.
#pragma once

#include "app/commands/command_line.h"
#include "app/terminal/command_context.h"

namespace wright::app {

ExitCode execute(const PrintCommand& command, CommandContext context);
ExitCode execute(const RunCommand& command, CommandContext context);
ExitCode execute(const ChatCommand& command, CommandContext context);
ExitCode execute(const ResumeCommand& command, CommandContext context);
ExitCode execute(const AnswerCommand& command, CommandContext context);
ExitCode execute(const WaitsCommand& command, CommandContext context);
ExitCode execute(const WorkerCommand& command, CommandContext context);
ExitCode execute(const MigrateCommand& command, CommandContext context);
ExitCode execute(const ListSessionsCommand& command, CommandContext context);
ExitCode execute(const ShowSessionCommand& command, CommandContext context);
ExitCode execute(const ExportSessionCommand& command, CommandContext context);
ExitCode execute(const ForkSessionCommand& command, CommandContext context);
ExitCode execute(const CancelSessionsCommand& command, CommandContext context);
ExitCode execute(const RemoveSessionsCommand& command, CommandContext context);
ExitCode execute(const PruneSessionsCommand& command, CommandContext context);
ExitCode execute(const ReplayCommand& command, CommandContext context);
ExitCode execute(const TestCommand& command, CommandContext context);
ExitCode execute(const FeedbackCommand& command, CommandContext context);
ExitCode execute(const StatsCommand& command, CommandContext context);
ExitCode execute(const ListAgentsCommand& command, CommandContext context);
ExitCode execute(const ShowAgentCommand& command, CommandContext context);
ExitCode execute(const NewAgentCommand& command, CommandContext context);
ExitCode execute(const TrustAgentCommand& command, CommandContext context);
ExitCode execute(const ListToolsCommand& command, CommandContext context);
ExitCode execute(const ShowToolCommand& command, CommandContext context);
ExitCode execute(const CallToolCommand& command, CommandContext context);
ExitCode execute(const ListMcpCommand& command, CommandContext context);
ExitCode execute(const ServeMcpCommand& command, CommandContext context);
ExitCode execute(const TestMcpCommand& command, CommandContext context);
ExitCode execute(const AddMcpCommand& command, CommandContext context);
ExitCode execute(const LoginMcpCommand& command, CommandContext context);
ExitCode execute(const LogoutMcpCommand& command, CommandContext context);
ExitCode execute(const RemoveMcpCommand& command, CommandContext context);
ExitCode execute(const ShowConfigCommand& command, CommandContext context);
ExitCode execute(const ConfigPathCommand& command, CommandContext context);
ExitCode execute(const InitConfigCommand& command, CommandContext context);
ExitCode execute(const ListModelsCommand& command, CommandContext context);
ExitCode execute(const ListBatchesCommand& command, CommandContext context);
ExitCode execute(const SubmitBatchCommand& command, CommandContext context);
ExitCode execute(const ShowBatchCommand& command, CommandContext context);
ExitCode execute(const BatchResultsCommand& command, CommandContext context);
ExitCode execute(const CancelBatchCommand& command, CommandContext context);
ExitCode execute(const DoctorCommand& command, CommandContext context);
ExitCode execute(const ServeCommand& command, CommandContext context);
ExitCode execute(const ListTokensCommand& command, CommandContext context);
ExitCode execute(const AddTokenCommand& command, CommandContext context);
ExitCode execute(const RemoveTokenCommand& command, CommandContext context);
ExitCode execute(const SessionChangesCommand& command, CommandContext context);
ExitCode execute(const UndoSessionCommand& command, CommandContext context);
ExitCode execute(const GetConfigCommand& command, CommandContext context);
ExitCode execute(const SetConfigCommand& command, CommandContext context);
ExitCode execute(const InitCommand& command, CommandContext context);
ExitCode execute(const AcpCommand& command, CommandContext context);
ExitCode execute(const TrustCommand& command, CommandContext context);
ExitCode execute(const CompletionsCommand& command, CommandContext context);

// The settings for a command, or a complaint on standard error.
std::optional<Settings> settings_or_complain(const SettingFlags& flags, CommandContext context);

}  // namespace wright::app
