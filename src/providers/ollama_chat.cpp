// Ollama's own API: from a Request to POST …/api/chat. ollama_response.cpp reads its responses.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "providers/call_arguments.h"
#include "providers/codec.h"
#include "providers/ollama_response.h"
#include "providers/reasoning_effort.h"
#include "providers/request_headers.h"
#include "providers/schema_dialect.h"
#include "providers/words_instead.h"
#include "wright/tool.h"

namespace wright::providers {
namespace {

constexpr ToolNameRule kOllamaToolNames{};
constexpr std::string_view kOllamaSwitch = "thinking";  // Quirks::reasoning_request: think or not
constexpr std::string_view kOllamaLevel = "level";      // …: think low, medium or high

class OllamaEncoder {
 public:
  OllamaEncoder(const Endpoint& endpoint, const Request& request, Delivery delivery,
                SentHistory& history)
      : endpoint_(endpoint),
        quirks_(endpoint.model.quirks),
        request_(request),
        sampling_(*request.sampling),
        history_(history),
        names_(history.names(request, kOllamaToolNames)),
        delivery_(delivery) {}

  HttpRequest encode() {
    add_messages();
    std::string system = this->system();
    if (!system.empty()) {
      system = to_text(JsonObject{{"role", "system"}, {"content", std::move(system)}});
    }
    JsonObject body{{"model", endpoint_.model.name}, {"messages", nullptr}};
    const std::string& tools = history_.tools([&] { return to_text(this->tools()); });
    if (tools != "[]") body["tools"] = nullptr;
    body["stream"] = delivery_ == Delivery::streamed;
    add_format(body);
    add_thinking(body);
    body["options"] = options();
    return HttpRequest{
        .url = endpoint_.vendor.base_url + "/chat",
        .headers = request_headers(endpoint_, {bearer(endpoint_)}),
        .body = body_text(body, std::array{WrittenMember{.name = "messages",
                                                         .open = "[",
                                                         .first = system,
                                                         .rest = history_.text(),
                                                         .close = "]"},
                                           WrittenMember{.name = "tools", .first = tools}})};
  }

 private:
  // --- Messages -----------------------------------------------------------------------------

  void add_messages() {
    JsonArray messages;
    const auto added = history_.new_messages(request_);
    // Without a question among them they follow the last one.
    std::size_t end_of_questions = history_.is_empty() ? 1 : 0;
    for (std::size_t i = 0; i < added.size(); ++i) {
      if (added[i].is_from_user()) end_of_questions = i + 1;
    }
    for (std::size_t i = 0; i < added.size(); ++i) {
      const bool is_in_turn = i >= end_of_questions;
      const bool returns_reasoning =
          quirks_.return_reasoning == Quirks::ReturnReasoning::always ||
          quirks_.return_reasoning == Quirks::ReturnReasoning::required ||
          (quirks_.return_reasoning == Quirks::ReturnReasoning::within_turn && is_in_turn);
      const Reasonings reasonings = returns_reasoning ? Reasonings::send : Reasonings::leave_out;
      add_message(messages, added[i], reasonings);
    }
    history_.add(messages);
  }

  enum class Reasonings : std::uint8_t { send, leave_out };

  // One Ollama message for text, images and calls together, and one for each result.
  void add_message(JsonArray& messages, const Message& message, Reasonings reasonings) {
    std::string content;
    std::string thinking;
    JsonArray images;
    JsonArray calls;
    for (const Part& part : message.parts) {
      if (const std::string* words = words_in(part)) content += *words;
      if (const auto* reasoning = std::get_if<Reasoning>(&part)) {
        if (reasoning->opaque.empty() && reasonings == Reasonings::send) {
          thinking += reasoning->text;
        }
      }
      if (const auto* image = std::get_if<Image>(&part)) images.push_back(Json(image->base64));
      if (const auto* call = std::get_if<ToolCall>(&part)) calls.push_back(call_of(*call));
      if (const auto* result = std::get_if<ToolResult>(&part)) add_result(messages, *result);
    }
    if (content.empty() && thinking.empty() && images.empty() && calls.empty()) return;
    JsonObject written{{"role", to_string(message.role)}, {"content", to_valid_utf8(content)}};
    if (!thinking.empty()) written["thinking"] = to_valid_utf8(thinking);
    if (!images.empty()) written["images"] = std::move(images);
    if (!calls.empty()) written["tool_calls"] = std::move(calls);
    messages.push_back(std::move(written));
  }

  Json call_of(const ToolCall& call) const {
    return JsonObject{{"function", JsonObject{{"name", names_.on_wire(call.name)},
                                              {"arguments", arguments_object(call.arguments)}}}};
  }

  void add_result(JsonArray& messages, const ToolResult& result) const {
    std::string content = result_in_words(result, quirks_);
    if (result.is_error) content = "Error: " + content;
    JsonObject written{{"role", "tool"},
                       {"tool_name", names_.on_wire(result.name)},
                       {"content", std::move(content)}};
    JsonArray images;
    for (const Image& image : result.images) images.push_back(Json(image.base64));
    if (!images.empty() && quirks_.supports_images) written["images"] = std::move(images);
    messages.push_back(std::move(written));
  }

  // Ollama has no field for a tool choice.
  std::string system() const {
    std::string text = to_valid_utf8(std::string(request_.system));
    const auto add = [&](const std::string& words) {
      if (words.empty()) return;
      if (!text.empty()) text += "\n\n";
      text += words;
    };
    if (!may_say_format()) add(format_in_words(sampling_.response_format));
    if (!request_.tools.empty()) add(tool_choice_in_words(request_.tool_choice(), names_));
    return text;
  }

  JsonArray tools() const {
    const ToolChoice choice = request_.tool_choice();
    if (choice.kind == ToolChoice::Kind::none) return {};
    Quirks plain = quirks_;
    plain.strict_schemas = false;
    JsonArray tools;
    for (const Tool& tool : request_.tools) {
      const bool is_wanted = choice.kind != ToolChoice::Kind::one || choice.tool == tool.spec.name;
      if (!is_wanted) continue;
      tools.push_back(JsonObject{
          {"type", "function"},
          {"function",
           JsonObject{{"name", names_.on_wire(tool.spec.name)},
                      {"description", to_valid_utf8(tool.spec.description)},
                      {"parameters", tool_schema(tool.spec.parameters, plain).parameters}}}});
    }
    return tools;
  }

  // --- How to answer ------------------------------------------------------------------------

  // Ollama enforces the format from the first token on, so the model could not call a tool.
  bool may_say_format() const {
    const bool has_tools =
        !request_.tools.empty() && request_.tool_choice().kind != ToolChoice::Kind::none;
    return quirks_.supports_response_schema && !has_tools;
  }

  void add_format(JsonObject& body) const {
    if (!may_say_format()) return;
    const ResponseFormat& format = sampling_.response_format;
    if (format.kind == ResponseFormat::Kind::json_object) body["format"] = "json";
    if (format.kind == ResponseFormat::Kind::json_schema) body["format"] = format.schema;
  }

  void add_thinking(JsonObject& body) const {
    if (!sampling_.reasoning) return;
    const bool is_off = *sampling_.reasoning == ReasoningEffort::none;
    if (quirks_.reasoning_request == kOllamaSwitch) body["think"] = !is_off;
    if (quirks_.reasoning_request == kOllamaLevel)
      body["think"] = effort_level(*sampling_.reasoning);
  }

  std::optional<std::int64_t> window() const {
    const auto known = endpoint_.model.context_tokens;
    const auto meant = request_.context_tokens;
    return known && meant ? std::min(known, meant) : std::max(known, meant);
  }

  JsonObject options() const {
    JsonObject options{{"num_predict", std::max(sampling_.max_tokens, 1)}};
    // Ollama reads a few thousand tokens unless told otherwise, and silently drops the rest: it is
    // told the window that the request was made for.
    if (const auto window = this->window()) options["num_ctx"] = *window;
    if (quirks_.supports_temperature) {
      if (sampling_.temperature) options["temperature"] = *sampling_.temperature;
      if (sampling_.top_p) options["top_p"] = *sampling_.top_p;
    }
    JsonArray stops;
    for (const std::string& stop : sampling_.stop_sequences) {
      if (!stop.empty()) stops.push_back(Json(to_valid_utf8(stop)));
    }
    if (!stops.empty()) options["stop"] = std::move(stops);
    return options;
  }

  const Endpoint& endpoint_;
  const Quirks& quirks_;
  const Request& request_;
  const Sampling& sampling_;
  SentHistory& history_;
  const ToolNames& names_;
  Delivery delivery_;
};

// The user's last message decides which thoughts go back: another one changes what stands before
// it.
bool begins_exchange_with_ollama(const SentHistory& history, const Request& request,
                                 const Quirks& quirks) {
  return quirks.return_reasoning == Quirks::ReturnReasoning::within_turn &&
         std::ranges::any_of(history.new_messages(request), &Message::is_from_user);
}

Result<HttpRequest> encode_ollama(const Endpoint& endpoint, const Request& request,
                                  Delivery delivery, SentHistory& history) {
  if (begins_exchange_with_ollama(history, request, endpoint.model.quirks)) history.start_over();
  return OllamaEncoder(endpoint, request, delivery, history).encode();
}

std::unique_ptr<ResponseDecoder> make_ollama_decoder(const Endpoint& endpoint,
                                                     const Request& request) {
  return std::make_unique<OllamaDecoder>(endpoint, request, kOllamaToolNames);
}

}  // namespace

const Codec kOllamaChat{encode_ollama, make_ollama_decoder};

}  // namespace wright::providers
