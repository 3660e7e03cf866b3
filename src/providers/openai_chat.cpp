// OpenAI's chat completions, spoken by most vendors and every local server. This file writes
// requests; openai_chat_response.cpp reads responses. The same messages always give the same bytes,
// and a longer conversation begins with them, so that prompt caches hit.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <memory>
#include <utility>

#include "core/try.h"
#include "providers/chat_messages.h"
#include "providers/codec.h"
#include "providers/openai_chat_response.h"
#include "providers/openai_request.h"
#include "providers/request_headers.h"
#include "providers/schema_dialect.h"
#include "providers/vendor_tools.h"
#include "providers/words_instead.h"
#include "wright/tool.h"

namespace wright::providers {
namespace {

JsonArray chat_tools(const Request& request, const ToolNames& names, const Quirks& quirks,
                     const boost::json::storage_ptr& storage) {
  JsonArray tools(storage);
  tools.reserve(request.tools.size());
  for (const Tool& tool : request.tools) {
    ToolSchema schema = tool_schema(tool.spec.parameters, quirks, storage);
    JsonObject function({{"name", names.on_wire(tool.spec.name)},
                         {"description", tool.spec.description},
                         {"parameters", std::move(schema.parameters)}},
                        storage);
    if (schema.is_strict) function["strict"] = true;
    tools.push_back(JsonObject({{"type", "function"}, {"function", std::move(function)}}, storage));
  }
  return tools;
}

Json chat_tool_choice(const ToolChoice& choice, const ToolNames& names) {
  switch (choice.kind) {
    case ToolChoice::Kind::automatic: return "auto";
    case ToolChoice::Kind::required: return "required";
    case ToolChoice::Kind::none: return "none";
    case ToolChoice::Kind::one: break;
  }
  return JsonObject{{"type", "function"},
                    {"function", JsonObject{{"name", names.on_wire(choice.tool)}}}};
}

Json response_format_json(const ResponseFormat& format, const Quirks& quirks) {
  if (format.kind == ResponseFormat::Kind::json_object || !quirks.supports_response_schema) {
    return JsonObject{{"type", "json_object"}};
  }
  AnswerSchema answer = answer_schema(format, quirks);
  return JsonObject{{"type", "json_schema"},
                    {"json_schema", JsonObject{{"name", std::move(answer.name)},
                                               {"schema", std::move(answer.schema)},
                                               {"strict", answer.is_strict}}}};
}

// Asks the vendor to read the thoughts of earlier turns, which it leaves out otherwise.
void add_preserved_thinking(JsonObject& body, const Quirks& quirks) {
  if (quirks.preserve_thinking.empty()) return;
  if (quirks.preserve_thinking == "preserve_thinking") {
    body["preserve_thinking"] = true;
    return;
  }
  if (!body.contains("thinking")) body["thinking"] = JsonObject{{"type", "enabled"}};
  JsonObject& thinking = body["thinking"].get_object();
  if (thinking["type"] != Json("enabled")) return;
  if (quirks.preserve_thinking == "keep") {
    thinking["keep"] = "all";
  } else {
    thinking["clear_thinking"] = false;
  }
}

void add_reasoning(JsonObject& body, const Sampling& sampling, const Quirks& quirks) {
  if (!sampling.reasoning || quirks.reasoning_request.empty()) return;
  const std::string_view effort = effort_name(*sampling.reasoning, quirks);
  if (quirks.reasoning_request == "thinking") {
    const bool is_off =
        *sampling.reasoning == ReasoningEffort::none && !quirks.reasoning_off.empty();
    body["thinking"] = JsonObject{{"type", is_off ? effort : std::string_view("enabled")}};
  } else if (quirks.reasoning_request == "reasoning") {
    body["reasoning"] = JsonObject{{"effort", effort}};
  } else {
    body[quirks.reasoning_request] = effort;
  }
}

void add_chat_sampling(JsonObject& body, const Sampling& sampling, const Quirks& quirks) {
  if (sampling.max_tokens > 0) {
    const std::string_view name = quirks.max_tokens_field;
    body[name.empty() ? "max_tokens" : name] = sampling.max_tokens;
  }
  if (quirks.supports_temperature) {
    if (sampling.temperature) body["temperature"] = *sampling.temperature;
    if (sampling.top_p) body["top_p"] = *sampling.top_p;
  }
  if (!sampling.stop_sequences.empty()) {
    JsonArray stop;
    for (const std::string& sequence : sampling.stop_sequences) stop.push_back(Json(sequence));
    body["stop"] = std::move(stop);
  }
  add_reasoning(body, sampling, quirks);
  add_preserved_thinking(body, quirks);
  if (quirks.split_reasoning) body["reasoning_split"] = true;
  if (sampling.response_format.kind != ResponseFormat::Kind::text) {
    body["response_format"] = response_format_json(sampling.response_format, quirks);
  }
  add_service(body, quirks);
}

Result<HttpRequest> encode_chat(const Endpoint& endpoint, const Request& request, Delivery delivery,
                                SentHistory& history) {
  const Quirks& quirks = endpoint.model.quirks;
  const auto of_vendor = TRY(vendor_tools(endpoint, request));
  // A conversation has thousands of small values, all freed once it is written.
  std::array<unsigned char, 4096> usual;
  boost::json::monotonic_resource memory(usual.data(), usual.size());
  JsonObject body({{"model", endpoint.model.name}, {"messages", nullptr}}, &memory);
  const std::string system = chat_messages(endpoint, request, history, &memory);
  const ToolNames& names = history.names(request, {});
  const WrittenMember tools =
      add_tools(body, request, history, quirks, of_vendor, {names, chat_tools, chat_tool_choice});
  add_chat_sampling(body, *request.sampling, quirks);
  if (delivery == Delivery::streamed) {
    body["stream"] = true;
    if (quirks.supports_stream_usage) {
      body["stream_options"] = JsonObject{{"include_usage", true}};
    }
  }
  return HttpRequest{.url = fmt::format("{}/chat/completions", endpoint.vendor.base_url),
                     .headers = request_headers(endpoint, {bearer(endpoint)}),
                     .body = body_text(body, std::array{WrittenMember{.name = "messages",
                                                                      .open = "[",
                                                                      .first = system,
                                                                      .rest = history.text(),
                                                                      .close = "]"},
                                                        tools})};
}

std::unique_ptr<ResponseDecoder> make_chat_decoder(const Endpoint& endpoint,
                                                   const Request& request) {
  return std::make_unique<EventDecoder<ChatResponseReader>>(endpoint, request, ToolNameRule{},
                                                            ChatResponseReader());
}

}  // namespace

const Codec kOpenAiChat{encode_chat, make_chat_decoder};

}  // namespace wright::providers
