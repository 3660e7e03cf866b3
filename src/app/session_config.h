// What is kept with a session so that its agent can be made again, and the way back: from a record
// to the settings and the agent of its replay.
#pragma once

#include <string>

#include "app/settings.h"
#include "wright/replay.h"

namespace wright::app {

// Of a session of `agent`, which begins now.
Json session_config(const Agent& agent, const Settings& settings);

// Without what holds on one machine only.
Json portable_config(const Json& config);

// Whether a record may say which folder and which database live tools read.
enum class RecordTrust : std::uint8_t {
  own,      // a session of our own store
  foreign,  // a file from anywhere
};

// The flags with what the session had, where they say nothing themselves.
SettingFlags flags_for_replay(SettingFlags flags, const RecordedSession& recorded, ToolSource tools,
                              RecordTrust trust);

struct AgentForReplay {
  Agent agent;
  bool is_from_record = false;  // nobody here knows the agent: the record tells what it can
};
// The agent of the record as it is now, with the interceptors of live tools. Refused when it is not
// known and tools shall be live, or lacks what they need.
Result<AgentForReplay> agent_for_replay(const RecordedSession& recorded, const Settings& settings,
                                        ToolSource tools);

}  // namespace wright::app
