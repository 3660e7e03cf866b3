// Sessions that a crash has interrupted: finding them, and going on with them.
#pragma once

#include <vector>

#include "app/commands/agent_run.h"

namespace wright::app {

// Oldest first.
struct InterruptedSessions {
  std::vector<Session> sessions;
  std::vector<Session> damaged;  // that nobody can go on with; see SessionFilter::keeps_damaged
};
// Those without a parent that nobody drives and somebody should: their process has ended while they
// ran, or what they waited for is there. See SessionFilter::needs_driver.
Result<InterruptedSessions> interrupted_sessions(Store& store);
// Whether it is none of them any more: others have gone on with it, or cancelled it. False where
// the store cannot be read: whoever goes on with it is told why.
bool was_taken(Store& store, SessionId id);

struct GoOnWith {
  SettingFlags said_now;
  const Settings& found_in;  // what the session was found with
  Taking taking = Taking::as_begun;
};
struct Resumed {
  ExitCode code = ExitCode::ok;
  bool was_stopped = false;  // by a signal: the person wants no more of them either
};
// Goes on with one session.
Resumed resume_session(const Session& session, const GoOnWith& with,
                        const Settlements& settlements, const AgentRunOptions& options,
                        CommandContext context);

// Goes on with those of this folder beside the command that was asked for: their answers are
// stored, and standard error tells of them, and of those of other folders. One that was taken up
// too often is left to the person, and so is the command's own: its end has been told.
void resume_interrupted(const Settings& settings, const RunCommand& command, SessionId own,
                        CommandContext context);

}  // namespace wright::app
