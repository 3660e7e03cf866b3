// An agent as a TOML file describes it. A plain value: which tools and models its words mean is
// decided by whoever makes an agent of it (wright/agents.h, or the program).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agents/expansion.h"
#include "tools/tool_aliases.h"
#include "wright/agent.h"
#include "wright/interceptors.h"
#include "wright/json.h"
#include "wright/message.h"

namespace wright {

// What a file says in [tool_execution] and [debug], by the full name of the key.
using OwnValues = std::map<std::string, std::variant<bool, std::int64_t>, std::less<>>;

struct AgentDefinition {
  std::string name = {};  // canonical; unless the file says it, the name of the file
  std::string description = {};
  std::optional<std::string> model = {};
  std::string instructions = {};
  std::string domain = {};  // what it is about: for people and programs that list agents
  Json metadata = {};       // an object of [metadata]; null without
  OwnValues values = {};
  std::vector<std::string> tools = {};                      // their own names
  std::vector<std::string> specialists = {};                // names of other agents
  std::vector<std::string> labels = {};                     // that a worker must have
  std::vector<intercept::PermissionRule> permissions = {};  // in the order of the file
  std::optional<double> temperature = {};
  std::optional<double> top_p = {};
  std::optional<int> max_tokens = {};
  std::optional<ReasoningEffort> reasoning = {};
  std::vector<std::string> stop_sequences = {};
  ToolChoice tool_choice = {};
  ResponseFormat response_format = {};
  std::optional<std::vector<Json>> vendor_tools = {};  // as in Sampling
  std::optional<int> max_iterations = {};
  std::optional<int> context_tokens = {};
  bool is_enabled = true;
  bool is_primary = false;
};

// Where the text of a definition comes from.
struct DefinitionSource {
  std::filesystem::path path;  // for messages, the name, and what instructions_file is relative to
  const ExpansionValues& variables;
  std::span<const std::string> known_tools;
  std::span<const tools::ToolAlias> tool_aliases;  // other names that the file may use for them
  // Below which folder instructions_file has to be; empty: anywhere.
  std::filesystem::path confined_to = {};
  // Canonical names that `specialists` may have; absent: any.
  std::optional<std::span<const std::string>> known_specialists = {};
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

// The agent without its model, its tools, and what surrounds their calls.
Agent agent_without_tools(const AgentDefinition& definition);

// What the values say on top of `otherwise`.
ToolExecutionOptions tool_execution_from(const OwnValues& values,
                                         ToolExecutionOptions otherwise = {});
DebugOptions debug_from(const OwnValues& values, DebugOptions otherwise = {});

// "Code_Review" is "code-review"; "user-clarification" is "requirements-gathering".
std::string canonical_agent_name(std::string_view name);
// Why this cannot be the name of an agent; empty when it can.
std::string problem_with_agent_name(std::string_view name);

}  // namespace wright
