// The options of every command: one describe() each. A command that is new needs its struct
// (command_line.h), its options here and in one of run_options.cpp, session_options.cpp and
// setup_options.cpp, and a row in command_line.cpp.
#pragma once

#include <functional>
#include <string>

#include "app/commands/command_line.h"

namespace CLI {
class App;
}

namespace wright::app {

// Called when the whole line is read: what is wrong with it, or nothing. May be empty.
using LineCheck = std::function<std::string()>;

// Each tells CLI11 what may be said, and where it goes in `command`, which has to outlive `app`.
LineCheck describe(CLI::App& app, RunCommand& command);
LineCheck describe(CLI::App& app, ChatCommand& command);
LineCheck describe(CLI::App& app, ResumeCommand& command);
LineCheck describe(CLI::App& app, AnswerCommand& command);
LineCheck describe(CLI::App& app, WaitsCommand& command);
LineCheck describe(CLI::App& app, ListSessionsCommand& command);
LineCheck describe(CLI::App& app, ShowSessionCommand& command);
LineCheck describe(CLI::App& app, ExportSessionCommand& command);
LineCheck describe(CLI::App& app, ForkSessionCommand& command);
LineCheck describe(CLI::App& app, CancelSessionsCommand& command);
LineCheck describe(CLI::App& app, RemoveSessionsCommand& command);
LineCheck describe(CLI::App& app, PruneSessionsCommand& command);
LineCheck describe(CLI::App& app, WorkerCommand& command);
LineCheck describe(CLI::App& app, MigrateCommand& command);
LineCheck describe(CLI::App& app, FeedbackCommand& command);
LineCheck describe(CLI::App& app, StatsCommand& command);
LineCheck describe(CLI::App& app, ReplayCommand& command);
LineCheck describe(CLI::App& app, TestCommand& command);
LineCheck describe(CLI::App& app, ListAgentsCommand& command);
LineCheck describe(CLI::App& app, ShowAgentCommand& command);
LineCheck describe(CLI::App& app, NewAgentCommand& command);
LineCheck describe(CLI::App& app, TrustAgentCommand& command);
LineCheck describe(CLI::App& app, ListToolsCommand& command);
LineCheck describe(CLI::App& app, ShowToolCommand& command);
LineCheck describe(CLI::App& app, CallToolCommand& command);
LineCheck describe(CLI::App& app, ListMcpCommand& command);
LineCheck describe(CLI::App& app, ServeMcpCommand& command);
LineCheck describe(CLI::App& app, TestMcpCommand& command);
LineCheck describe(CLI::App& app, AddMcpCommand& command);
LineCheck describe(CLI::App& app, LoginMcpCommand& command);
LineCheck describe(CLI::App& app, LogoutMcpCommand& command);
LineCheck describe(CLI::App& app, RemoveMcpCommand& command);
LineCheck describe(CLI::App& app, ShowConfigCommand& command);
LineCheck describe(CLI::App& app, ConfigPathCommand& command);
LineCheck describe(CLI::App& app, InitConfigCommand& command);
LineCheck describe(CLI::App& app, ListModelsCommand& command);
LineCheck describe(CLI::App& app, ListBatchesCommand& command);
LineCheck describe(CLI::App& app, SubmitBatchCommand& command);
LineCheck describe(CLI::App& app, ShowBatchCommand& command);
LineCheck describe(CLI::App& app, BatchResultsCommand& command);
LineCheck describe(CLI::App& app, CancelBatchCommand& command);
LineCheck describe(CLI::App& app, DoctorCommand& command);
LineCheck describe(CLI::App& app, ServeCommand& command);
LineCheck describe(CLI::App& app, ListTokensCommand& command);
LineCheck describe(CLI::App& app, AddTokenCommand& command);
LineCheck describe(CLI::App& app, RemoveTokenCommand& command);
LineCheck describe(CLI::App& app, SessionChangesCommand& command);
LineCheck describe(CLI::App& app, UndoSessionCommand& command);
LineCheck describe(CLI::App& app, GetConfigCommand& command);
LineCheck describe(CLI::App& app, SetConfigCommand& command);
LineCheck describe(CLI::App& app, InitCommand& command);
LineCheck describe(CLI::App& app, AcpCommand& command);
LineCheck describe(CLI::App& app, TrustCommand& command);
LineCheck describe(CLI::App& app, CompletionsCommand& command);

}  // namespace wright::app
