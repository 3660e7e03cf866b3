// From a definition to an agent that can run.
#include "wright/agents.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/agent_definition.h"
#include "agents/call_options.h"
#include "core/try.h"
#include "tools/tool_aliases.h"
#include "wright/agent.h"

namespace wright {
namespace {

template <class Value, class Target>
void take(const OwnValues& values, std::string_view key, Target& target) {
  const auto found = values.find(key);
  if (found != values.end()) target = static_cast<Target>(std::get<Value>(found->second));
}

Result<Agent> agent_of(const AgentDefinition& definition, const AgentFileOptions& options,
                       const std::filesystem::path& file) {
  const auto refused = [&](ErrorCode code, std::string_view why) {
    return fail(code, to_valid_utf8(fmt::format("{}: {}", file.string(), why)));
  };
  if (!definition.is_enabled) {
    return refused(ErrorCode::permission_denied, "the agent is not enabled");
  }
  const std::string& id = definition.model ? *definition.model : options.default_model;
  if (id.empty()) {
    return refused(ErrorCode::invalid_argument, "model: the file names none, and nobody else does");
  }
  if (!options.find_model) {
    return refused(
        ErrorCode::invalid_argument,
        fmt::format("nobody knows the model {}: AgentFileOptions has no find_model", id));
  }
  Agent agent = agent_without_tools(definition);
  agent.model = options.find_model(id);
  for (const std::string& name : definition.tools) {
    if (const Tool* tool = find_tool(options.tools, name)) agent.tools.push_back(*tool);
  }
  for (const std::string& name : definition.specialists) {
    const std::string wanted = canonical_agent_name(name);
    const auto found = std::ranges::find_if(options.specialists, [&](const Agent& each) {
      return canonical_agent_name(each.name) == wanted;
    });
    if (found != options.specialists.end()) agent.tools.push_back(delegate_to(*found));
  }
  CallOptions calls{.execution = tool_execution_from(definition.values),
                    .logger = options.logger,
                    .redactor = options.redactor};
  if (!definition.permissions.empty()) calls.permissions.push_back(definition.permissions);
  set_up_calls(agent, calls);
  if (agent.debug) agent.debug->logger = options.logger;
  if (auto checked = check(agent); !checked) {
    return refused(checked.error().code, checked.error().message);
  }
  return agent;
}

// What a file may name.
struct KnownNames {
  explicit KnownNames(const AgentFileOptions& options) {
    for (const Tool& tool : options.tools) {
      tools.push_back(tool.spec.name);
      for (const std::string& alias : tool.spec.aliases) aliases.push_back({alias, tool.spec.name});
    }
    for (const Agent& agent : options.specialists) {
      specialists.push_back(canonical_agent_name(agent.name));
    }
  }
  DefinitionSource source(const AgentFileOptions& options,
                          const std::filesystem::path& file) const {
    return {.path = file,
            .variables = options.variables,
            .known_tools = tools,
            .tool_aliases = aliases,
            .confined_to = options.instructions_below,
            .known_specialists = specialists};
  }

  std::vector<std::string> tools;
  std::vector<tools::ToolAlias> aliases;  // of the options' tools
  std::vector<std::string> specialists;
};

}  // namespace

ToolExecutionOptions tool_execution_from(const OwnValues& values, ToolExecutionOptions otherwise) {
  take<bool>(values, "tool_execution.enable_validation", otherwise.enable_validation);
  take<bool>(values, "tool_execution.enable_logging", otherwise.enable_logging);
  take<bool>(values, "tool_execution.enable_metadata", otherwise.enable_metadata);
  take<bool>(values, "tool_execution.log_arguments", otherwise.log_arguments);
  std::size_t characters = otherwise.truncate_logs.value_or(0);
  take<std::int64_t>(values, "tool_execution.truncate_logs", characters);
  otherwise.truncate_logs.reset();  // 0 in a file: all of them
  if (characters > 0) otherwise.truncate_logs = characters;
  return otherwise;
}

DebugOptions debug_from(const OwnValues& values, DebugOptions otherwise) {
  ToolFeedbackOptions& feedback = otherwise.tool_feedback;
  take<bool>(values, "debug.enabled", otherwise.enabled);
  take<bool>(values, "debug.verbose_logging", otherwise.verbose_logging);
  take<bool>(values, "debug.track_performance", otherwise.track_performance);
  take<bool>(values, "debug.tool_feedback.enabled", feedback.enabled);
  take<bool>(values, "debug.tool_feedback.include_reasoning", feedback.include_reasoning);
  take<bool>(values, "debug.tool_feedback.include_limitations", feedback.include_limitations);
  take<bool>(values, "debug.tool_feedback.include_suggestions", feedback.include_suggestions);
  take<bool>(values, "debug.tool_feedback.include_alternatives", feedback.include_alternatives);
  return otherwise;
}

Agent agent_without_tools(const AgentDefinition& definition) {
  Agent agent;
  agent.name = definition.name;
  agent.description = definition.description;
  agent.instructions = definition.instructions;
  agent.domain = definition.domain;
  agent.metadata = definition.metadata;
  agent.labels = definition.labels;
  const bool has_debug = std::ranges::any_of(
      definition.values, [](const auto& each) { return each.first.starts_with("debug."); });
  if (has_debug) agent.debug = debug_from(definition.values);
  agent.sampling.temperature = definition.temperature;
  agent.sampling.top_p = definition.top_p;
  agent.sampling.reasoning = definition.reasoning;
  agent.sampling.stop_sequences = definition.stop_sequences;
  agent.sampling.tool_choice = definition.tool_choice;
  agent.sampling.response_format = definition.response_format;
  if (definition.vendor_tools) agent.sampling.vendor_tools = *definition.vendor_tools;
  if (definition.max_tokens) agent.sampling.max_tokens = *definition.max_tokens;
  if (definition.max_iterations) agent.limits.max_iterations = *definition.max_iterations;
  if (definition.context_tokens != 0) agent.context_tokens = definition.context_tokens;
  return agent;
}

Result<Agent> load_agent(const std::filesystem::path& file, const AgentFileOptions& options) {
  const KnownNames known(options);
  const auto read = TRY(read_agent_definition(known.source(options, file)));
  return agent_of(read.definition, options, file);
}

Result<Agent> agent_from_toml(std::string_view toml, const AgentFileOptions& options,
                              const std::filesystem::path& file) {
  const KnownNames known(options);
  const auto read = TRY(parse_agent_definition(toml, known.source(options, file)));
  return agent_of(read.definition, options, file);
}

}  // namespace wright
