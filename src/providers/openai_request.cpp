#include "providers/openai_request.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cstdint>

#include "providers/reasoning_effort.h"
#include "providers/schema_dialect.h"
#include "providers/tool_names.h"
#include "providers/words_instead.h"

namespace wright::providers {
namespace {

std::string allowed_format_name(std::string_view name) {
  std::string allowed;
  for (const char c : name.substr(0, 64)) {
    const bool is_allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '_' || c == '-';
    allowed += is_allowed ? c : '_';
  }
  return allowed.empty() ? "answer" : allowed;
}

bool is_nine_alphanumeric(std::string_view id) {
  return id.size() == 9 && std::ranges::all_of(id, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
         });
}

// A fixed name of nine letters and digits for any id (FNV-1a).
std::string nine_alphanumeric(std::string_view id) {
  constexpr std::string_view kDigits =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string name;
  for (int i = 0; i < 9; ++i) {
    name += kDigits[hash % kDigits.size()];
    hash /= kDigits.size();
  }
  return name;
}

bool mentions_json(std::string_view text) {
  return text.contains("JSON") || text.contains("json") || text.contains("Json");
}

void append_words(std::string& text, std::string_view paragraph) {
  if (paragraph.empty()) return;
  if (!text.empty()) text += "\n\n";
  text += paragraph;
}

bool offers_tools(const Request& request, const Quirks& quirks) {
  if (request.tools.empty() || !quirks.supports_tools) return false;
  const bool is_forbidden = request.tool_choice().kind == ToolChoice::Kind::none;
  return !is_forbidden || quirks.tool_choice == Quirks::ToolChoiceSupport::full;
}

}  // namespace

WrittenMember add_tools(JsonObject& body, const Request& request, SentHistory& history,
                        const Quirks& quirks, const JsonArray& of_vendor, const ToolForms& forms) {
  const bool offers_own = offers_tools(request, quirks);
  if (!offers_own && of_vendor.empty()) return {};
  const std::string& text = history.tools([&] {
    JsonArray tools(body.storage());
    if (offers_own) tools = forms.tools(request, forms.names, quirks, body.storage());
    for (const Json& tool : of_vendor) tools.push_back(tool);
    return to_text(std::move(tools));
  });
  body["tools"] = nullptr;
  if (offers_own) {
    const ToolChoice choice = request.tool_choice();
    const bool is_default = choice.kind == ToolChoice::Kind::automatic;
    if (!is_default && quirks.tool_choice == Quirks::ToolChoiceSupport::full) {
      body["tool_choice"] = forms.choice(choice, forms.names);
    }
    if (!quirks.supports_parallel_calls) body["parallel_tool_calls"] = false;
  }
  return {.name = "tools", .first = text};
}

std::string_view effort_name(ReasoningEffort effort, const Quirks& quirks) {
  if (effort == ReasoningEffort::none && !quirks.reasoning_off.empty()) return quirks.reasoning_off;
  return effort_level(effort);
}

void add_service(JsonObject& body, const Quirks& quirks) {
  if (!quirks.service_tier.empty()) body["service_tier"] = quirks.service_tier;
  if (quirks.prompt_cache == "24h") body["prompt_cache_retention"] = "24h";
}

AnswerSchema answer_schema(const ResponseFormat& format, const Quirks& quirks) {
  Json schema = quirks.supports_schema_refs ? format.schema : without_refs(format.schema);
  AnswerSchema answer{.name = allowed_format_name(format.name), .schema = {}};
  auto strict = quirks.strict_schemas ? strict_schema(schema) : std::nullopt;
  answer.is_strict = strict.has_value();
  answer.schema = strict ? std::move(*strict) : std::move(schema);
  return answer;
}

std::string system_text(const Request& request, const ToolNames& names, const Quirks& quirks,
                        JsonWord word) {
  std::string text(request.system);
  const ResponseFormat& format = request.sampling->response_format;
  const bool lacks_schema =
      format.kind == ResponseFormat::Kind::json_schema && !quirks.supports_response_schema;
  const bool lacks_word =
      format.kind == ResponseFormat::Kind::json_object && !mentions_json(request.system);
  if ((lacks_schema || lacks_word) && word == JsonWord::in_system_text) {
    append_words(text, format_in_words(format));
  }
  if (offers_tools(request, quirks) && quirks.tool_choice != Quirks::ToolChoiceSupport::full) {
    append_words(text, tool_choice_in_words(request.tool_choice(), names));
  }
  return text;
}

bool is_wire_call_id(std::string_view id, const CallIdRule& rule) {
  return rule.allowed == Quirks::CallIds::any ? id.size() <= rule.longest
                                              : is_nine_alphanumeric(id);
}

std::string wire_call_id(std::string_view id, const CallIdRule& rule) {
  return is_wire_call_id(id, rule) ? std::string(id) : nine_alphanumeric(id);
}

std::string data_url(const Image& image) {
  return fmt::format("data:{};base64,{}", image.media_type, image.base64);
}

}  // namespace wright::providers
