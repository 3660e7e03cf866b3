// An agent that a command is about to run: chosen by name, checked, with the specialists below it.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/terminal/command_context.h"
#include "app/wiring/known_agents.h"
#include "wright/log.h"

namespace wright::mcp_client {
class Connection;
class LiveTools;
class SamplingModels;
}  // namespace wright::mcp_client

namespace wright::app {

struct FoundHooks;

// An agent as a stored session began with it, as far as its record tells.
struct AgentAtBeginning {
  std::string name = {};
  std::optional<std::string> model = {};  // its id
  std::optional<std::string> instructions = {};
  std::optional<std::vector<std::string>> tools = {};  // names, without the specialists
  std::optional<int> max_iterations = {};
  std::optional<int> max_tokens = {};
  std::optional<int> context_tokens = {};
  Sampling sampling = {};  // without max_tokens; counts where the tools are known
  std::vector<AgentAtBeginning> specialists = {};
};

struct ReadyAgent {
  ChosenAgent chosen;
  std::vector<ReadyAgent> specialists = {};
  // What a person should know before it runs, a sentence each: specialists that are left out, what
  // has changed since its session began.
  std::vector<std::string> notes = {};
  // What it and they tell while they build an index of code. Whoever shows progress sets it, and is
  // there only after the agent; null for specialists.
  std::shared_ptr<IndexListener> on_index = {};
  // The MCP servers that it has tools of, for what else they have.
  std::vector<std::shared_ptr<mcp_client::Connection>> servers = {};
  std::shared_ptr<mcp_client::SamplingModels> models = {};        // that they may ask; may be null
  std::vector<std::shared_ptr<mcp_client::LiveTools>> live = {};  // likewise, of those below, too
  // That stand around its calls and see what is said to it. Of agent_or_complain() never null;
  // elsewhere null: as they are when it is finished.
  std::shared_ptr<const FoundHooks> hooks = {};
};

// A session that goes on: what it began with, and what the command line says now, which counts.
struct GoingOn {
  AgentAtBeginning began;
  SettingFlags said_now;
};

// The agent of that name with everything it needs, or a complaint and the exit code. With
// `going_on` it has the model, the instructions and the numbers that the session began with, and
// the tools that it had then and has now. When it is to stop, it goes without the MCP servers that
// have not answered yet.
std::expected<ReadyAgent, ExitCode> agent_or_complain(
    const std::string& name, const Settings& settings, const SettingFlags& flags,
    CommandContext context, const std::optional<GoingOn>& going_on = std::nullopt,
    const std::stop_token& stop = {});

// The agent with its specialists and theirs. One that may not run is left out, and
// told of; a name that nobody has is refused.
Result<ReadyAgent> with_specialists(ChosenAgent chosen, const KnownAgents& agents);

class McpServers;
// The tools of MCP servers, for the agent and those below it. What they go without is a note.
void add_server_tools(ReadyAgent& ready, const Settings& settings, McpServers& servers);

using SetUp = std::function<void(Agent& agent, const OwnSettings& own)>;
// With its specialists as tools, each set up by `set_up`, which may be empty.
Agent assembled(ReadyAgent ready, const SetUp& set_up);
// What runs: set up by the settings, and each then by `then`, which may be empty.
Agent finished(ReadyAgent ready, const Settings& settings, const Logger& logger,
               const std::function<void(Agent& agent)>& then = {});

}  // namespace wright::app
