#include "telemetry/content.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "wright/tool.h"

namespace wright::telemetry {
namespace {

constexpr std::size_t kMostOfOneText = 16 * 1024;

std::string some_of(std::string_view text) {
  return std::string(utf8_prefix(text, kMostOfOneText));
}

// Arguments are JSON as a rule; where they are none they are a text.
Json arguments_of(const ToolCall& call) {
  if (call.arguments.size() > kMostOfOneText) return Json(some_of(call.arguments));
  auto json = parse_json(call.arguments);
  return json ? std::move(*json) : Json(some_of(call.arguments));
}

// Pictures and thoughts are left out: the first are large, the second are not what was said.
JsonArray parts_json(std::span<const Part> parts) {
  JsonArray list;
  for (const Part& part : parts) {
    if (const auto* text = std::get_if<Text>(&part)) {
      list.push_back({{"type", "text"}, {"content", some_of(text->text)}});
    } else if (const auto* call = std::get_if<ToolCall>(&part)) {
      list.push_back({{"type", "tool_call"},
                      {"id", call->id},
                      {"name", call->name},
                      {"arguments", arguments_of(*call)}});
    } else if (const auto* result = std::get_if<ToolResult>(&part)) {
      list.push_back({{"type", "tool_call_response"},
                      {"id", result->call_id},
                      {"response", some_of(result->content)}});
    }
  }
  return list;
}

// "[a,b]" of those that fit, from the first on.
std::string joined(const std::vector<std::string>& texts) {
  std::string all = "[";
  for (const std::string& text : texts) {
    if (all.size() + text.size() + 2 > kMostContent) break;
    if (all.size() > 1) all += ',';
    all += text;
  }
  return all + "]";
}

}  // namespace

std::string input_messages(const Request& request) {
  std::vector<std::string> newest;
  std::size_t size = 2;
  for (auto message = request.messages.rbegin(); message != request.messages.rend(); ++message) {
    newest.push_back(
        to_text(Json{{"role", to_string(message->role)}, {"parts", parts_json(message->parts)}}));
    size += newest.back().size() + 1;
    if (size <= kMostContent) continue;
    newest.pop_back();
    break;
  }
  std::ranges::reverse(newest);
  return joined(newest);
}

std::string system_instructions(const Request& request) {
  return to_text(JsonArray{{{"type", "text"}, {"content", some_of(request.system)}}});
}

std::string tool_definitions(const Request& request) {
  std::vector<std::string> tools;
  for (const Tool& tool : request.tools) {
    tools.push_back(to_text(Json{{"type", "function"},
                                 {"name", tool.spec.name},
                                 {"description", tool.spec.description},
                                 {"parameters", tool.spec.parameters}}));
  }
  return joined(tools);
}

std::string output_messages(const Response& response) {
  return to_text(JsonArray{Json{{"role", "assistant"},
                                {"parts", parts_json(response.content)},
                                {"finish_reason", finish_reason(response.stop_reason)}}});
}

std::string finish_reason(StopReason reason) {
  switch (reason) {
    case StopReason::tool_use: return "tool_call";
    case StopReason::max_tokens: return "length";
    case StopReason::content_filter: return "content_filter";
    case StopReason::end_turn:
    case StopReason::stop_sequence:
    case StopReason::paused:
    case StopReason::other: break;
  }
  return "stop";
}

std::string provider_name(std::string_view vendor) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNamedOtherwise{
      {{"azure", "azure.ai.openai"},
       {"bedrock", "aws.bedrock"},
       {"gemini", "gcp.gemini"},
       {"mistral", "mistral_ai"},
       {"moonshot", "moonshot_ai"},
       {"vertex", "gcp.vertex_ai"},
       {"vertex_anthropic", "gcp.vertex_ai"},
       {"xai", "x_ai"}}};
  const auto found = std::ranges::find(kNamedOtherwise, vendor,
                                       &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == kNamedOtherwise.end() ? vendor : found->second);
}

}  // namespace wright::telemetry
