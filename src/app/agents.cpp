// `wright agents`: who there is, and with which tools.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "app/commands.h"
#include "app/model_wiring.h"
#include "app/screen_text.h"
#include "app/transcript.h"
#include "app/wiring.h"

namespace wright::app {
namespace {

std::vector<std::string> tool_names(const Agent& agent) {
  std::vector<std::string> names;
  for (const Tool& tool : agent.tools) names.push_back(tool.spec.name);
  return names;
}

Json agent_json(std::string_view name, const Result<Agent>& agent) {
  if (!agent) return {{"name", name}, {"error", agent.error().message}};
  JsonArray tools;
  for (const std::string& tool : tool_names(*agent)) tools.emplace_back(tool);
  return {{"name", name},
          {"description", agent->description},
          {"model", model_label(agent->model.provider(), agent->model.name())},
          {"max_iterations", agent->limits.max_iterations},
          {"tools", std::move(tools)}};
}

std::string agent_text(std::string_view name, const Result<Agent>& agent,
                       const Terminal& terminal) {
  std::string text = painted(name, Colour::bold, terminal) + "\n";
  if (!agent)
    return text + fmt::format("  {}\n", painted(agent.error().message, Colour::red, terminal));
  const auto fact = [&](std::string_view label, std::string_view value) {
    text += fmt::format("  {}  {}\n", painted(padded(label, 5), Colour::dim, terminal), value);
  };
  const std::string description = on_one_line(agent->description);
  text += indented(fitted_prose(description, 2, terminal), 2) + "\n";
  fact("tools", fmt::format("{}", fmt::join(tool_names(*agent), ", ")));
  fact("model", model_label(agent->model.provider(), agent->model.name()));
  fact("turns", fmt::format("at most {}", agent->limits.max_iterations));
  return text;
}

}  // namespace

ExitCode execute(const ListAgentsCommand& command, Surroundings around) {
  const auto settings = settings_or_complain(command.settings, around);
  if (!settings) return ExitCode::usage;
  const auto models = make_models(*settings, command.settings, around.environment);
  if (!models) {
    around.console.complain(models.error().message, "See `wright help models`.");
    return ExitCode::usage;
  }
  JsonArray array;
  std::string text;
  for (const std::string_view name : agent_names()) {
    const auto agent = make_agent(name, *settings, models->get(settings->model()));
    array.push_back(agent_json(name, agent));
    if (!text.empty()) text += '\n';
    text += agent_text(name, agent, around.console.output());
  }
  around.console.print(command.output == OutputFormat::json ? to_pretty_text(array) + "\n" : text);
  return ExitCode::ok;
}

}  // namespace wright::app
