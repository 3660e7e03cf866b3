#include "server/caller_tools.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "core/sampling_json.h"
#include "core/try.h"

namespace wright::server {

// A caller that has gone for good does not leave a session behind that waits for ever.
constexpr std::chrono::hours kCallerTime{30 * 24};

Result<Agent> with_caller_tools(Agent agent, const std::vector<CallerTool>& tools) {
  const std::size_t own_tools = agent.tools.size();
  for (const CallerTool& each : tools) {
    if (const Tool* found = find_tool(agent.tools, each.name); found != nullptr) {
      const bool is_own = found < agent.tools.data() + own_tools;
      if (!is_own) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The tool '{}' is named twice: leave one of them out", each.name));
      }
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
                                  .shown = {{"tool", name}, {"arguments", to_text(arguments)}},
                                  .timeout = kCallerTime};
                 })));
    agent.tools.push_back(std::move(made));
  }
  return agent;
}

std::optional<HandedCall> handed_call(const WaitOfCall& wait, const Json& shown) {
  const JsonObject* object = shown.if_object();
  const Json* name = object == nullptr ? nullptr : object->if_contains("tool");
  const Json* arguments = object == nullptr ? nullptr : object->if_contains("arguments");
  const bool is_of_caller = wait.kind == to_string(WaitKind::result) && name != nullptr &&
                            name->is_string() && arguments != nullptr && arguments->is_string();
  if (!is_of_caller) return std::nullopt;
  return HandedCall{handed_call_id(wait.session_id, wait.wait_id), std::string(name->get_string()),
                    std::string(arguments->get_string())};
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
  std::vector<CallerTool> tools = conversation.tools;
  std::erase_if(tools, [&](const CallerTool& each) {  // those that tool_choice has put away
    return find_tool(agent.tools, each.name) == nullptr;
  });
  if (!tools.empty()) object[kCallerToolsKey] = caller_tools_json(tools);
  object.erase(kCallerInstructionsKey);
  if (!conversation.instructions.empty()) object[kCallerInstructionsKey] = agent.instructions;
  object.erase(kEndsAtCutKey);
  if (agent.limits.max_cuts == 0) object[kEndsAtCutKey] = true;
  // Under the names that sessions keep their agent's with.
  if (conversation.wishes.max_tokens || object.contains("max_tokens")) {
    object["max_tokens"] = agent.sampling.max_tokens;
  }
  for (const char* key :
       {"temperature", "top_p", "reasoning", "stop_sequences", "tool_choice", "response_format"}) {
    object.erase(key);
  }
  for (auto& [key, value] : sampling_json(agent.sampling)) object[key] = std::move(value);
}

namespace {

struct KeptWishes {
  std::vector<CallerTool> tools = {};
  const Json* instructions = nullptr;
  bool ends_at_cut = false;

  bool is_empty() const { return tools.empty() && instructions == nullptr && !ends_at_cut; }
};

KeptWishes kept_wishes(const Json& config) {
  const JsonObject* object = config.if_object();
  if (object == nullptr) return {};
  const Json* words = object->if_contains(kCallerInstructionsKey);
  return {.tools = caller_tools_of(config),
          .instructions = words != nullptr && words->is_string() ? words : nullptr,
          .ends_at_cut = object->contains(kEndsAtCutKey)};
}

}  // namespace

Result<Agent> with_wishes_of_caller(Agent agent, const Json& config) {
  const KeptWishes wishes = kept_wishes(config);
  for (const CallerTool& each : wishes.tools) {
    if (find_tool(agent.tools, each.name) == nullptr) continue;
    return fail(
        ErrorCode::unsupported,
        fmt::format("The caller of the session has a tool '{}', and {} has one of that name "
                    "now: it goes on where the agent has none",
                    each.name, agent.name));
  }
  auto wanted = TRY(with_caller_tools(std::move(agent), wishes.tools));
  if (wishes.instructions != nullptr) {
    wanted.instructions = std::string(wishes.instructions->get_string());
  }
  if (wishes.ends_at_cut) wanted.limits.max_cuts = 0;
  return wanted;
}

Result<AgentPointer> with_wishes_of_caller(AgentPointer agent, const Json& config) {
  if (kept_wishes(config).is_empty()) return agent;
  auto wanted = TRY(with_wishes_of_caller(*agent, config));
  return std::make_shared<const Agent>(std::move(wanted));
}

}  // namespace wright::server
