// From a record to the settings and the agent of its replay.
#pragma once

#include <string>

#include "app/settings/settings.h"
#include "app/terminal/command_context.h"
#include "wright/replay.h"

namespace wright::app {

// Whether a record may say which folder and which database live tools read.
enum class RecordTrust : std::uint8_t {
  own,      // a session of our own store
  foreign,  // a file from anywhere
};

// The flags with what the session had, where they say nothing themselves. Of our own sessions that
// is all that was said when they began.
SettingFlags flags_for_replay(const Settings& given, const RecordedSession& recorded,
                              ToolSource tools, RecordTrust trust);

struct AgentForReplay {
  Agent agent;
  bool is_from_record = false;  // nobody here knows the agent: the record tells what it can
};
// The agent of the record as it is now, shipped or of a file, with its specialists, and with the
// interceptors of live tools. Refused when it is not known and tools are to be live, or lacks what
// they need.
Result<AgentForReplay> agent_for_replay(const RecordedSession& recorded, const Settings& settings,
                                        ToolSource tools, const Environment& environment);

}  // namespace wright::app
