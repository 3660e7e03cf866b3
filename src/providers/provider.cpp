// From a protocol to the file that implements it, and what holds for all of them.
#include "wright/provider.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.h"
#include "providers/codec.h"
#include "wright/tool.h"

namespace wright {
namespace {

const providers::Codec& codec_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::openai_chat: return providers::kOpenAiChat;
    case Protocol::openai_responses: return providers::kOpenAiResponses;
    case Protocol::anthropic_messages: return providers::kAnthropicMessages;
    case Protocol::gemini_generate: return providers::kGeminiGenerate;
    case Protocol::ollama_chat: return providers::kOllamaChat;
  }
  return providers::kOpenAiChat;
}

bool holds_image(const Message& message) {
  return std::ranges::any_of(message.parts,
                             [](const Part& part) { return std::holds_alternative<Image>(part); });
}

// Fails where the model does not support what the request needs: a user's image, or tools.
Result<void> check_possible(const Endpoint& endpoint, const Request& request) {
  const Quirks& quirks = endpoint.model.quirks;
  if (!quirks.supports_images && std::ranges::any_of(request.messages, holds_image)) {
    return fail(ErrorCode::unsupported,
                fmt::format("The model {} reads no images. Choose one that does, or leave the "
                            "image out",
                            endpoint.model.name));
  }
  const bool wants_tools =
      !request.tools.empty() && request.tool_choice().kind != ToolChoice::Kind::none;
  if (!quirks.supports_tools && wants_tools) {
    return fail(ErrorCode::unsupported,
                fmt::format("The model {} cannot call tools. Choose one that can: `wright models` "
                            "lists them",
                            endpoint.model.name));
  }
  return {};
}

}  // namespace

Result<HttpRequest> encode(const Endpoint& endpoint, const Request& asked, Delivery delivery) {
  const Sampling defaults;
  Request request = asked;
  if (request.sampling == nullptr) request.sampling = &defaults;
  TRY(check_possible(endpoint, request));
  return codec_of(endpoint.protocol()).encode(endpoint, request, delivery);
}

std::unique_ptr<ResponseDecoder> make_decoder(const Endpoint& endpoint, const Request& request) {
  return codec_of(endpoint.protocol()).make_decoder(endpoint, request);
}

}  // namespace wright
