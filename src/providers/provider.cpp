// From a protocol to the file that speaks it.
#include "wright/provider.h"

#include "providers/codec.h"

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

}  // namespace

Result<HttpRequest> encode(const Endpoint& endpoint, const Request& request, Delivery delivery) {
  return codec_of(endpoint.protocol()).encode(endpoint, request, delivery);
}

std::unique_ptr<AnswerDecoder> make_decoder(const Endpoint& endpoint, const Request& request,
                                            Delivery delivery) {
  return codec_of(endpoint.protocol()).make_decoder(endpoint, request, delivery);
}

}  // namespace wright
