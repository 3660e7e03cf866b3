#include "app/wiring/served_agents.h"

#include <fmt/format.h>

#include <utility>

#include "app/wiring/debug_wiring.h"
#include "app/wiring/ready_agent.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/shipped.h"
#include "app/wiring/telemetry_wiring.h"
#include "core/try.h"
#include "server/caller_tools.h"

namespace wright::app {
namespace {

// An agent of a stored session may refer to the settings that it was made with.
struct AgentWithSettings {
  Settings settings;
  Agent agent = {};
};

}  // namespace

ServedAgents::ServedAgents(const Settings& settings, const Models& models, CommandContext context,
                           Logger logger)
    : settings_(settings),
      context_(context),
      logger_(std::move(logger)),
      agents_(settings, models, context.environment),
      servers_(settings, context.environment) {}

server::AgentSource ServedAgents::source() {
  return {.names = [this] { return agents_.names(); },
          .make = [this](std::string_view name) { return make(name); },
          .of_session = [this](const Session& session) { return of_session(session); },
          .make_answering = [this](std::string_view name,
                                   const Json& schema) { return make_answering(name, schema); }};
}

Result<server::PreparedAgent> ServedAgents::make(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto found = prepared_.find(name); found != prepared_.end()) return found->second;
  auto prepared = TRY(make_new(name, {}));
  prepared_.emplace(name, prepared);
  return prepared;
}

Result<server::PreparedAgent> ServedAgents::make_answering(std::string_view name,
                                                           const Json& schema) {
  const std::lock_guard lock(mutex_);
  return make_new(name, schema);
}

// With the lock held.
Result<server::PreparedAgent> ServedAgents::make_new(std::string_view name, const Json& schema) {
  auto chosen = TRY(agents_.choose(name));
  auto ready = TRY(with_specialists(std::move(chosen), agents_));
  TRY(check_needs(name, settings_));
  add_server_tools(ready, settings_, servers_);
  for (const std::string& note : ready.notes) {
    logger_.log(LogLevel::warning, "An agent is not whole", {{"note", note}});
  }
  if (!schema.is_null()) demand_answers(ready.chosen.agent, schema);
  DebugOptions debug = debug_of(ready.chosen.agent, settings_, std::nullopt);
  debug.logger = logger_;
  server::PreparedAgent prepared{.config = session_config(ready, settings_)};
  Agent agent = finished(std::move(ready), settings_, logger_, tell_content(context_.telemetry));
  agent.debug = std::move(debug);
  prepared.agent = std::make_shared<const Agent>(std::move(agent));
  return prepared;
}

Result<AgentPointer> ServedAgents::of_session(const Session& session) {
  const SettingFlags flags = flags_as_begun(session.config, {}, settings_);
  auto settings = TRY(load_settings(flags, context_.environment));
  const auto made = std::make_shared<AgentWithSettings>(std::move(settings));
  auto ready = agent_or_complain(first_agent_of(session), made->settings, flags, context_,
                                 GoingOn{agent_at_beginning(session), {}});
  if (!ready) {
    return fail(ErrorCode::unavailable,
                fmt::format("The agent of session {} cannot be made here; the server's standard "
                            "error says why",
                            session.id));
  }
  demand_answers_as_then(ready->chosen.agent, session.config);
  DebugOptions debug = debug_of(ready->chosen.agent, made->settings, std::nullopt);
  debug.logger = logger_;
  made->agent =
      finished(std::move(*ready), made->settings, logger_, tell_content(context_.telemetry));
  made->agent.debug = std::move(debug);
  return server::with_wishes_of_caller(AgentPointer(made, &made->agent), session.config);
}

}  // namespace wright::app
