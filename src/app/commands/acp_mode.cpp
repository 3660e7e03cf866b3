#include "app/commands/acp_mode.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include "core/try.h"

namespace wright::app {
namespace {

constexpr std::string_view kModeKey = "acp_mode";
constexpr std::string_view kEditorKey = "acp_session";

// What cannot reach its tool does nothing either.
bool only_reads(const Invocation& invocation) {
  if (invocation.unusable != nullptr) return true;
  if (invocation.tool.spec.options.effect == Effect::read) return true;
  return invocation.tool.only_reads && invocation.tool.only_reads(invocation.arguments);
}

const Json* config_member(const Json& config, std::string_view key) {
  const JsonObject* object = config.if_object();
  return object != nullptr ? object->if_contains(key) : nullptr;
}

}  // namespace

Result<void> check_mode(std::string_view name) {
  if (name == kCodeMode || name == kPlanMode) return {};
  return fail(ErrorCode::invalid_argument, fmt::format("there is no mode '{}'", name));
}

std::string_view mode_in(const Json& config) {
  // Whatever else stands there: what is stricter holds.
  return config_member(config, kModeKey) != nullptr ? kPlanMode : kCodeMode;
}

Json with_mode(Json config, std::string_view mode) {
  if (!config.is_object()) config.emplace_object();
  if (mode == kPlanMode) {
    config.get_object()[kModeKey] = kPlanMode;
  } else {
    config.get_object().erase(kModeKey);
  }
  return config;
}

void AcpMode::guard(Agent& agent) const {
  const Interceptor interceptor = [is_plan = is_plan_](const Invocation& invocation,
                                                       const Context& context,
                                                       const Next& next) -> Result<ToolReply> {
    if (!is_plan->load() || only_reads(invocation)) return next(invocation, context);
    return fail(ErrorCode::permission_denied,
                "The person has chosen the mode Plan, in which nothing is changed: read, and say "
                "what you would do. They can switch to Code");
  };
  agent.interceptors.insert(agent.interceptors.begin(), interceptor);
  agent.interceptors.push_back(interceptor);
}

std::string editor_id_of(const Session& session) {
  const Json* id = config_member(session.config, kEditorKey);
  return id != nullptr && id->is_string() && !id->get_string().empty()
             ? std::string(id->get_string())
             : std::to_string(session.id);
}

Json with_editor(Json config, std::string_view id) {
  if (!config.is_object()) config.emplace_object();
  config.get_object()[kEditorKey] = id;
  return config;
}

Json without_editor(Json config) {
  if (JsonObject* object = config.if_object()) object->erase(kEditorKey);
  return config;
}

}  // namespace wright::app
