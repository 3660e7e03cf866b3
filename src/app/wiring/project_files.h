// What a person and a project have for agents beside settings: skills, slash commands and hooks.
// Those of a project that do something count only when they are trusted (`wright trust`).
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "project/command_files.h"
#include "project/hooks.h"
#include "project/skills.h"
#include "wright/agent.h"
#include "wright/session.h"

namespace wright::app {

project::FoundSkills skills_for(const Settings& settings);
project::FoundCommands commands_for(const Settings& settings);

struct FoundHooks {
  std::shared_ptr<const project::Hooks> hooks = {};  // those that count; never null
  std::vector<std::string> notes = {};               // for the person, a sentence each
  // A file that counts and cannot be read: until it is mended, nothing is said to agents, and they
  // only read.
  std::string broken = {};
  // Of vendors and MCP servers: nobody else is to see them, and no store to keep them.
  std::vector<std::string> keys = {};

  // What a person says, as the hooks have it (Hooks::submitted), without the keys; refused where
  // the hooks are broken.
  Result<Message> submitted(Message message, SessionId session_id,
                            const std::stop_token& stop) const;
};
// What a person says, with [REDACTED] where it holds one of the keys.
Message without_keys(Message said, const std::vector<std::string>& keys);
std::string without_keys(std::string said, const std::vector<std::string>& keys);
// Every string in it, names too.
Json without_keys(Json said, const std::vector<std::string>& keys);

// As they are now, without keys. A session has those that were there when it was begun or taken up:
// a hook whose files change later fails, and does not vanish.
FoundHooks hooks_for(const Settings& settings);
// What hooks run, of the person and of the project: no tool may change these files.
std::vector<std::filesystem::path> hook_files(const Settings& settings);

// Gives the agent the skills: what it is told of them, and the tool that reads them. Notes for the
// person come back.
std::vector<std::string> add_skills(Agent& agent, const project::FoundSkills& found);

// Puts the hooks around all calls of the agent, outermost.
void add_hooks(Agent& agent, const FoundHooks& found);

// What came with the base folder and nobody has agreed to yet, or has changed since.
struct Untrusted {
  std::filesystem::path path = {};
  std::string content = {};  // all of it
  std::string shown = {};    // for the person who decides
};
// Fails where that cannot be said: the record cannot be read, or there is too much.
Result<std::vector<Untrusted>> untrusted_files(const Settings& settings);
Result<void> trust(const Settings& settings, const std::vector<Untrusted>& files);

}  // namespace wright::app
