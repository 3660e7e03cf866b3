// What the file of a wire protocol provides to provider.cpp. Pure, like this whole folder.
#pragma once

#include <memory>

#include "providers/sent_history.h"
#include "wright/provider.h"

namespace wright::providers {

struct Codec {
  // The model supports what the request asks for, and `request.sampling` is set. What `history` has
  // of the conversation is not written again, and the rest of it is added.
  Result<HttpRequest> (*encode)(const Endpoint& endpoint, const Request& request, Delivery delivery,
                                SentHistory& history);
  std::unique_ptr<ResponseDecoder> (*make_decoder)(const Endpoint& endpoint,
                                                   const Request& request);
};

extern const Codec kOpenAiChat;
extern const Codec kOpenAiResponses;
extern const Codec kAnthropicMessages;
extern const Codec kGeminiGenerate;
extern const Codec kOllamaChat;
extern const Codec kBedrockConverse;

}  // namespace wright::providers
