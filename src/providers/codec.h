// What one file of a wire protocol gives to provider.cpp. Pure, like all of this folder.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "wright/provider.h"

namespace wright::providers {

// What a vendor says about a failure, in the words of its protocol.
struct VendorError {
  std::string code = {};     // "rate_limit_exceeded", "overloaded_error", …
  std::string message = {};  // empty: the body says nothing readable
};

struct Codec {
  Result<HttpRequest> (*encode)(const Endpoint& endpoint, const Request& request,
                                Delivery delivery);
  std::unique_ptr<AnswerDecoder> (*make_decoder)(const Endpoint& endpoint, const Request& request,
                                                 Delivery delivery);
  VendorError (*read_error)(std::string_view body);
};

extern const Codec kOpenAiChat;
extern const Codec kOpenAiResponses;
extern const Codec kAnthropicMessages;
extern const Codec kGeminiGenerate;
extern const Codec kOllamaChat;

}  // namespace wright::providers
