// Agents of TOML files; docs/agents.md has the format. Prints nothing, reads no environment, and
// opens no file but the one that is named and the instructions that it names.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "wright/agent.h"
#include "wright/log.h"

namespace wright {

// What a file cannot bring itself.
struct AgentFileOptions {
  // Makes the model of an id: `wright::model`, or Models::get() with keys and retries.
  std::function<Model(std::string_view id)> find_model = {};
  std::string default_model = {};                                  // for a file that names none
  std::vector<Tool> tools = {};                                    // those that the file may name
  std::vector<Agent> specialists = {};                             // likewise
  std::map<std::string, std::string, std::less<>> variables = {};  // for ${NAME} in its strings
  // Below which folder its instructions_file has to be; empty: anywhere.
  std::filesystem::path instructions_below = {};
  Logger logger = {};  // told of calls, as [tool_execution] says
  Redactor redactor =
      Redactor(std::vector<std::string>{});  // of what is logged, and of what tools answer
};

// An agent that can run. The error lists everything that is wrong, a line each:
// "reviewer.toml:7: temprature: unknown key; did you mean 'parameters.temperature'?". An agent that
// is not enabled is refused with ErrorCode::permission_denied.
Result<Agent> load_agent(const std::filesystem::path& file, const AgentFileOptions& options);

// The same of a text. `file` is for messages, for the name of an agent whose text has none, and for
// what instructions_file is relative to.
Result<Agent> agent_from_toml(std::string_view toml, const AgentFileOptions& options,
                              const std::filesystem::path& file = "agent.toml");

}  // namespace wright
