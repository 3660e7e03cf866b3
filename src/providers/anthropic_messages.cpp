// Anthropic's Messages API: from a Request to POST …/messages. anthropic_response.cpp reads its
// responses.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "core/try.h"
#include "providers/anthropic_response.h"
#include "providers/attachment.h"
#include "providers/call_arguments.h"
#include "providers/citations.h"
#include "providers/codec.h"
#include "providers/conversation.h"
#include "providers/opaque_block.h"
#include "providers/reasoning_effort.h"
#include "providers/request_headers.h"
#include "providers/response_json.h"
#include "providers/schema_dialect.h"
#include "providers/schema_subset.h"
#include "providers/vendor_tool_blocks.h"
#include "providers/vendor_tools.h"
#include "providers/wire_ids.h"
#include "providers/words_instead.h"
#include "wright/tool.h"

namespace wright::providers {
namespace {

constexpr ToolNameRule kAnthropicToolNames{};  // ^[a-zA-Z0-9_-]{1,64}$
constexpr std::string_view kAnthropicBudget =
    "thinking";                                 // Quirks::reasoning_request: a budget of tokens
constexpr std::string_view kEffort = "effort";  // …: the model decides, given an effort
constexpr int kLeastBudget = 1024;
constexpr std::size_t kLongestAnthropicId = 256;

// Tokens that thinking may take, in addition to those of the response.
int room_to_think(ReasoningEffort effort, const Quirks& quirks) {
  if (effort != ReasoningEffort::none && quirks.reasoning_tokens) {
    return std::max(*quirks.reasoning_tokens, kLeastBudget);
  }
  switch (effort) {
    case ReasoningEffort::none: return 0;
    case ReasoningEffort::low: return 2048;
    case ReasoningEffort::medium: return 8192;
    case ReasoningEffort::high: return 24576;
  }
  return 0;
}

bool is_forced(const ToolChoice& choice) {
  return choice.kind == ToolChoice::Kind::required || choice.kind == ToolChoice::Kind::one;
}

JsonObject cache_control(const Quirks& quirks) {
  JsonObject control{{"type", "ephemeral"}};
  if (quirks.prompt_cache == "1h") control["ttl"] = "1h";
  return control;
}

bool may_be_marked(const Json& block) {
  const std::string_view type = text_field(&block, "type");
  return block.is_object() && type != "thinking" && type != "redacted_thinking";
}

// Marks the end of the part that the next request repeats. A request may have at most four.
void mark_for_cache(Json& block, const Quirks& quirks) {
  if (quirks.prompt_cache == "off" || !may_be_marked(block)) return;
  block.get_object()["cache_control"] = cache_control(quirks);
}

class AnthropicEncoder {
 public:
  AnthropicEncoder(const Endpoint& endpoint, const Request& request, Delivery delivery,
                   SentHistory& history)
      : endpoint_(endpoint),
        quirks_(endpoint.model.quirks),
        request_(request),
        sampling_(*request.sampling),
        history_(history),
        names_(history.names(request, kAnthropicToolNames)),
        ids_(history.ids(kLongestAnthropicId)),
        conversation_(request, history.new_messages(request)),
        vendors_tools_(conversation_, endpoint.model.name),
        delivery_(delivery) {}

  Result<HttpRequest> encode() {
    const JsonArray of_vendor = TRY(vendor_tools(endpoint_, request_));
    const std::string& tools = history_.tools([&] { return to_text(marked_tools(of_vendor)); });
    const bool has_tools = tools != "[]";
    if (is_on_vertex()) {
      body_["anthropic_version"] = "vertex-2023-10-16";  // the model is in the URL
    } else {
      body_["model"] = endpoint_.model.name;
    }
    add_limits();
    if (JsonArray system = this->system(!has_tools); !system.empty()) {
      mark_for_cache(system.back(), quirks_);
      body_["system"] = std::move(system);
    }
    const std::string messages = this->messages();
    body_["messages"] = nullptr;
    if (!container_.empty()) body_["container"] = container_;
    if (has_tools) {
      body_["tools"] = nullptr;
      if (of_vendor.empty() || !request_.tools.empty()) add_tool_choice();
    }
    if (!quirks_.service_tier.empty()) body_["service_tier"] = quirks_.service_tier;
    if (delivery_ == Delivery::streamed) body_["stream"] = true;
    return HttpRequest{
        .url = url(),
        .headers = is_on_vertex()
                       ? request_headers(endpoint_, {bearer(endpoint_)})
                       : request_headers(endpoint_, {{"x-api-key", endpoint_.key, true},
                                                     {"anthropic-version", "2023-06-01"}}),
        .body = body_text(
            body_, std::array{WrittenMember{
                                  .name = "messages", .open = "[", .first = messages, .close = "]"},
                              WrittenMember{.name = "tools", .first = tools}})};
  }

 private:
  bool is_on_vertex() const { return endpoint_.vendor.platform == Platform::google; }

  std::string url() const {
    if (!is_on_vertex()) return endpoint_.vendor.base_url + "/messages";
    return fmt::format("{}/models/{}:{}", endpoint_.vendor.base_url, endpoint_.model.name,
                       delivery_ == Delivery::streamed ? "streamRawPredict" : "rawPredict");
  }

  // --- Messages -----------------------------------------------------------------------------

  std::string messages() {
    JsonArray messages;
    const auto turns = conversation_.turns();
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const Turn& turn = turns[i];
      JsonArray content;
      const bool is_paused = i + 2 == turns.size() && is_pause(turns[i + 1]);
      waits_ = is_paused || std::ranges::any_of(turn.parts, [](const Part* part) {
                 return std::holds_alternative<ToolCall>(*part);
               });
      if (turn.speaker == Turn::Speaker::model) has_vendors_block_ = false;
      if (begins_anew(turn)) container_.clear();
      for (const Part* part : turn.parts) {
        if (is_pause(*part) && (has_vendors_block_ || turn.parts.size() > 1)) continue;
        if (Json block = block_of(*part); !block.is_null()) content.push_back(std::move(block));
      }
      const std::string_view role = turn.speaker == Turn::Speaker::user ? "user" : "assistant";
      if (!content.empty()) append(messages, role, std::move(content));
    }
    end_with_user(messages);
    for (const Json& message : messages) {
      if (message.at("role") == Json("user")) {
        history_.add_of_user(message, may_be_marked(message.at("content").get_array().back()));
      } else {
        history_.add(message);
      }
    }
    return with_marks();
  }

  static bool is_pause(const Part& part) {
    const auto* told = std::get_if<Notice>(&part);
    return told != nullptr && told->kind == Notice::Kind::turn_paused;
  }

  // The user says something, instead of answering calls.
  static bool begins_anew(const Turn& turn) {
    return turn.speaker == Turn::Speaker::user &&
           std::ranges::any_of(turn.parts, [](const Part* part) {
             return std::holds_alternative<Text>(*part) || std::holds_alternative<Image>(*part);
           });
  }

  // The turn before it is to go on as it is: the vendor gets it back, and nothing after it.
  static bool is_pause(const Turn& turn) {
    return turn.parts.size() == 1 && is_pause(*turn.parts.front());
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

  // Where the last turn is the model's, older models continue it; it must not end with white space
  // then. Newer models need a message that asks them to.
  void end_with_user(JsonArray& messages) {
    if (messages.back().at("role") != Json("assistant")) return;
    const bool is_paused = has_vendors_block_ && is_pause(conversation_.turns().back());
    if (is_paused) return;
    if (quirks_.reasoning_request == kEffort) {
      append(messages, "user", {JsonObject{{"type", "text"}, {"text", "Go on."}}});
      return;
    }
    Json& last = messages.back().at("content").get_array().back();
    if (last.at("type") != Json("text")) return;
    std::string text(last.at("text").get_string());
    text.erase(text.find_last_not_of(" \t\r\n\v\f") + 1);
    last.at("text") = text;
  }

  // The end of the last two turns of the user: one to read what the request before wrote, one to
  // write for the next. A single prompt without tools has no next request.
  std::string with_marks() const {
    if (quirks_.prompt_cache == "off") return history_.text();
    if (request_.tools.empty() && history_.wire_messages() == 1) return history_.text();
    constexpr std::size_t kEndOfBlock = 3;  // "}]}"
    return history_.text_with_marks(",\"cache_control\":" + to_text(cache_control(quirks_)),
                                    kEndOfBlock);
  }

  // Null for a part that is not sent.
  Json block_of(const Part& part) {
    if (const std::string* words = words_in(part)) {
      JsonObject written{{"type", "text"}, {"text", to_valid_utf8(*words)}};
      const auto* text = std::get_if<Text>(&part);
      JsonArray cited = text != nullptr ? returned_citations(*text, endpoint_) : JsonArray();
      if (!cited.empty()) written["citations"] = std::move(cited);
      return written;
    }
    if (const auto* image = std::get_if<Image>(&part)) return image_block(*image);
    if (const auto* call = std::get_if<ToolCall>(&part)) {
      return JsonObject{{"type", "tool_use"},
                        {"id", ids_.of_call(call->id)},
                        {"name", names_.on_wire(call->name)},
                        {"input", arguments_object(call->arguments)}};
    }
    if (const auto* result = std::get_if<ToolResult>(&part)) return result_block(*result);
    const auto block =
        opaque_block(std::get<Reasoning>(part), Protocol::anthropic_messages, endpoint_.model.name);
    if (!block || !vendors_tools_.may_be_sent(*block, waits_)) return {};
    if (const std::string_view type = text_field(&*block, "type"); type == kContainer) {
      container_ = text_field(&*block, "id");
      return {};
    } else if (is_of_vendors_tool(type)) {
      has_vendors_block_ = true;
    }
    return *block;
  }

  static Json image_block(const Image& image) {
    if (attachment_kind(image) == Attachment::pdf) {
      return JsonObject{{"type", "document"},
                        {"source", JsonObject{{"type", "base64"},
                                              {"media_type", image.media_type},
                                              {"data", image.base64}}}};
    }
    return JsonObject{
        {"type", "image"},
        {"source",
         JsonObject{{"type", "base64"}, {"media_type", image.media_type}, {"data", image.base64}}}};
  }

  Json result_block(const ToolResult& result) {
    JsonObject block{{"type", "tool_result"}, {"tool_use_id", ids_.of_result(result.call_id)}};
    std::string text = result_in_words(result, quirks_);
    if (result.images.empty() || !quirks_.supports_images) {
      if (!text.empty()) block["content"] = std::move(text);
    } else {
      JsonArray content;
      if (!is_blank(text)) {
        content.push_back(JsonObject{{"type", "text"}, {"text", std::move(text)}});
      }
      for (const Image& image : result.images) content.push_back(image_block(image));
      block["content"] = std::move(content);
    }
    if (result.is_error) block["is_error"] = true;
    return block;
  }

  JsonArray system(bool is_without_tools) {
    JsonArray blocks;
    const auto add = [&](std::string text) {
      if (!text.empty()) blocks.push_back(JsonObject{{"type", "text"}, {"text", std::move(text)}});
    };
    add(to_valid_utf8(conversation_.system()));
    if (!body_.contains("output_config") ||
        !body_["output_config"].get_object().contains("format")) {
      add(format_in_words(sampling_.response_format));
    }
    if (!may_force_tools() && !is_without_tools) {
      add(tool_choice_in_words(request_.tool_choice(), names_));
    }
    return blocks;
  }

  // --- Tools --------------------------------------------------------------------------------

  JsonArray tools() {
    JsonArray tools;
    Quirks plain = quirks_;
    plain.strict_schemas = false;  // OpenAI's dialect
    for (const Tool& tool : request_.tools) {
      tools.push_back(JsonObject{
          {"name", names_.on_wire(tool.spec.name)},
          {"description", to_valid_utf8(tool.spec.description)},
          {"input_schema",
           anthropic_input_schema(tool_schema(tool.spec.parameters, plain).parameters)}});
    }
    if (tools.empty()) return tools_of_history();
    return tools;
  }

  JsonArray marked_tools(const JsonArray& of_vendor) {
    JsonArray tools = this->tools();
    for (const Json& tool : of_vendor) tools.push_back(tool);
    if (!tools.empty()) mark_for_cache(tools.back(), quirks_);
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
        tools.push_back(JsonObject{{"name", name},
                                   {"description", "No longer available."},
                                   {"input_schema", anthropic_input_schema(JsonObject())}});
      }
    }
    return tools;
  }

  bool may_force_tools() const { return quirks_.tool_choice == Quirks::ToolChoiceSupport::full; }

  void add_tool_choice() {
    const bool is_one_at_a_time = !quirks_.supports_parallel_calls;
    ToolChoice choice = request_.tool_choice();
    if (request_.tools.empty()) choice = ToolChoice::none();
    if (is_forced(choice) && !may_force_tools()) choice = ToolChoice::automatic();
    if (choice.kind == ToolChoice::Kind::none) {
      body_["tool_choice"] = JsonObject{{"type", "none"}};
      return;
    }
    if (choice == ToolChoice::automatic() && !is_one_at_a_time) return;
    JsonObject written{{"type", choice.kind == ToolChoice::Kind::required ? "any"
                                : choice.kind == ToolChoice::Kind::one    ? "tool"
                                                                          : "auto"}};
    if (choice.kind == ToolChoice::Kind::one) written["name"] = names_.on_wire(choice.tool);
    if (is_one_at_a_time) written["disable_parallel_tool_use"] = true;
    body_["tool_choice"] = std::move(written);
  }

  // --- How to answer ------------------------------------------------------------------------

  void add_limits() {
    const Thinking thinking = this->thinking();
    std::int64_t max_tokens = std::max(sampling_.max_tokens, 1) + std::int64_t{thinking.room};
    if (const auto most = endpoint_.model.max_output_tokens) {
      max_tokens = std::min(max_tokens, *most);
    }
    body_["max_tokens"] = max_tokens;
    if (!thinking.type.empty()) {
      JsonObject written{{"type", thinking.type}};
      if (thinking.type == "enabled") {
        written["budget_tokens"] = std::min<std::int64_t>(thinking.room, max_tokens - 1);
      }
      body_["thinking"] = std::move(written);
    }
    if (!thinking.effort.empty()) output_config()["effort"] = thinking.effort;
    add_format();
    add_sampling(thinking);
  }

  // What the request says about thinking, and how many tokens it may take in addition to the
  // response.
  struct Thinking {
    std::string_view type = {};
    std::string_view effort = {};
    int room = 0;
  };

  // Thinking is a preference: where it conflicts with the rest of the request, it is dropped.
  Thinking thinking() const {
    const auto& effort = sampling_.reasoning;
    const bool is_tool_forced =
        is_forced(request_.tool_choice()) && may_force_tools() && !request_.tools.empty();
    if (quirks_.reasoning_request == kAnthropicBudget) {
      if (!effort || *effort == ReasoningEffort::none || is_tool_forced ||
          is_amid_calls_without_thought()) {
        return {};
      }
      const auto most = endpoint_.model.max_output_tokens;
      const bool has_room = !most || *most > kLeastBudget;
      return has_room ? Thinking{.type = "enabled", .room = room_to_think(*effort, quirks_)}
                      : Thinking{};
    }
    if (quirks_.reasoning_request != kEffort) return {};
    if (is_tool_forced) return {.type = quirks_.reasoning_off};
    if (!effort) return {};
    if (*effort != ReasoningEffort::none) {
      return {.type = "adaptive",
              .effort = effort_level(*effort),
              .room = room_to_think(*effort, quirks_)};
    }
    if (quirks_.reasoning_off.empty()) return {.effort = effort_level(*effort)};
    return {.type = quirks_.reasoning_off};
  }

  // A model with a thinking budget refuses to continue after calls that have no thinking before
  // them: another model's calls, or those from before thinking was switched on.
  bool is_amid_calls_without_thought() const {
    const auto turns = conversation_.turns();
    if (!std::holds_alternative<ToolResult>(*turns.back().parts.front())) return false;
    const auto* first = std::get_if<Reasoning>(turns[turns.size() - 2].parts.front());
    if (first == nullptr) return true;
    const auto block = opaque_block(*first, Protocol::anthropic_messages, endpoint_.model.name);
    return !block || is_of_vendors_tool(text_field(&*block, "type"));
  }

  // A thinking model takes no sampling parameters, and no model takes both.
  void add_sampling(const Thinking& thinking) {
    const bool is_thinking = thinking.type == "enabled" || thinking.type == "adaptive";
    if (quirks_.supports_temperature && !is_thinking) {
      if (sampling_.temperature) {
        body_["temperature"] = std::clamp(*sampling_.temperature, 0.0, 1.0);
      } else if (sampling_.top_p) {
        body_["top_p"] = std::clamp(*sampling_.top_p, 0.0, 1.0);
      }
    }
    JsonArray stops;
    for (const std::string& stop : sampling_.stop_sequences) {
      if (is_blank(stop)) continue;  // refused
      stops.push_back(Json(to_valid_utf8(stop)));
    }
    if (!stops.empty()) body_["stop_sequences"] = std::move(stops);
  }

  void add_format() {
    if (sampling_.response_format.kind != ResponseFormat::Kind::json_schema ||
        !quirks_.supports_response_schema) {
      return;
    }
    if (auto schema = anthropic_answer_schema(sampling_.response_format.schema)) {
      output_config()["format"] =
          JsonObject{{"type", "json_schema"}, {"schema", std::move(*schema)}};
    }
  }

  JsonObject& output_config() {
    if (!body_.contains("output_config")) body_["output_config"] = JsonObject();
    return body_["output_config"].get_object();
  }

  const Endpoint& endpoint_;
  const Quirks& quirks_;
  const Request& request_;
  const Sampling& sampling_;
  SentHistory& history_;
  const ToolNames& names_;
  WireIds& ids_;
  Conversation conversation_;
  VendorToolBlocks vendors_tools_;
  Delivery delivery_;
  bool waits_ = false;              // the turn that is written: for results, or to go on
  bool has_vendors_block_ = false;  // the model's turn that was written last
  std::string container_ = {};      // of the turn that goes on
  JsonObject body_;
};

Result<HttpRequest> encode_anthropic(const Endpoint& endpoint, const Request& request,
                                     Delivery delivery, SentHistory& history) {
  return AnthropicEncoder(endpoint, request, delivery, history).encode();
}

std::unique_ptr<ResponseDecoder> make_anthropic_decoder(const Endpoint& endpoint,
                                                        const Request& request) {
  return std::make_unique<EventDecoder<AnthropicReader>>(endpoint, request, kAnthropicToolNames,
                                                         AnthropicReader());
}

}  // namespace

const Codec kAnthropicMessages{encode_anthropic, make_anthropic_decoder};

}  // namespace wright::providers
