#include "mcp_server/prompts.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace wright::mcp_server {
namespace {

JsonObject prompt_json(const OfferedAgent& agent) {
  return {{"name", agent.tool},
          {"description", fmt::format("Give a task to this agent. {}", agent.description)},
          {"arguments",
           JsonArray{JsonObject{
               {"name", "task"}, {"description", "What the agent is to do"}, {"required", true}}}}};
}

}  // namespace

mcp::WorkOutcome list_prompts(const std::vector<OfferedAgent>& agents) {
  JsonArray list;
  for (const OfferedAgent& agent : agents) list.emplace_back(prompt_json(agent));
  return mcp::Finished{{{"prompts", std::move(list)}}};
}

mcp::WorkOutcome get_prompt(const std::vector<OfferedAgent>& agents, const JsonObject& params) {
  const std::string name = mcp::text_in(params, "name");
  const auto agent = std::ranges::find(agents, name, &OfferedAgent::tool);
  if (agent == agents.end()) {
    return mcp::Problem{mcp::code::kInvalidParams, "there is no such prompt"};
  }
  const JsonObject* arguments = mcp::object_in(params, "arguments");
  const std::string task = arguments != nullptr ? mcp::text_in(*arguments, "task") : "";
  if (task.empty()) return mcp::Problem{mcp::code::kInvalidParams, "the argument task is missing"};
  const std::string text = fmt::format(
      "Call the tool {} with this prompt, and tell me what it answers:\n\n{}", agent->tool, task);
  return mcp::Finished{
      {{"messages",
        JsonArray{JsonObject{{"role", "user"},
                             {"content", JsonObject{{"type", "text"}, {"text", text}}}}}}}};
}

}  // namespace wright::mcp_server
