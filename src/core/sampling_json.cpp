#include "core/sampling_json.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/secret_members.h"

namespace wright {
namespace {

Json without_secrets(Json tool) {
  hide_secret_members(tool);
  return tool;
}

constexpr std::array<std::string_view, 4> kEfforts{"none", "low", "medium", "high"};

const Json* member_of(const Json& record, std::string_view key) {
  const JsonObject* object = record.if_object();
  return object != nullptr ? object->if_contains(key) : nullptr;
}

std::optional<double> number_of(const Json& record, std::string_view key) {
  const Json* value = member_of(record, key);
  return value != nullptr && value->is_number() ? std::optional(value->to_number<double>())
                                                : std::nullopt;
}

std::string string_of(const Json& record, std::string_view key) {
  const Json* value = member_of(record, key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

Json choice_json(const ToolChoice& choice) {
  switch (choice.kind) {
    case ToolChoice::Kind::required: return "required";
    case ToolChoice::Kind::none: return "none";
    case ToolChoice::Kind::one: return {{"tool", choice.tool}};
    case ToolChoice::Kind::automatic: break;
  }
  return "auto";
}

ToolChoice choice_from(const Json& record) {
  const std::string word = string_of(record, "tool_choice");
  if (word == "required") return ToolChoice::required();
  if (word == "none") return ToolChoice::none();
  const Json* choice = member_of(record, "tool_choice");
  const std::string tool = choice != nullptr ? string_of(*choice, "tool") : "";
  return tool.empty() ? ToolChoice::automatic() : ToolChoice::one(tool);
}

Json format_json(const ResponseFormat& format) {
  if (format.kind == ResponseFormat::Kind::json_object) return "json_object";
  return {{"name", format.name}, {"schema", format.schema}};
}

ResponseFormat format_from(const Json& record) {
  if (string_of(record, "response_format") == "json_object") {
    return {.kind = ResponseFormat::Kind::json_object};
  }
  const Json* format = member_of(record, "response_format");
  const Json* schema = format != nullptr ? member_of(*format, "schema") : nullptr;
  if (schema == nullptr) return {};
  return {.kind = ResponseFormat::Kind::json_schema,
          .name = string_of(*format, "name"),
          .schema = *schema};
}

}  // namespace

std::vector<Json> with_own_secrets(std::vector<Json> recorded, const std::vector<Json>& own) {
  for (Json& tool : recorded) {
    const auto same = std::ranges::find(own, tool, without_secrets);
    if (same != own.end()) tool = *same;
  }
  return recorded;
}

JsonObject sampling_json(const Sampling& sampling) {
  JsonObject json;
  if (sampling.temperature) json["temperature"] = *sampling.temperature;
  if (sampling.top_p) json["top_p"] = *sampling.top_p;
  if (sampling.reasoning) {
    json["reasoning"] = kEfforts.at(static_cast<std::size_t>(*sampling.reasoning));
  }
  if (!sampling.stop_sequences.empty()) {
    json["stop_sequences"] =
        JsonArray(sampling.stop_sequences.begin(), sampling.stop_sequences.end());
  }
  if (sampling.tool_choice != ToolChoice::automatic()) {
    json["tool_choice"] = choice_json(sampling.tool_choice);
  }
  if (sampling.response_format.kind != ResponseFormat::Kind::text) {
    json["response_format"] = format_json(sampling.response_format);
  }
  if (!sampling.vendor_tools.empty()) {
    JsonArray& tools = json["vendor_tools"].emplace_array();
    for (const Json& tool : sampling.vendor_tools) tools.push_back(without_secrets(tool));
  }
  return json;
}

Sampling sampling_from(const Json& record) {
  Sampling sampling;
  sampling.temperature = number_of(record, "temperature");
  sampling.top_p = number_of(record, "top_p");
  const auto effort = std::ranges::find(kEfforts, string_of(record, "reasoning"));
  if (effort != kEfforts.end()) {
    sampling.reasoning = static_cast<ReasoningEffort>(effort - kEfforts.begin());
  }
  if (const Json* stops = member_of(record, "stop_sequences"); stops && stops->is_array()) {
    for (const Json& each : stops->get_array()) {
      if (each.is_string()) sampling.stop_sequences.emplace_back(each.get_string());
    }
  }
  sampling.tool_choice = choice_from(record);
  sampling.response_format = format_from(record);
  if (const Json* tools = member_of(record, "vendor_tools"); tools && tools->is_array()) {
    for (const Json& each : tools->get_array()) sampling.vendor_tools.push_back(each);
  }
  return sampling;
}

}  // namespace wright
