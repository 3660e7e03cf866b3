#include "server/caller_tools.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "core/try.h"

namespace wright::server {

Result<Agent> with_caller_tools(Agent agent, const std::vector<CallerTool>& tools) {
  for (const CallerTool& each : tools) {
    if (find_tool(agent.tools, each.name) != nullptr) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} has a tool '{}' of its own: name yours otherwise", agent.name,
                              each.name));
    }
    ToolSpec spec{.name = each.name, .description = each.description};
    if (each.parameters.is_object()) spec.parameters = each.parameters;
    spec.options.effect = Effect::read;  // nothing happens here
    spec.options.timeout.reset();
    auto made =
        TRY(tool(std::move(spec),
                 ToolFunction([name = each.name](const Json& arguments,
                                                 const Context& context) -> Result<ToolReply> {
                   if (context.answers.answer) {
                     return Output{.value = *context.answers.answer};
                   }
                   return Waiting{.kind = WaitKind::result,
                                  .shown = {{"tool", name}, {"arguments", to_text(arguments)}}};
                 })));
    agent.tools.push_back(std::move(made));
  }
  return agent;
}

Json caller_tools_json(const std::vector<CallerTool>& tools) {
  JsonArray list;
  for (const CallerTool& each : tools) {
    list.push_back(
        {{"name", each.name}, {"description", each.description}, {"parameters", each.parameters}});
  }
  return list;
}

std::vector<CallerTool> caller_tools_of(const Json& config) {
  std::vector<CallerTool> tools;
  const JsonObject* object = config.if_object();
  const Json* list = object == nullptr ? nullptr : object->if_contains(kCallerToolsKey);
  if (list == nullptr || !list->is_array()) return tools;
  for (const Json& each : list->get_array()) {
    const JsonObject* spec = each.if_object();
    if (spec == nullptr) continue;
    const Json* name = spec->if_contains("name");
    const Json* description = spec->if_contains("description");
    const Json* parameters = spec->if_contains("parameters");
    if (name == nullptr || !name->is_string()) continue;
    CallerTool tool{.name = std::string(name->get_string())};
    if (description != nullptr && description->is_string()) {
      tool.description = std::string(description->get_string());
    }
    if (parameters != nullptr) tool.parameters = *parameters;
    tools.push_back(std::move(tool));
  }
  return tools;
}

void keep_wishes(Json& config, const Conversation& conversation, const Agent& agent) {
  if (!config.is_object()) config.emplace_object();
  JsonObject& object = config.get_object();
  object.erase(kCallerToolsKey);
  if (!conversation.tools.empty()) {
    object[kCallerToolsKey] = caller_tools_json(conversation.tools);
  }
  // Under the names that sessions keep their agent's with.
  if (conversation.max_tokens || object.contains("max_tokens")) {
    object["max_tokens"] = agent.sampling.max_tokens;
  }
  object.erase("temperature");
  if (agent.sampling.temperature) object["temperature"] = *agent.sampling.temperature;
}

Result<AgentPointer> with_caller_tools_of(AgentPointer agent, const Json& config) {
  const std::vector<CallerTool> tools = caller_tools_of(config);
  const JsonObject* object = config.if_object();
  const Json* words = object == nullptr ? nullptr : object->if_contains(kCallerInstructionsKey);
  const bool has_words = words != nullptr && words->is_string();
  if (tools.empty() && !has_words) return agent;
  auto wanted = TRY(with_caller_tools(*agent, tools));
  if (has_words) wanted.instructions = std::string(words->get_string());
  return std::make_shared<const Agent>(std::move(wanted));
}

}  // namespace wright::server
