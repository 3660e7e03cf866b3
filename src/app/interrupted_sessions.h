// Sessions that a crash has interrupted: finding them, and going on with them.
#pragma once

#include <vector>

#include "app/agent_run.h"

namespace wright::app {

// Those without a parent that were running when their process ended, oldest first.
Result<std::vector<Session>> interrupted_sessions(Store& store);

// Goes on with one session, with the settings it began with where `given` says nothing else.
ExitCode resume_session(const Session& session, const SettingFlags& given,
                        const Settlements& settlements, const AgentRunOptions& options,
                        Surroundings around);

// Goes on with all of them beside the command that was asked for: their answers are stored, and
// standard error tells of them. One that was taken up too often is left to the person.
void resume_interrupted(const Settings& settings, const RunCommand& command, Surroundings around);

}  // namespace wright::app
