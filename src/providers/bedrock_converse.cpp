// Amazon Bedrock's Converse API: from a Request to POST …/model/MODEL/converse. One form for the
// models of many makers; what only some understand is asked for by the maker's name in the model's.
// bedrock_response.cpp reads its responses.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "core/percent.h"
#include "providers/attachment.h"
#include "providers/bedrock_response.h"
#include "providers/call_arguments.h"
#include "providers/codec.h"
#include "providers/conversation.h"
#include "providers/opaque_block.h"
#include "providers/reasoning_effort.h"
#include "providers/request_headers.h"
#include "providers/schema_dialect.h"
#include "providers/schema_subset.h"
#include "providers/wire_ids.h"
#include "providers/words_instead.h"
#include "wright/tool.h"

namespace wright::providers {
namespace {

constexpr ToolNameRule kConverseToolNames{};  // [a-zA-Z0-9_-]+, at most 64
constexpr std::size_t kLongestConverseId = 64;
constexpr std::int64_t kLeastConverseBudget = 1024;

// Tokens that thinking may take, in addition to those of the response.
std::int64_t converse_budget(ReasoningEffort effort, const Quirks& quirks) {
  if (effort != ReasoningEffort::none && quirks.reasoning_tokens) {
    return std::max<std::int64_t>(*quirks.reasoning_tokens, kLeastConverseBudget);
  }
  switch (effort) {
    case ReasoningEffort::none: return 0;
    case ReasoningEffort::low: return 2048;
    case ReasoningEffort::medium: return 8192;
    case ReasoningEffort::high: return 24576;
  }
  return 0;
}

Json text_block(std::string text) {
  return JsonObject{{"text", std::move(text)}};
}

Json cache_point(const Quirks& quirks) {
  JsonObject point{{"type", "default"}};
  if (quirks.prompt_cache == "1h") point["ttl"] = "1h";
  return JsonObject{{"cachePoint", std::move(point)}};
}

// `number` makes the names of documents differ.
Json converse_image(const Image& image, int number) {
  const std::string_view type = image.media_type;
  const Attachment kind = attachment_kind(image);
  if (kind == Attachment::pdf) {
    return JsonObject{{"document", JsonObject{{"format", "pdf"},
                                              {"name", fmt::format("document-{}", number)},
                                              {"source", JsonObject{{"bytes", image.base64}}}}}};
  }
  if (kind == Attachment::audio) {
    return JsonObject{{"audio", JsonObject{{"format", audio_format(image)},
                                           {"source", JsonObject{{"bytes", image.base64}}}}}};
  }
  return JsonObject{
      {"image", JsonObject{{"format", type.substr(type.find('/') + 1)},  // png, jpeg, gif, webp
                           {"source", JsonObject{{"bytes", image.base64}}}}}};
}

class ConverseEncoder {
 public:
  ConverseEncoder(const Endpoint& endpoint, const Request& request, Delivery delivery,
                  SentHistory& history)
      : endpoint_(endpoint),
        quirks_(endpoint.model.quirks),
        request_(request),
        sampling_(*request.sampling),
        history_(history),
        names_(history.names(request, kConverseToolNames)),
        ids_(history.ids(kLongestConverseId)),
        conversation_(request, history.new_messages(request)),
        delivery_(delivery),
        has_cache_(endpoint.model.quirks.prompt_cache != "off"),
        is_claude_(endpoint.model.name.contains("anthropic.claude")),
        is_nova_(endpoint.model.name.contains("amazon.nova")) {}

  HttpRequest encode() {
    const std::string& tools = history_.tools([&] { return to_text(marked_tools()); });
    const bool has_tools = tools != "[]";
    JsonObject body;
    body["messages"] = nullptr;
    const std::string messages = this->messages();
    JsonObject more;
    add_limits(body, more);
    add_format(body);
    if (JsonArray system = this->system(body, !has_tools); !system.empty()) {
      if (has_cache_ && (is_claude_ || is_nova_)) system.push_back(cache_point(quirks_));
      body["system"] = std::move(system);
    }
    std::string config;
    if (has_tools) {
      JsonObject members{{"tools", nullptr}};
      add_tool_choice(members);
      config = body_text(members, std::array{WrittenMember{.name = "tools", .first = tools}});
      body["toolConfig"] = nullptr;
    }
    if (!quirks_.service_tier.empty()) {
      body["serviceTier"] = JsonObject{{"type", quirks_.service_tier}};
    }
    if (!more.empty()) body["additionalModelRequestFields"] = std::move(more);
    return HttpRequest{
        .url = fmt::format("{}/model/{}/{}", endpoint_.vendor.base_url,
                           percent_encoded(endpoint_.model.name),
                           delivery_ == Delivery::streamed ? "converse-stream" : "converse"),
        .headers = request_headers(endpoint_, {bearer(endpoint_)}),
        .body = body_text(
            body, std::array{WrittenMember{
                                 .name = "messages", .open = "[", .first = messages, .close = "]"},
                             WrittenMember{.name = "toolConfig", .first = config}})};
  }

 private:
  // --- Messages -----------------------------------------------------------------------------

  std::string messages() {
    JsonArray messages;
    for (const Turn& turn : conversation_.turns()) {
      JsonArray content;
      for (const Part* part : turn.parts) {
        if (Json block = block_of(*part); !block.is_null()) content.push_back(std::move(block));
      }
      const std::string_view role = turn.speaker == Turn::Speaker::user ? "user" : "assistant";
      if (!content.empty()) append(messages, role, std::move(content));
    }
    // Many models refuse a conversation that does not end with the user.
    if (messages.back().at("role") != Json("user")) {
      append(messages, "user", {text_block("Go on.")});
    }
    for (const Json& message : messages) {
      if (message.at("role") == Json("user")) {
        history_.add_of_user(message);
      } else {
        history_.add(message);
      }
    }
    return with_marks();
  }

  // A turn that became empty (another vendor's reasoning) makes its neighbours adjacent.
  static void append(JsonArray& messages, std::string_view role, JsonArray content) {
    if (messages.empty() || messages.back().at("role") != Json(role)) {
      messages.push_back(JsonObject{{"role", role}, {"content", std::move(content)}});
      return;
    }
    JsonArray& before = messages.back().at("content").get_array();
    for (Json& block : content) before.push_back(std::move(block));
  }

  // As for Anthropic's own API: one mark to read what the request before wrote, one to write for
  // the next.
  std::string with_marks() const {
    if (!has_cache_ || (!is_claude_ && !is_nova_)) return history_.text();
    if (request_.tools.empty() && history_.wire_messages() == 1) return history_.text();
    constexpr std::size_t kEndOfContent = 2;  // "]}"
    return history_.text_with_marks("," + to_text(cache_point(quirks_)), kEndOfContent);
  }

  // Null for a part that is not sent.
  Json block_of(const Part& part) {
    if (const std::string* words = words_in(part)) return text_block(to_valid_utf8(*words));
    if (const auto* image = std::get_if<Image>(&part))
      return converse_image(*image, ++history_.documents);
    if (const auto* call = std::get_if<ToolCall>(&part)) {
      return JsonObject{{"toolUse", JsonObject{{"toolUseId", ids_.of_call(call->id)},
                                               {"name", names_.on_wire(call->name)},
                                               {"input", arguments_object(call->arguments)}}}};
    }
    if (const auto* result = std::get_if<ToolResult>(&part)) return result_block(*result);
    const auto block =
        opaque_block(std::get<Reasoning>(part), Protocol::bedrock_converse, endpoint_.model.name);
    return block.value_or(Json());
  }

  Json result_block(const ToolResult& result) {
    JsonArray content;
    std::string text = result_in_words(result, quirks_);
    const bool shows_images = !result.images.empty() && quirks_.supports_images;
    if (!text.empty() || !shows_images) {
      content.push_back(text_block(text.empty() ? "(nothing)" : std::move(text)));
    }
    if (shows_images) {
      for (const Image& image : result.images)
        content.push_back(converse_image(image, ++history_.documents));
    }
    JsonObject written{{"toolUseId", ids_.of_result(result.call_id)},
                       {"content", std::move(content)}};
    if (result.is_error) written["status"] = "error";
    return JsonObject{{"toolResult", std::move(written)}};
  }

  JsonArray system(const JsonObject& body, bool is_without_tools) const {
    JsonArray blocks;
    const auto add = [&](std::string text) {
      if (!text.empty()) blocks.push_back(text_block(std::move(text)));
    };
    add(to_valid_utf8(conversation_.system()));
    if (!body.contains("outputConfig")) add(format_in_words(sampling_.response_format));
    if (!may_force_tools() && !is_without_tools) {
      add(tool_choice_in_words(sampling_.tool_choice, names_));
    }
    return blocks;
  }

  // --- Tools --------------------------------------------------------------------------------

  static Json tool_json(std::string_view name, const std::string& description, Json schema) {
    JsonObject spec{{"name", name}};
    if (!description.empty()) spec["description"] = description;
    spec["inputSchema"] = JsonObject{{"json", std::move(schema)}};
    return JsonObject{{"toolSpec", std::move(spec)}};
  }

  JsonArray tools() {
    JsonArray tools;
    Quirks plain = quirks_;
    plain.strict_schemas = false;  // OpenAI's dialect
    const bool may_call = sampling_.tool_choice.kind != ToolChoice::Kind::none;
    if (may_call) {
      for (const Tool& tool : request_.tools) {
        tools.push_back(
            tool_json(names_.on_wire(tool.spec.name), to_valid_utf8(tool.spec.description),
                      anthropic_input_schema(tool_schema(tool.spec.parameters, plain).parameters)));
      }
    }
    return tools.empty() ? tools_of_history() : tools;
  }

  JsonArray marked_tools() {
    JsonArray tools = this->tools();
    if (!tools.empty() && has_cache_ && is_claude_) tools.push_back(cache_point(quirks_));
    return tools;
  }

  // A conversation with calls needs their tools described, even when no tool may be called now.
  JsonArray tools_of_history() {
    JsonArray tools;
    std::vector<std::string_view> described;
    for (const Turn& turn : conversation_.turns()) {
      for (const Part* part : turn.parts) {
        const auto* call = std::get_if<ToolCall>(part);
        if (call == nullptr) continue;
        const std::string_view name = names_.on_wire(call->name);
        if (std::ranges::find(described, name) != described.end()) continue;
        described.push_back(name);
        tools.push_back(
            tool_json(name, "No longer available.", anthropic_input_schema(JsonObject())));
      }
    }
    return tools;
  }

  bool may_force_tools() const { return quirks_.tool_choice == Quirks::ToolChoiceSupport::full; }

  bool is_tool_forced() const {
    const ToolChoice::Kind kind = sampling_.tool_choice.kind;
    return may_force_tools() && !request_.tools.empty() &&
           (kind == ToolChoice::Kind::required || kind == ToolChoice::Kind::one);
  }

  void add_tool_choice(JsonObject& config) const {
    if (!is_tool_forced()) return;
    const ToolChoice& choice = sampling_.tool_choice;
    config["toolChoice"] =
        choice.kind == ToolChoice::Kind::required
            ? JsonObject{{"any", JsonObject()}}
            : JsonObject{{"tool", JsonObject{{"name", names_.on_wire(choice.tool)}}}};
  }

  // --- How to answer ------------------------------------------------------------------------

  // `more` gets what only the models of one maker understand.
  void add_limits(JsonObject& body, JsonObject& more) const {
    std::int64_t max_tokens = std::max(sampling_.max_tokens, 1);
    const auto most = endpoint_.model.max_output_tokens;
    const std::int64_t room = add_reasoning(more);
    max_tokens += room;
    if (most) max_tokens = std::min(max_tokens, *most);
    if (Json* thinking = more.if_contains("thinking"); thinking != nullptr && room > 0) {
      if (Json* budget = thinking->get_object().if_contains("budget_tokens")) {
        *budget = std::min(room, max_tokens - 1);
      }
    }
    JsonObject config{{"maxTokens", max_tokens}};
    if (quirks_.supports_temperature && room == 0) {
      if (sampling_.temperature) {
        config["temperature"] = std::clamp(*sampling_.temperature, 0.0, 1.0);
      } else if (sampling_.top_p) {
        config["topP"] = std::clamp(*sampling_.top_p, 0.0, 1.0);
      }
    }
    JsonArray stops;
    for (const std::string& stop : sampling_.stop_sequences) {
      if (!stop.empty()) stops.push_back(Json(to_valid_utf8(stop)));
    }
    if (!stops.empty()) config["stopSequences"] = std::move(stops);
    body["inferenceConfig"] = std::move(config);
  }

  // How many tokens thinking may take in addition to the response. Thinking is a preference: where
  // it conflicts with the rest of the request, it is dropped.
  std::int64_t add_reasoning(JsonObject& more) const {
    const std::string_view way = quirks_.reasoning_request;
    if (!sampling_.reasoning || way.empty()) return 0;
    const ReasoningEffort effort = *sampling_.reasoning;
    const bool is_off = effort == ReasoningEffort::none;
    if (way == "reasoning_effort") {
      more["reasoning_effort"] = effort_level(effort);
      return is_off ? 0 : converse_budget(effort, quirks_);
    }
    if (is_off || is_tool_forced() || is_amid_unthought_calls()) return 0;
    if (way == "thinking") {
      const auto most = endpoint_.model.max_output_tokens;
      if (most && *most <= kLeastConverseBudget) return 0;
      more["thinking"] =
          JsonObject{{"type", "enabled"}, {"budget_tokens", converse_budget(effort, quirks_)}};
    } else if (way == "effort") {
      more["thinking"] = JsonObject{{"type", "adaptive"}};
      more["output_config"] = JsonObject{{"effort", effort_level(effort)}};
    } else if (way == "level") {  // Amazon's own models
      more["reasoningConfig"] =
          JsonObject{{"type", "enabled"}, {"maxReasoningEffort", effort_level(effort)}};
    } else {
      return 0;
    }
    return converse_budget(effort, quirks_);
  }

  // A model that thinks refuses to continue after calls that have no thinking before them.
  bool is_amid_unthought_calls() const {
    const auto turns = conversation_.turns();
    if (!std::holds_alternative<ToolResult>(*turns.back().parts.front())) return false;
    const auto* first = std::get_if<Reasoning>(turns[turns.size() - 2].parts.front());
    return first == nullptr ||
           !opaque_block(*first, Protocol::bedrock_converse, endpoint_.model.name);
  }

  void add_format(JsonObject& body) const {
    const ResponseFormat& format = sampling_.response_format;
    if (format.kind != ResponseFormat::Kind::json_schema || !quirks_.supports_response_schema) {
      return;
    }
    const auto schema = anthropic_answer_schema(format.schema);
    if (!schema) return;
    const JsonObject described{{"schema", to_text(*schema)}};
    body["outputConfig"] = JsonObject{
        {"textFormat", JsonObject{{"type", "json_schema"},
                                  {"structure", JsonObject{{"jsonSchema", described}}}}}};
  }

  const Endpoint& endpoint_;
  const Quirks& quirks_;
  const Request& request_;
  const Sampling& sampling_;
  SentHistory& history_;
  const ToolNames& names_;
  WireIds& ids_;
  Conversation conversation_;
  Delivery delivery_;
  const bool has_cache_;
  const bool is_claude_;
  const bool is_nova_;
};

Result<HttpRequest> encode_converse(const Endpoint& endpoint, const Request& request,
                                    Delivery delivery, SentHistory& history) {
  return ConverseEncoder(endpoint, request, delivery, history).encode();
}

std::unique_ptr<ResponseDecoder> make_converse_decoder(const Endpoint& endpoint,
                                                       const Request& request) {
  return std::make_unique<BedrockDecoder>(endpoint, request, kConverseToolNames);
}

}  // namespace

const Codec kBedrockConverse{encode_converse, make_converse_decoder};

}  // namespace wright::providers
