// What a session began with: the model, what was said about settings, the tools and the
// instructions. It is kept with the session, and the session goes on with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "app/wiring/ready_agent.h"
#include "wright/session.h"

namespace wright::app {

// What is kept with a session of `agent` that begins now.
Json session_config(const ReadyAgent& agent, const Settings& settings);

// The same when the session goes on with another model.
Json config_with_model(Json config, const std::string& model);

// Without what holds on one machine only.
Json portable_config(const Json& config);

// Whether its agents had tools that change files. Absent where the record does not tell.
std::optional<bool> might_write(const Json& config);

// Binds the agent to answers that fit the schema: this one, or that of a session's beginning.
void demand_answers(Agent& agent, Json schema);
void demand_answers_as_then(Agent& agent, const Json& config);

// Whom the conversation began with; it may have been handed off since.
std::string first_agent_of(const Session& session);

// The folder that its tools read; empty where the record does not tell.
std::filesystem::path folder_of(const Session& session);
// The same for a session that would begin now.
std::filesystem::path folder_of(const Settings& settings);

// The agent as far as the record tells.
AgentAtBeginning agent_at_beginning(const Session& session);

// The flags with what was said when the session began, where they say nothing themselves.
// `found_in` are the settings that the session was found with: it goes on in the same store.
SettingFlags flags_as_begun(const Json& config, SettingFlags given, const Settings& found_in);
// The same without anything but the folder and the database.
SettingFlags flags_for_folder(const Json& config, SettingFlags given, const Settings& found_in);

}  // namespace wright::app
