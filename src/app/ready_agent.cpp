#include "app/ready_agent.h"

#include <algorithm>

#include "app/debug_wiring.h"
#include "app/model_wiring.h"
#include "app/tool_execution.h"
#include "app/wiring.h"
#include "wright/specialist.h"

namespace wright::app {
namespace {

// A name that means no model is a slip of the hand; a key that is missing is a run that fails.
std::optional<Error> problem_with_model(const std::string& id, const Models& models) {
  if (id == "offline" || id == "offline:planner") return std::nullopt;
  const auto endpoint = models.endpoint(id);
  if (endpoint || endpoint.error().code == ErrorCode::authentication) return std::nullopt;
  return endpoint.error();
}

// With its specialists and theirs. One that is at work above could not be called: it is left out.
Result<ReadyAgent> with_specialists(ChosenAgent chosen, const KnownAgents& agents,
                                    std::vector<std::string> above) {
  // A specialist that cannot run is better known now than in the middle of the work.
  auto specialists = agents.specialists_of(chosen);
  if (!specialists) return std::unexpected(std::move(specialists).error());
  above.push_back(chosen.agent.name);
  ReadyAgent ready{.chosen = std::move(chosen)};
  const auto most = static_cast<std::size_t>(ready.chosen.agent.limits.max_depth);
  for (ChosenAgent& specialist : *specialists) {
    const bool is_above = std::ranges::find(above, specialist.agent.name) != above.end();
    if (is_above || above.size() > most) continue;
    auto below = with_specialists(std::move(specialist), agents, above);
    if (!below) return below;
    ready.specialists.push_back(std::move(*below));
  }
  return ready;
}

}  // namespace

std::expected<ReadyAgent, ExitCode> agent_or_complain(const std::string& name,
                                                      const Settings& settings,
                                                      const SettingFlags& flags,
                                                      Surroundings around) {
  const auto models = make_models(settings, flags, around.environment);
  if (!models) {
    around.console.complain(models.error().message, "See `wright help models`.");
    return std::unexpected(ExitCode::usage);
  }
  make_output_folder(settings);
  const auto on_index = std::make_shared<IndexListener>();
  const KnownAgents agents(settings, *models, around.environment,
                           [on_index](const IndexProgress& index) {
                             if (*on_index) (*on_index)(index);
                           });
  auto chosen = agents.choose(name);
  if (chosen) {
    if (const auto error = problem_with_model(chosen->model, *models)) {
      around.console.complain(error->message);
      return std::unexpected(ExitCode::usage);
    }
  }
  auto ready = chosen ? with_specialists(std::move(*chosen), agents, {})
                      : Result<ReadyAgent>(std::unexpected(std::move(chosen).error()));
  if (!ready) {
    around.console.complain(ready.error().message,
                            "`wright agents` lists the agents, `wright config` the settings.");
    return std::unexpected(ExitCode::usage);
  }
  if (const auto needs = check_needs(name, settings); !needs) {
    around.console.complain(needs.error().message);
    return std::unexpected(ExitCode::usage);
  }
  ready->on_index = on_index;
  return std::move(*ready);
}

Agent finished(ReadyAgent ready, const Settings& settings, const Logger& logger) {
  Agent agent = std::move(ready.chosen.agent);
  set_up_calls(agent, settings, logger, std::move(ready.chosen.permissions));
  if (agent.debug) {
    agent.debug = debug_of(agent, settings, std::nullopt);
    agent.debug->logger = logger;
  }
  for (ReadyAgent& specialist : ready.specialists) {
    agent.tools.push_back(delegate_to(finished(std::move(specialist), settings, logger)));
  }
  return agent;
}

}  // namespace wright::app
