#include "app/wiring/mcp_offering.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/wiring/coding_settings.h"
#include "app/wiring/known_agents.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/project_files.h"
#include "app/wiring/ready_agent.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/shipped.h"
#include "app/wiring/telemetry_wiring.h"
#include "app/wiring/tool_execution.h"
#include "core/try.h"
#include "interceptors/glob.h"
#include "tools/tool_aliases.h"

namespace wright::app {
namespace {

// The client has a person of its own; it needs no tool to ask them.
constexpr std::string_view kAskUser = "ask_user";

Result<std::vector<Tool>> offered_tools(const McpOffer& offer, const Settings& settings) {
  auto offered = TRY(make_tools(settings));
  const auto is_offered = [&](const Tool& tool) {
    if (!offer.tools) {
      return tool.spec.options.effect == Effect::read && tool.spec.name != kAskUser;
    }
    return std::ranges::any_of(*offer.tools, [&](const std::string& pattern) {
      return intercept::matches_glob(tools::own_tool_name(pattern), tool.spec.name);
    });
  };
  for (const std::string& pattern : offer.tools.value_or(std::vector<std::string>{})) {
    const std::string_view own = tools::own_tool_name(pattern);
    const bool fits = std::ranges::any_of(
        offered, [&](const Tool& tool) { return intercept::matches_glob(own, tool.spec.name); });
    if (!fits) {
      const ToolSwitch* setting = find_switch(own);
      return fail(ErrorCode::not_found,
                  fmt::format("there is no tool {} here. {}", pattern,
                              setting != nullptr ? setting->how_to_turn_on
                                                 : "`wright tools` lists the tools"));
    }
  }
  std::erase_if(offered, [&](const Tool& tool) { return !is_offered(tool); });
  return offered;
}

std::string tool_name_of(std::string_view agent) {
  std::string name = fmt::format("ask_{}", agent);
  std::ranges::replace(name, '-', '_');
  return name;
}

Result<std::vector<mcp_server::OfferedAgent>> offered_agents(const McpOffer& offer,
                                                             const Settings& settings,
                                                             CommandContext context,
                                                             const Logger& logger) {
  const auto models =
      TRY(make_models(settings, settings.flags(), context.environment, context.paces));
  const KnownAgents known(settings, models, context.environment);
  std::vector<mcp_server::OfferedAgent> agents;
  for (const std::string& name : offer.agents ? *offer.agents : known.names()) {
    // One that changes files is offered to those who ask for it by name.
    if (!offer.agents && name == kCodingAgent) continue;
    const auto chosen = known.choose(name);
    const auto needs = chosen ? check_needs(name, settings) : Result<void>();
    if (!chosen || !needs) {
      // Who is named must be there; of all others, those that can run.
      if (!offer.agents) continue;
      return std::unexpected(chosen ? needs.error() : chosen.error());
    }
    const Agent& agent = chosen->agent;
    agents.push_back(
        {.tool = tool_name_of(agent.name),
         .description = fmt::format("The agent {}. {}", agent.name, agent.description),
         .make = [name, &settings, context, logger]() -> Result<mcp_server::AgentToRun> {
           auto ready = agent_or_complain(name, settings, settings.flags(), context);
           if (!ready) {
             return fail(
                 ErrorCode::unavailable,
                 fmt::format("the agent {} cannot run here; the server's log says why", name));
           }
           Json config = session_config(*ready, settings);
           auto agent = std::make_shared<Agent>(
               finished(std::move(*ready), settings, logger, tell_content(context.telemetry)));
           return mcp_server::AgentToRun{std::move(agent), std::move(config)};
         }});
  }
  return agents;
}

}  // namespace

Result<mcp_server::Offering> make_offering(const McpOffer& offer, const Settings& settings,
                                           CommandContext context, const Logger& logger,
                                           Store& store) {
  make_output_folder(settings);
  auto caller = std::make_shared<Agent>();
  caller->name = kMcpCaller;
  caller->tools = TRY(offered_tools(offer, settings));
  set_up_calls(*caller, settings, logger);
  // As around the calls of agents: a guard does not depend on who calls.
  const FoundHooks hooks = hooks_for(settings);
  add_hooks(*caller, hooks);
  for (const std::string& note : hooks.notes) context.console.remark(note);
  auto agents = TRY(offered_agents(offer, settings, context, logger));
  return mcp_server::Offering{.caller = std::move(caller),
                              .agents = std::move(agents),
                              .store = &store,
                              .shows_sessions = offer.has_sessions};
}

}  // namespace wright::app
