#include "server/resources.h"

#include <string>

#include "store/damage.h"
#include "store/status.h"

namespace wright::server {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

bool shorten(Json& json, std::size_t most) {
  if (auto* text = json.if_string()) {
    if (text->size() <= most) return false;
    const std::string shorter(utf8_prefix(*text, most));  // apart from what it replaces
    json = shorter;
    return true;
  }
  bool is_cut = false;
  if (auto* object = json.if_object()) {
    for (auto& member : *object) is_cut = shorten(member.value(), most) || is_cut;
  } else if (auto* array = json.if_array()) {
    for (Json& each : *array) is_cut = shorten(each, most) || is_cut;
  }
  return is_cut;
}

}  // namespace

Json with_short_texts(Json json, std::size_t most) {
  if (shorten(json, most)) json.as_object()["is_cut"] = true;
  return json;
}

Json session_json(const Session& session) {
  JsonObject json{
      {"id", session.id},
      {"agent", session.agent_name},
      {"provider", session.provider},
      {"model", session.model},
      {"status", to_string(session.status)},
      {"prompt", session.user_prompt},
      {"result", or_null(session.result)},
      {"error", or_null(session.error)},
      {"error_code", session.error_code ? Json(to_string(*session.error_code)) : Json(nullptr)},
      {"limit", session.limit ? Json(to_string(*session.limit)) : Json(nullptr)},
      {"started_at", session.started_at},
      {"ended_at", or_null(session.ended_at)},
      {"duration_ms", or_null(duration_ms(session))},
      {"iterations", session.iterations},
      {"usage", to_json(session.usage)},
      {"parent_session_id", or_null(session.parent_session_id)},
      {"forked_from", or_null(session.forked_from)},
      {"cancel_reason", or_null(session.cancel_reason)}};
  if (!session.tenant.empty()) json["tenant"] = session.tenant;
  if (store::is_damaged(session)) json["is_damaged"] = true;
  return json;
}

Json detailed_session_json(const Session& session) {
  Json json = session_json(session);
  JsonObject& object = json.as_object();
  object["system_prompt"] = or_null(session.system_prompt);
  object["config"] = session.config;
  object["feedback"] = session.feedback;
  object["worked_ms"] = or_null(session.worked_ms);
  return json;
}

Json message_json(const StoredMessage& message, bool is_told) {
  return {{"id", message.id},
          {"session_id", message.session_id},
          {"created_at", message.created_at},
          {"role", to_string(message.message.role)},
          {"text", message.content},
          {"is_told", is_told},
          {"message", to_json(message.message)}};
}

Json call_json(const StoredCall& call) {
  return {{"id", call.id},
          {"session_id", call.session_id},
          {"message_id", or_null(call.message_id)},
          {"call_id", call.tool_call_id},
          {"tool", call.tool_name},
          {"arguments", call.request},
          {"status", to_string(call.status)},
          {"response", call.response ? *call.response : Json(nullptr)},
          {"error", or_null(call.error_details)},
          {"created_at", call.created_at},
          {"completed_at", or_null(call.completed_at)},
          {"execution_time_ms", or_null(call.execution_time_ms)}};
}

Json wait_json(const StoredWait& wait) {
  return {{"id", wait.id},
          {"session_id", wait.session_id},
          {"call_id", wait.call_id},
          {"kind", to_string(wait.kind)},
          {"status", to_string(store::status_at(wait, system_clock_ms()))},
          {"shown", wait.shown},
          {"created_at", wait.created_at},
          {"expires_at", or_null(wait.expires_at)},
          {"covers", JsonArray(wait.covers.begin(), wait.covers.end())},
          {"answered_at", or_null(wait.answered_at)},
          {"answered_by", or_null(wait.answered_by)}};
}

Json event_json(const StoredEvent& event) {
  Json json{{"sequence", event.sequence},
            {"session_id", event.session_id},
            {"type", event.type},
            {"at", event.at},
            {"data", event.data}};
  // Events are for showing what happens; what is long is read where it is kept. Words as they come
  // are kept nowhere else.
  return event.type == "text_delta" ? json : with_short_texts(std::move(json));
}

Json samples_json(const StoreStats& stats) {
  const auto common = [](const auto& samples) {
    return JsonObject{
        {"agent", samples.agent_name},
        {"provider", samples.provider},
        {"model", samples.model},
        {"count", samples.count},
        {"failed", samples.failed},
        {"durations_ms", JsonArray(samples.durations_ms.begin(), samples.durations_ms.end())}};
  };
  JsonArray runs;
  for (const RunSamples& each : stats.runs) {
    JsonObject json = common(each);
    json["usage"] = to_json(each.usage);
    runs.push_back(std::move(json));
  }
  JsonArray calls;
  for (const CallSamples& each : stats.calls) {
    JsonObject json = common(each);
    json["tool"] = each.tool_name;
    json["unknown"] = each.unknown;
    calls.push_back(std::move(json));
  }
  return {{"runs", std::move(runs)}, {"calls", std::move(calls)}};
}

Json tool_json(const ToolSpec& spec) {
  return {{"name", spec.name},
          {"description", spec.description},
          {"effect", to_string(spec.options.effect)},
          {"parameters", spec.parameters}};
}

Json agent_json(const Agent& agent) {
  JsonArray tools;
  for (const Tool& tool : agent.tools) tools.push_back(tool_json(tool.spec));
  const Limits& limits = agent.limits;
  return {{"name", agent.name},
          {"description", agent.description},
          {"provider", agent.model.provider()},
          {"model", agent.model.name()},
          {"limits",
           {{"iterations", limits.max_iterations},
            {"tool_calls", or_null(limits.max_tool_calls)},
            {"tokens", or_null(limits.max_tokens)},
            {"cost_usd", or_null(limits.max_cost_usd)},
            {"time_ms", limits.max_time ? Json(limits.max_time->count()) : Json(nullptr)}}},
          {"tools", std::move(tools)}};
}

}  // namespace wright::server
