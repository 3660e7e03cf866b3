// What one file of a wire protocol gives to provider.cpp. Pure, like all of this folder.
#pragma once

#include <memory>

#include "wright/provider.h"

namespace wright::providers {

struct Codec {
  // The model can take what is asked, and `request.sampling` is set.
  Result<HttpRequest> (*encode)(const Endpoint& endpoint, const Request& request,
                                Delivery delivery);
  std::unique_ptr<AnswerDecoder> (*make_decoder)(const Endpoint& endpoint, const Request& request);
};

extern const Codec kOpenAiChat;
extern const Codec kOpenAiResponses;
extern const Codec kAnthropicMessages;
extern const Codec kGeminiGenerate;
extern const Codec kOllamaChat;

}  // namespace wright::providers
