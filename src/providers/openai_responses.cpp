// OpenAI's responses. This file writes requests; openai_responses_reader.cpp reads responses. The
// vendor stores nothing: every request holds the whole conversation, with reasoning in encrypted
// form. A longer conversation begins with the bytes of the shorter one, so prompt caches hit.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "core/try.h"
#include "providers/codec.h"
#include "providers/event_decoder.h"
#include "providers/openai_request.h"
#include "providers/openai_responses_reader.h"
#include "providers/request_headers.h"
#include "providers/response_json.h"
#include "providers/responses_input.h"
#include "providers/schema_dialect.h"
#include "providers/vendor_tools.h"
#include "wright/tool.h"

namespace wright::providers {
namespace {

JsonArray responses_tools(const Request& request, const ToolNames& names, const Quirks& quirks,
                          const boost::json::storage_ptr& storage) {
  JsonArray tools(storage);
  tools.reserve(request.tools.size());
  for (const Tool& tool : request.tools) {
    ToolSchema schema = tool_schema(tool.spec.parameters, quirks, storage);
    tools.push_back(JsonObject({{"type", "function"},
                                {"name", names.on_wire(tool.spec.name)},
                                {"description", tool.spec.description},
                                {"parameters", std::move(schema.parameters)},
                                {"strict", schema.is_strict}},  // strict unless told otherwise
                               storage));
  }
  return tools;
}

Json responses_tool_choice(const ToolChoice& choice, const ToolNames& names) {
  switch (choice.kind) {
    case ToolChoice::Kind::automatic: return "auto";
    case ToolChoice::Kind::required: return "required";
    case ToolChoice::Kind::none: return "none";
    case ToolChoice::Kind::one: break;
  }
  return JsonObject{{"type", "function"}, {"name", names.on_wire(choice.tool)}};
}

Json text_format_json(const ResponseFormat& format, const Quirks& quirks) {
  if (format.kind == ResponseFormat::Kind::json_object || !quirks.supports_response_schema) {
    return JsonObject{{"type", "json_object"}};
  }
  AnswerSchema answer = answer_schema(format, quirks);
  return JsonObject{{"type", "json_schema"},
                    {"name", std::move(answer.name)},
                    {"schema", std::move(answer.schema)},
                    {"strict", answer.is_strict}};
}

void add_responses_sampling(JsonObject& body, const Sampling& sampling, const Quirks& quirks) {
  if (sampling.max_tokens > 0) {
    const std::string_view name = quirks.max_tokens_field;
    body[name.empty() ? "max_output_tokens" : name] = sampling.max_tokens;
  }
  if (quirks.supports_temperature) {
    if (sampling.temperature) body["temperature"] = *sampling.temperature;
    if (sampling.top_p) body["top_p"] = *sampling.top_p;
  }
  const bool can_reason = !quirks.reasoning_request.empty();
  if (can_reason && sampling.reasoning) {
    body["reasoning"] = JsonObject{{"effort", effort_name(*sampling.reasoning, quirks)}};
  }
  if (sampling.response_format.kind != ResponseFormat::Kind::text) {
    body["text"] = JsonObject{{"format", text_format_json(sampling.response_format, quirks)}};
  }
  body["store"] = false;
  if (can_reason) body["include"] = JsonArray{"reasoning.encrypted_content"};
  add_service(body, quirks);
}

// What tools of the vendor found and printed comes only when it is asked for.
void include_what_tools_gave(JsonObject& body, const JsonArray& of_vendor) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kIncluded{
      {{"web_search", "web_search_call.action.sources"},
       {"code_interpreter", "code_interpreter_call.outputs"}}};
  for (const auto& [type, included] : kIncluded) {
    const auto is_this = [&](const Json& tool) { return text_field(&tool, "type") == type; };
    if (std::ranges::none_of(of_vendor, is_this)) continue;
    if (!body.contains("include")) body["include"] = JsonArray();
    body["include"].get_array().push_back(Json(included));
  }
}

Result<HttpRequest> encode_responses(const Endpoint& endpoint, const Request& request,
                                     Delivery delivery, SentHistory& history) {
  const Quirks& quirks = endpoint.model.quirks;
  if (!request.sampling->stop_sequences.empty()) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("OpenAI's responses do not support stop sequences. Leave them out for {}, or "
                    "give the model the protocol openai-chat",
                    endpoint.model.name));
  }
  const auto of_vendor = TRY(vendor_tools(endpoint, request));
  const ToolNames& names = history.names(request, {});
  JsonObject body{{"model", endpoint.model.name}};
  const std::string instructions = system_text(request, names, quirks, JsonWord::elsewhere);
  if (!instructions.empty()) body["instructions"] = instructions;
  const std::string first = responses_input(endpoint, request, names, history);
  body["input"] = nullptr;
  const WrittenMember tools = add_tools(body, request, history, quirks, of_vendor,
                                        {names, responses_tools, responses_tool_choice});
  add_responses_sampling(body, *request.sampling, quirks);
  include_what_tools_gave(body, of_vendor);
  if (delivery == Delivery::streamed) body["stream"] = true;
  return HttpRequest{.url = fmt::format("{}/responses", endpoint.vendor.base_url),
                     .headers = request_headers(endpoint, {bearer(endpoint)}),
                     .body = body_text(body, std::array{WrittenMember{.name = "input",
                                                                      .open = "[",
                                                                      .first = first,
                                                                      .rest = history.text(),
                                                                      .close = "]"},
                                                        tools})};
}

std::unique_ptr<ResponseDecoder> make_responses_decoder(const Endpoint& endpoint,
                                                        const Request& request) {
  return std::make_unique<EventDecoder<ResponsesReader>>(endpoint, request, ToolNameRule{},
                                                         ResponsesReader());
}

}  // namespace

const Codec kOpenAiResponses{encode_responses, make_responses_decoder};

}  // namespace wright::providers
