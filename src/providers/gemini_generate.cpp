// Google's Gemini API: from a Request to POST …/models/MODEL:generateContent. gemini_response.cpp
// reads its responses.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "core/try.h"
#include "providers/call_arguments.h"
#include "providers/codec.h"
#include "providers/conversation.h"
#include "providers/gemini_response.h"
#include "providers/opaque_block.h"
#include "providers/reasoning_effort.h"
#include "providers/request_headers.h"
#include "providers/response_json.h"
#include "providers/schema_dialect.h"
#include "providers/schema_subset.h"
#include "providers/vendor_tools.h"
#include "providers/words_instead.h"
#include "wright/tool.h"

namespace wright::providers {
namespace {

constexpr ToolNameRule kGeminiToolNames{.starts_with_letter = true};
constexpr std::string_view kGeminiBudget =
    "thinking";                                     // Quirks::reasoning_request: a budget of tokens
constexpr std::string_view kGeminiLevel = "level";  // …: a level, of Gemini 3 and newer
constexpr std::size_t kMostStopSequences = 5;

// Gemini 3 refuses the first call of a turn without a signature. This is the documented one for
// calls that it did not make itself.
constexpr std::string_view kForeignSignature = "skip_thought_signature_validator";

int budget_of(ReasoningEffort effort, const Quirks& quirks) {
  if (effort != ReasoningEffort::none && quirks.reasoning_tokens) {
    return *quirks.reasoning_tokens;
  }
  switch (effort) {
    case ReasoningEffort::none: return 128;  // the least for a model that always thinks
    case ReasoningEffort::low: return 2048;
    case ReasoningEffort::medium: return 8192;
    case ReasoningEffort::high: return 24576;
  }
  return 0;
}

// "low" as Google's enums have it.
std::string name_of_enum(std::string_view word) {
  std::string name(word);
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

// A model's name as a part of a path.
std::string path_segment(std::string_view name) {
  std::string segment;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || std::string_view("-._~").contains(c);
    if (is_plain) {
      segment += c;
    } else {
      segment += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return segment;
}

class GeminiEncoder {
 public:
  GeminiEncoder(const Endpoint& endpoint, const Request& request, Delivery delivery,
                SentHistory& history)
      : endpoint_(endpoint),
        quirks_(endpoint.model.quirks),
        request_(request),
        sampling_(*request.sampling),
        history_(history),
        names_(history.names(request, kGeminiToolNames)),
        conversation_(request, history.new_messages(request)),
        delivery_(delivery) {}

  Result<HttpRequest> encode() {
    const JsonArray of_vendor = TRY(vendor_tools(endpoint_, request_));
    if (!of_vendor.empty() && !request_.tools.empty() && !may_mix_tools()) {
      return fail(
          ErrorCode::unsupported,
          fmt::format("{} takes either tools of an agent or those that run at Google. Leave "
                      "out vendor_tools or the agent's tools, or choose Gemini 3",
                      endpoint_.model.name));
    }
    JsonObject config = generation_config();
    const bool is_format_said = config.contains("responseMimeType");
    JsonObject body;
    if (const std::string system = this->system(is_format_said); !system.empty()) {
      body["systemInstruction"] = JsonObject{{"parts", JsonArray{JsonObject{{"text", system}}}}};
    }
    body["contents"] = nullptr;
    history_.add(contents());
    const std::string& tools = history_.tools([&] { return to_text(this->tools(of_vendor)); });
    if (tools != "[]") body["tools"] = nullptr;
    if (!request_.tools.empty()) add_tool_config(body);
    if (!of_vendor.empty()) add_invocations(body);
    body["generationConfig"] = std::move(config);
    return HttpRequest{
        .url = url(),
        .headers = request_headers(
            endpoint_, {is_on_vertex() ? bearer(endpoint_)
                                       : HttpHeader{"x-goog-api-key", endpoint_.key, true}}),
        .body = body_text(
            body,
            std::array{WrittenMember{
                           .name = "contents", .open = "[", .first = history_.text(), .close = "]"},
                       WrittenMember{.name = "tools", .first = tools}})};
  }

 private:
  bool is_on_vertex() const { return endpoint_.vendor.platform == Platform::google; }
  // Gemini 3 and newer.
  bool may_mix_tools() const { return quirks_.reasoning_request == kGeminiLevel; }

  std::string url() const {
    std::string_view name = endpoint_.model.name;
    if (name.starts_with("models/")) name.remove_prefix(7);
    return fmt::format(
        "{}/models/{}:{}", endpoint_.vendor.base_url, path_segment(name),
        delivery_ == Delivery::streamed ? "streamGenerateContent?alt=sse" : "generateContent");
  }

  // --- Contents -----------------------------------------------------------------------------

  JsonArray contents() {
    JsonArray contents;
    for (const Turn& turn : conversation_.turns()) {
      JsonArray parts =
          turn.speaker == Turn::Speaker::user ? parts_of_user(turn) : parts_of_model(turn);
      if (parts.empty()) continue;
      const std::string_view role = turn.speaker == Turn::Speaker::user ? "user" : "model";
      if (contents.empty() || contents.back().at("role") != Json(role)) {
        contents.push_back(JsonObject{{"role", role}, {"parts", std::move(parts)}});
        continue;
      }
      // The turn between them became empty.
      JsonArray& before = contents.back().at("parts").get_array();
      for (Json& part : parts) before.push_back(std::move(part));
    }
    return contents;
  }

  JsonArray parts_of_user(const Turn& turn) {
    JsonArray parts;
    std::vector<const ToolResult*> with_images;
    for (const Part* part : turn.parts) {
      if (const auto* result = std::get_if<ToolResult>(part)) {
        parts.push_back(response_part(*result));
        if (!result->images.empty() && quirks_.supports_images) with_images.push_back(result);
      }
    }
    // Only the newest models take images inside a function response; all take them next to it.
    for (const ToolResult* result : with_images) {
      parts.push_back(JsonObject{
          {"text", fmt::format("Images of the tool {}:", names_.on_wire(result->name))}});
      for (const Image& image : result->images) parts.push_back(image_part(image));
    }
    for (const Part* part : turn.parts) {
      if (const std::string* words = words_in(*part)) parts.push_back(text_part(*words));
      if (const auto* image = std::get_if<Image>(part)) parts.push_back(image_part(*image));
    }
    return parts;
  }

  JsonArray parts_of_model(const Turn& turn) {
    JsonArray parts;
    std::string signature;  // for the next part
    bool is_first_call = true;
    const auto sign = [&](JsonObject part) {
      if (!signature.empty()) part["thoughtSignature"] = std::exchange(signature, {});
      parts.push_back(std::move(part));
    };
    const auto sign_nothing = [&] {
      if (!signature.empty()) sign(JsonObject{{"text", ""}});
    };
    for (const Part* part : turn.parts) {
      if (const auto* reasoning = std::get_if<Reasoning>(part)) {
        sign_nothing();
        const auto block =
            opaque_block(*reasoning, Protocol::gemini_generate, endpoint_.model.name);
        if (block && is_part_of_vendors_tool(*block)) {
          parts.push_back(*block);
          continue;
        }
        signature = block ? std::string(text_field(&*block, "thoughtSignature")) : std::string();
      } else if (const auto* text = std::get_if<Text>(part)) {
        sign(text_part(text->text));
      } else if (const auto* call = std::get_if<ToolCall>(part)) {
        const bool needs_signature = std::exchange(is_first_call, false) &&
                                     quirks_.reasoning_request == kGeminiLevel && signature.empty();
        if (needs_signature) signature = kForeignSignature;
        sign(call_part(*call));
      } else if (const auto* image = std::get_if<Image>(part)) {
        sign(image_part(*image));
      }
    }
    sign_nothing();
    return parts;
  }

  static JsonObject text_part(const std::string& text) { return {{"text", to_valid_utf8(text)}}; }

  static JsonObject image_part(const Image& image) {
    return {{"inlineData", JsonObject{{"mimeType", image.media_type}, {"data", image.base64}}}};
  }

  JsonObject call_part(const ToolCall& call) const {
    return {{"functionCall", JsonObject{{"id", to_valid_utf8(call.id)},
                                        {"name", names_.on_wire(call.name)},
                                        {"args", arguments_object(call.arguments)}}}};
  }

  JsonObject response_part(const ToolResult& result) const {
    const std::string_view key = result.is_error ? "error" : "output";
    return {{"functionResponse",
             JsonObject{{"id", to_valid_utf8(result.call_id)},
                        {"name", names_.on_wire(result.name)},
                        {"response", JsonObject{{key, result_in_words(result, quirks_)}}}}}};
  }

  std::string system(bool is_format_said) const {
    std::string text = to_valid_utf8(conversation_.system());
    const auto add = [&](const std::string& words) {
      if (words.empty()) return;
      if (!text.empty()) text += "\n\n";
      text += words;
    };
    if (!is_format_said) add(format_in_words(sampling_.response_format));
    if (quirks_.tool_choice != Quirks::ToolChoiceSupport::full && !request_.tools.empty()) {
      add(tool_choice_in_words(request_.tool_choice(), names_));
    }
    return text;
  }

  // --- Tools --------------------------------------------------------------------------------

  JsonArray declarations() const {
    Quirks plain = quirks_;
    plain.strict_schemas = false;  // OpenAI's dialect
    JsonArray declarations;
    for (const Tool& tool : request_.tools) {
      JsonObject declaration{{"name", names_.on_wire(tool.spec.name)},
                             {"description", to_valid_utf8(tool.spec.description)}};
      const Json schema = gemini_schema(tool_schema(tool.spec.parameters, plain).parameters);
      const JsonObject* properties = object_in(field(&schema, "properties"));
      const bool has_parameters = (properties != nullptr && !properties->empty()) ||
                                  field(&schema, "$ref") != nullptr ||
                                  field(&schema, "additionalProperties") != nullptr;
      if (has_parameters) declaration["parametersJsonSchema"] = schema;
      declarations.push_back(std::move(declaration));
    }
    return declarations;
  }

  void add_tool_config(JsonObject& body) const {
    const ToolChoice choice = request_.tool_choice();
    JsonObject config;
    switch (choice.kind) {
      case ToolChoice::Kind::automatic: return;
      case ToolChoice::Kind::none: config["mode"] = "NONE"; break;
      case ToolChoice::Kind::required: config["mode"] = "ANY"; break;
      case ToolChoice::Kind::one:
        config["mode"] = "ANY";
        config["allowedFunctionNames"] = JsonArray{Json(names_.on_wire(choice.tool))};
        break;
    }
    const bool may_say_so = quirks_.tool_choice == Quirks::ToolChoiceSupport::full ||
                            choice.kind == ToolChoice::Kind::none;
    if (may_say_so) body["toolConfig"] = JsonObject{{"functionCallingConfig", std::move(config)}};
  }

  JsonArray tools(const JsonArray& of_vendor) const {
    JsonArray tools;
    if (!request_.tools.empty()) {
      tools.push_back(JsonObject{{"functionDeclarations", declarations()}});
    }
    for (const Json& tool : of_vendor) tools.push_back(tool);
    return tools;
  }

  void add_invocations(JsonObject& body) const {
    if (request_.tools.empty()) return;
    // What ran there comes as parts, which go back in order with those of the agent's calls.
    if (!body.contains("toolConfig")) body["toolConfig"] = JsonObject();
    body["toolConfig"].get_object()["includeServerSideToolInvocations"] = true;
  }

  // --- How to answer ------------------------------------------------------------------------

  JsonObject generation_config() const {
    JsonObject config;
    std::int64_t max_tokens = std::max(sampling_.max_tokens, 1);
    if (JsonObject thinking = thinking_config(); !thinking.empty()) {
      const bool is_off = *sampling_.reasoning == ReasoningEffort::none;
      if (!is_off)
        max_tokens += budget_of(*sampling_.reasoning, quirks_);  // thoughts count as output
      config["thinkingConfig"] = std::move(thinking);
    }
    if (const auto most = endpoint_.model.max_output_tokens) {
      max_tokens = std::min(max_tokens, *most);
    }
    config["maxOutputTokens"] = max_tokens;
    if (quirks_.supports_temperature) {
      if (sampling_.temperature)
        config["temperature"] = std::clamp(*sampling_.temperature, 0.0, 2.0);
      if (sampling_.top_p) config["topP"] = std::clamp(*sampling_.top_p, 0.0, 1.0);
    }
    JsonArray stops;
    for (const std::string& stop : sampling_.stop_sequences) {
      if (!stop.empty() && stops.size() < kMostStopSequences) {
        stops.push_back(Json(to_valid_utf8(stop)));
      }
    }
    if (!stops.empty()) config["stopSequences"] = std::move(stops);
    add_format(config);
    return config;
  }

  // Before Gemini 3, JSON output cannot be combined with tools.
  void add_format(JsonObject& config) const {
    const ResponseFormat& format = sampling_.response_format;
    const bool may_be_said = request_.tools.empty() || quirks_.reasoning_request == kGeminiLevel;
    if (format.kind == ResponseFormat::Kind::text || !quirks_.supports_response_schema ||
        !may_be_said) {
      return;
    }
    config["responseMimeType"] = "application/json";
    if (format.kind == ResponseFormat::Kind::json_schema) {
      config["responseJsonSchema"] =
          gemini_schema(quirks_.supports_schema_refs ? format.schema : without_refs(format.schema));
    }
  }

  JsonObject thinking_config() const {
    if (!sampling_.reasoning) return {};
    const ReasoningEffort effort = *sampling_.reasoning;
    const bool is_off = effort == ReasoningEffort::none;
    JsonObject config;
    if (quirks_.reasoning_request == kGeminiBudget) {
      config["thinkingBudget"] =
          is_off && quirks_.reasoning_off == "0" ? 0 : budget_of(effort, quirks_);
    } else if (quirks_.reasoning_request == kGeminiLevel) {
      config["thinkingLevel"] = name_of_enum(is_off && !quirks_.reasoning_off.empty()
                                                 ? std::string_view(quirks_.reasoning_off)
                                                 : effort_level(effort));
    } else {
      return {};
    }
    if (!is_off) config["includeThoughts"] = true;
    return config;
  }

  const Endpoint& endpoint_;
  const Quirks& quirks_;
  const Request& request_;
  const Sampling& sampling_;
  SentHistory& history_;
  const ToolNames& names_;
  Conversation conversation_;
  Delivery delivery_;
};

Result<HttpRequest> encode_gemini(const Endpoint& endpoint, const Request& request,
                                  Delivery delivery, SentHistory& history) {
  return GeminiEncoder(endpoint, request, delivery, history).encode();
}

std::unique_ptr<ResponseDecoder> make_gemini_decoder(const Endpoint& endpoint,
                                                     const Request& request) {
  return std::make_unique<EventDecoder<GeminiReader>>(endpoint, request, kGeminiToolNames,
                                                      GeminiReader());
}

}  // namespace

const Codec kGeminiGenerate{encode_gemini, make_gemini_decoder};

}  // namespace wright::providers
