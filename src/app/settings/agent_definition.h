// An agent as a TOML file describes it. A plain value: which tools and models its words mean, and
// whether it may run, is decided elsewhere (agent_making.h, agent_files.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings/environment.h"
#include "wright/error.h"
#include "wright/interceptors.h"
#include "wright/json.h"
#include "wright/request.h"

namespace wright::app {

struct AgentDefinition {
  std::string name = {};  // canonical; unless the file says it, the name of the file
  std::string description = {};
  std::optional<std::string> model = {};
  std::string instructions = {};
  std::string domain = {};  // what it is about: for people and programs that list agents
  Json metadata = {};       // an object of [metadata]; null without
  std::map<std::string, bool, std::less<>> debug = {};  // of [debug], by the full name of the key
  std::vector<std::string> tools = {};
  std::vector<std::string> specialists = {};                // names of other agents
  std::vector<intercept::PermissionRule> permissions = {};  // in the order of the file
  std::optional<double> temperature = {};
  std::optional<double> top_p = {};
  std::optional<int> max_tokens = {};
  std::optional<ReasoningEffort> reasoning = {};
  std::optional<int> max_iterations = {};
  std::optional<int> context_tokens = {};
  bool is_enabled = true;
  bool is_primary = false;
};

// Where the text of a definition comes from.
struct DefinitionSource {
  std::filesystem::path path;  // for messages, the name, and what instructions_file is relative to
  const Environment& environment;
  std::span<const std::string> known_tools;
  // Below which folder instructions_file has to be; empty: anywhere.
  std::filesystem::path confined_to = {};
};

// A definition, and all bytes that it came from.
struct ReadDefinition {
  AgentDefinition definition;
  std::string content;
};

// The errors list everything that is wrong, a line each, in the order of the file:
// "reviewer.toml:7: temprature: unknown key; did you mean 'parameters.temperature'?".
Result<ReadDefinition> read_agent_definition(const DefinitionSource& source);
Result<ReadDefinition> parse_agent_definition(std::string_view toml,
                                              const DefinitionSource& source);

// "Code_Review" is "code-review"; "user-clarification" is "requirements-gathering".
std::string canonical_agent_name(std::string_view name);
// Why this cannot be the name of an agent; empty when it can.
std::string problem_with_agent_name(std::string_view name);

// A commented file to start from, which can be read as it is.
std::string agent_definition_template(std::string_view name, std::span<const std::string> tools);

}  // namespace wright::app
