// From a protocol to the file that implements it, and what holds for all of them.
#include "wright/provider.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.h"
#include "providers/attachment.h"
#include "providers/codec.h"
#include "providers/platform_address.h"
#include "providers/vendor_tools.h"
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
    case Protocol::bedrock_converse: return providers::kBedrockConverse;
  }
  return providers::kOpenAiChat;
}

bool holds_image(const Message& message) {
  return std::ranges::any_of(message.parts,
                             [](const Part& part) { return std::holds_alternative<Image>(part); });
}

// Fails where the model does not support what the request needs: a user's image, or tools. An image
// is tried with a model that nobody here knows.
Result<void> check_possible(const Endpoint& endpoint, const Request& request) {
  const Quirks& quirks = endpoint.model.quirks;
  const bool is_blind = !quirks.supports_images && endpoint.model.is_listed;
  if (is_blind && std::ranges::any_of(request.messages, holds_image)) {
    return fail(ErrorCode::unsupported,
                fmt::format("The model {0} reads no images, as far as is known here. Choose one "
                            "that does, leave the image out, or write supports_images = true "
                            "below [models.\"{1}:{0}\"] in the configuration",
                            endpoint.model.name, endpoint.vendor.name));
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
  TRY(providers::check_attachments(endpoint, request));
  TRY(providers::vendor_tools(endpoint, request));
  auto encoded = TRY(codec_of(endpoint.protocol()).encode(endpoint, request, delivery));
  return providers::addressed(std::move(encoded), endpoint);
}

std::unique_ptr<ResponseDecoder> make_decoder(const Endpoint& endpoint, const Request& request) {
  return codec_of(endpoint.protocol()).make_decoder(endpoint, request);
}

}  // namespace wright
